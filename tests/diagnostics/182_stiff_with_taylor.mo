// daedalus: simulate --method taylor12 --max-steps 2000 --stop 10
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -1e5*(x - cos(time));
end M;
