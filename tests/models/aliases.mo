model Aliases "Chains of equal and opposite names around a state and a derivative"
  Real x(start = 1, fixed = true), a, b, c, d, e, rate;
equation
  a = -x;
  b + a = 0;
  0 = c - b;
  -d = c;
  rate = der(x);
  der(x) = 2 * d;
  e = e * 0 + 3 * rate;
end Aliases;
