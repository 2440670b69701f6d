model M
  Real x(start = 1);
  Boolean b;
equation
  b = x and true;
  der(x) = if x then 1 else 2;
end M;
