model M
  parameter Real k = log(-1);
  parameter Real zero = 0;
  parameter Real r = 1/zero;
  Real x(start = 1);
equation
  der(x) = -k*x;
end M;
