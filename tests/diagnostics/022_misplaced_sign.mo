model M
  Real x(start = 1);
equation
  der(x) = 2 * -x;
end M;
