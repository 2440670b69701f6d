model M
  Real x(start = 1);
  Real y;
  Real z;
  Real w;
equation
  der(x) = -x;
  y = sum({x, x});
  z = [1, 2];
  w = y[1];
  (y, z) = f(x);
  z = 1:3;
end M;
