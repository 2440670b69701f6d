// daedalus: simulate --stop 1
model Warns
  Real x(start = 1, fixed = true);
equation
  der(x) = x;
  assert(x < 2, "x passes 2", AssertionLevel.warning);
end Warns;
