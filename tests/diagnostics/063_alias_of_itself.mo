model M
  Real x(start = 1);
  Real a;
  Real b;
equation
  der(x) = -x;
  a = b;
  b = a;
end M;
