// daedalus: simulate
model M
  Real x(start = -1, fixed = true);
  Real level;
equation
  der(x) = -x;
  level = log(x);
end M;
