// daedalus: simulate
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -x;
  time*y = sin(time);
end M;
