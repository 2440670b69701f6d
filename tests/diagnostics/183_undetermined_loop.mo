model Loop "Says nothing about either of them"
  Boolean a(start = true, fixed = true), b;
  Integer m = n + 1, n;
equation
  a = b;
  b = a;
  n = m - 1;
end Loop;
