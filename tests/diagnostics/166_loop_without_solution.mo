// daedalus: simulate --stop 2
model NoSolution
  Real x(start = 0, fixed = true);
  Real y;
  Boolean b;
equation
  der(x) = 1;
  b = y < 0.5;
  y = (if b then 1 else 0) + (if x > 1 then 0 else 2);
end NoSolution;
