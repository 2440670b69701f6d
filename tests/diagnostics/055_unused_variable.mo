model M
  Real x(start = 1);
  Real spare;
equation
  der(x) = -x;
end M;
