// daedalus: simulate --zeno regularize --stop 2
model Sliding
  Real x(start = 1, fixed = true);
equation
  der(x) = if x > 0 then -1 else 1;
end Sliding;
