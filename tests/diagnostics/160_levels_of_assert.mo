model M
  Real x(start = 1);
equation
  der(x) = -x;
  assert(x > 0, "x");
  assert(x > 0, "x", AssertionLevel.info);
  assert(x > 0, "x", level = 1);
  assert(x > 0, "x", severity = AssertionLevel.error);
  assert(x > 0, 1);
  assert(x > 0);
end M;
