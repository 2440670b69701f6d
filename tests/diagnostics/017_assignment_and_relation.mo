model M
  Real x(start = 1);
  Real y;
  Real z;
equation
  der(x) := -x;
  y == 2*x;
  z;
end M;
