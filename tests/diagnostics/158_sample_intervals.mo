model M
  Real x(start = 1);
  Boolean a;
  Boolean b;
  Boolean c;
equation
  der(x) = -x;
  a = sample(0, 0);
  b = sample(0, 1 - 1.5);
  c = sample(x, 1);
end M;
