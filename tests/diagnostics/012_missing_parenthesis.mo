model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -(x + 1;
  y = sin(x;
end M;
