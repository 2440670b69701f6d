// daedalus: simulate --set x=-3
model M
  Real x(start = 1, fixed = true, min = 0);
equation
  der(x) = -x;
end M;
