model M
  parameter Real k = 2;
  Real x(start = 1);
equation
  der(x) = -k*x;
  k = 3;
end M;
