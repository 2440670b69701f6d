// daedalus: simulate --set y=3
model M
  Real x(start = 1, fixed = true), y(start = 2);
equation
  der(x) = -x;
  y + exp(y) = x;
end M;
