// daedalus: simulate --method radau5 --max-steps 20 --stop 100
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = sin(10*time)*x;
end M;
