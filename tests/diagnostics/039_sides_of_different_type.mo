model M
  Real x(start = 1);
  Boolean b;
  Real y;
equation
  der(x) = -x;
  b = x;
  y = "text";
end M;
