model DetestB5 "A damped rotation with frequency 100, and four decays (stiff DETEST B5)"
  parameter Real alpha = 100 "Frequency of the rotation";
  parameter Real rate[4] = {4, 1, 0.5, 0.1} "Rates of the decays";
  Real u(start = 1, fixed = true);
  Real v(start = 1, fixed = true);
  Real y[4](each start = 1, each fixed = true);
equation
  der(u) = -10 * u + alpha * v;
  der(v) = -alpha * u - 10 * v;
  for i in 1:4 loop
    der(y[i]) = -rate[i] * y[i];
  end for;
  annotation(experiment(StopTime = 20));
end DetestB5;
