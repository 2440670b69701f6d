model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -2*x(1 + y);
  y = sin x;
end M;
