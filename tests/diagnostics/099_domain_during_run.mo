// daedalus: simulate --stop 3
model Tank "empties at t = 2"
  Real level(start = 1, fixed = true);
equation
  der(level) = -sqrt(level);
end Tank;
