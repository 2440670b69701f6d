// daedalus: simulate
model M
  Real x(start = 1, fixed = true);
  Real y(start = 1);
  Real z(start = 1);
equation
  der(x) = -x;
  exp(y) + z = 0;
  z - y^2 = x;
end M;
