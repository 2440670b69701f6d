// daedalus: simulate
model M
  Real x(start = 1);
  Boolean a;
  Boolean b;
equation
  der(x) = -x;
  a = not b;
  b = a and x > 0;
end M;
