model M
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -x;
  y = x;
  y = 2*x;
end M;
