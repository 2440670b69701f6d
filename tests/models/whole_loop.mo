model WholeLoop "A ladder that is too long to be torn"
  parameter Real G = 0.5;
  Real u[40], i[40];
  Real outside(start = 1, fixed = true);
equation
  der(outside) = -outside + i[1];
  outside - u[1] = i[1];
  for k in 2:40 loop
    u[k - 1] - u[k] = i[k];
    i[k - 1] - i[k] = G * u[k - 1];
  end for;
  i[40] = G * u[40];
end WholeLoop;
