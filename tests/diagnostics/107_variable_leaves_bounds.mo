// daedalus: simulate --stop 2
model M
  Real level(start = 1, fixed = true, min = 0.5, max = 2);
equation
  der(level) = -level;
end M;
