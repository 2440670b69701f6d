model M
  parameter Integer n = 3;
  Real x[n](each start = 1);
  Real y[n + 1];
  Real s;
equation
  der(x) = y;
  y = x + y;
  s = x * y;
  y = y + 1;
  s = x;
  for k in 1:2 loop
    x[1:k] = y[1:2];
  end for;
  x = {{1, 2}, {3}};
end M;
