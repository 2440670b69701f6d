// daedalus: simulate
model M "y takes no part"
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -x;
  x = x^2 + y - y;
end M;
