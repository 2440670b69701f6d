model M
  Real x(start = 1);
  Boolean b;
equation
  der(x) = -x^2^3;
  b = 0 < x < 1;
end M;
