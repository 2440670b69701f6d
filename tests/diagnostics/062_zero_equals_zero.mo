model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -x;
  0 = 0*y;
end M;
