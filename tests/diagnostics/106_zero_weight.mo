// daedalus: simulate --atol 0
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1 - x;
end M;
