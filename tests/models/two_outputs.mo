model M
  Real x(start = 1);
  Real y;
  Real z;
equation
  der(x) = -x + y + z;
  y = 2*x;
  y = 3*x + 1;
end M;
