model Equality
  parameter Real p = 1;
  Real x = time;
  Boolean b = x == 0.5;
  Boolean c = p <> 2;
  Boolean d = not b == c;
end Equality;
