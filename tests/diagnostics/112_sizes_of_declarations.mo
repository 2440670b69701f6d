model M
  parameter Integer n = 3;
  parameter Real a[n] = {1, 2};
  parameter Real b[n] = 0;
  Real x[n](start = 1, each unit = {"m"});
  Real y[n](each start = {1, 2, 3});
  Real z(start = {1});
equation
  der(x) = a;
  der(y) = b;
  der(z) = 1;
end M;
