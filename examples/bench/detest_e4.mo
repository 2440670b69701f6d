model DetestE4 "Krogh's quadratic system in mirrored coordinates (stiff DETEST E4)"
  Real y[4](start = {0, -2, -1, -1}, each fixed = true);
  Real z[4] "The mirror image of y";
  Real w[4] "The derivative of -z";
equation
  for i in 1:4 loop
    z[i] = sum(y) / 2 - y[i];
    der(y[i]) = sum(w) / 2 - w[i];
  end for;
  w[1] = 10 * (z[1] + z[2]) + (z[1]^2 - z[2]^2) / 2;
  w[2] = 10 * (z[2] - z[1]) + z[1] * z[2];
  w[3] = -1000 * z[3] + z[3]^2;
  w[4] = -0.01 * z[4] + z[4]^2;
  annotation(experiment(StopTime = 1000));
end DetestE4;
