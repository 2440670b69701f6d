model M
  Real x(start = 1);
  Boolean b;
equation
  der(x) = 1 + if x > 1 then -1 else 1;
  b = true == not false;
end M;
