model M
  Real x(start = 1, fixed = true);
  Real y(start = x);
  parameter Real p = x;
equation
  der(x) = -x;
  der(y) = -y;
end M;
