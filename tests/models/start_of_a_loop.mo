model StartOfALoop "The unknown with a start value is iterated on, so that it chooses the branch"
  Real a, b, c, d(start = 3);
equation
  a + b = 4;
  a * b = 3;
  c + d = 4;
  c * d = 3;
end StartOfALoop;
