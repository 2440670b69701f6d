model M
  Real x(start = 1);
  Real y;
  Real z;
  Boolean b;
equation
  der(x) = -x;
  y = pre(x) + delay(x, 1);
  z = homotopy(actual = x, simplified = 1);
  b = edge(b) or initial() or sample(0, 0.1);
  assert(x > 0, "x must stay positive");
end M;
