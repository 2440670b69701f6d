model M
  Real x(start = 1);
  Integer n;
equation
  der(x) = -x;
  2*n = 4;
end M;
