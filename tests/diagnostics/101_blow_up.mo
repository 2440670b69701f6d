// daedalus: simulate --stop 3
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
end M;
