model M
  Real a, b, c;
equation
  a = 1;
  a = 2;
  b = 3;
end M;
