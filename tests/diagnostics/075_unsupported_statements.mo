model M
  Real x(start = 1);
  Real y;
  Real z;
equation
  der(x) = -x;
algorithm
  y := 2*x;
  while y > 1 loop
    y := y - 1;
  end while;
  for i in 1:3 loop
    break;
  end for;
  (y, z) := f(x);
  y = 3;
  return;
end M;
