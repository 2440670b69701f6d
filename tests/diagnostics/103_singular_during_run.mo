// daedalus: simulate --method radau5 --start -1 --stop 1
model M
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -y;
  time*y = sin(time) + 1;
end M;
