model M
  Real x(start = 1);
  Real y;
  Integer n;
  Boolean b;
equation
  der(x) = -x;
  y = pre(x);
  n = pre(n + 1);
  b = edge(x) or change(x);
end M;
