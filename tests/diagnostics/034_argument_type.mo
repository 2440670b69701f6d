model M
  Real x(start = 1);
  Boolean b;
equation
  der(x) = sin(b) + abs("text");
  b = x > 0;
end M;
