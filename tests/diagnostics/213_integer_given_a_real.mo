model IntegerGivenAReal
  Integer n;
  Real x(start = 1, fixed = true);
equation
  der(x) = -1;
  n = 2.5 * x;
end IntegerGivenAReal;
