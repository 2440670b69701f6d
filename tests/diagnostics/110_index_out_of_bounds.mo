model M
  parameter Integer n = 4;
  Real v[n](each start = 0);
  Real A[2, 3];
equation
  for i in 1:n loop
    der(v[i]) = v[i + 1] - v[i];
  end for;
  A[3, 1] = 1;
  A[1, 2:4] = {1, 2, 3};
  A[1, 1, 1] = size(A, 3);
end M;
