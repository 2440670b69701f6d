model M
  Real x(start = 1);
  Real y;
equation
  der(x) = 2 * ;
  y = max(x, );
end M;
