model M
  Real x(start = 1);
  Real y;
  Real z;
  Real w;
equation
  der(x) = -x;
  y = skew(x) + delay(x, 1);
  z = homotopy(actual = x, simplified = 1);
  w = reinit(x, 1);
end M;
