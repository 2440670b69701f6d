// daedalus: simulate
model M
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -x;
  y = if x > 0.5 then sqrt(x - 0.9) else 2;
end M;
