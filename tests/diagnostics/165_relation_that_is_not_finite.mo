// daedalus: simulate --stop 3
model Nonfinite
  Real x(start = 1, fixed = true);
  Boolean b;
equation
  der(x) = -1;
  b = sqrt(x) > 2;
end Nonfinite;
