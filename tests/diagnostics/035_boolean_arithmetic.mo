model M
  Real x(start = 1);
  Boolean b;
equation
  b = x > 0;
  der(x) = b + 1;
end M;
