model M
  Real x[2](each start = 1);
  Real A[2, 3];
equation
  der(x) = -x;
  A = [x, x; 1, 2];
  x[1].y = 2;
  A = cat(1, x, x);
end M;
