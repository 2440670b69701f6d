model M
  parameter Real k;
  constant Real g;
  parameter Real w(start = 2);
  Real x(start = 1);
equation
  der(x) = -k*x;
end M;
