model M
  Real x(start = 1, min = 2, max = 1);
equation
  der(x) = -x;
end M;
