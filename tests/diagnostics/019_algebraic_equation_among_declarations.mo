model M
  Real x(start = 1);
  Real y;
  y = 2*x;
equation
  der(x) = -x;
end M;
