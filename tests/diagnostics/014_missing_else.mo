model M
  Real x(start = 1);
  Real y;
equation
  der(x) = if x > 1 then -1;
  y = if x > 1 -1 else 1;
end M;
