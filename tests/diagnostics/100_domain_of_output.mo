// daedalus: simulate --stop 3
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -1;
  y = sqrt(x);
end M;
