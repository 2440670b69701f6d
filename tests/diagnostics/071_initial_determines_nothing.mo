model M
  Real x(start = 1, fixed = true);
  Real y;
initial equation
  y = 4;
equation
  der(x) = -x;
  y = 2*x;
end M;
