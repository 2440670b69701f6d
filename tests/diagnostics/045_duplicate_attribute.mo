model M
  Real x(start = 1, start = 2);
equation
  der(x) = -x;
end M;
