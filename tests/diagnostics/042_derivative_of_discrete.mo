model M
  Real x(start = 1);
  Integer n;
  Boolean b;
equation
  der(x) = -x;
  n = integer(x);
  der(n) = 1;
  der(b) = 1;
end M;
