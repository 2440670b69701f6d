model M
  parameter Boolean f = true;
  Real x(start = 1, fixed = f);
  Real y(start = 1, unbounded = true);
equation
  der(x) = -x;
  der(y) = -y;
end M;
