// daedalus: simulate --method taylor12
model M
  Real x(start = 1, fixed = true), pull;
equation
  pull = noEvent(if x > 0.5 then 1 else 2*x);
  der(x) = -pull;
end M;
