model M
  Real x(start = 1);
equation
  der(x) = -k*x;
  parameter Real k = 1;
  Real y;
  y = 2*x;
end M;
