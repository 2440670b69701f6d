// daedalus: simulate --zeno regularize --stop 20
model Twisting
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = (if x > 0 then -2 else 2) + (if v > 0 then -0.5 else 0.5);
end Twisting;
