model Chain "Explicit assignments out of order, in implicit form, one of them not needed by the derivative"
  parameter Real k = 2, zero = 0;
  Real x(start = 1), u, v, w, unused;
equation
  unused = u * v * w;
  k * w + v = u;
  u - time = 0;
  3 = v / 2 - sin(u);
  der(x) + w = -x;
end Chain;
