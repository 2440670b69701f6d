model Arrays "A two-dimensional grid, array equations and a linear system from a matrix"
  parameter Integer n = 2, m = 3;
  parameter Real A[n, n] = [4, 1; 1, 3];
  Real u[n, m](start = {{i + j for j in 1:m} for i in 1:n}, each fixed = true);
  Real x[n], rows[n] = {sum(u[i, :]) for i in 1:n};
equation
  for i in 1:n, j in 1:m loop
    der(u[i, j]) = -u[i, j] + (if i > 1 then u[i - 1, j] else 0);
  end for;
  A * x = rows;
end Arrays;
