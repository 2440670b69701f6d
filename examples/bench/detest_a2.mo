model DetestA2 "Diffusion along nine cells between fast ends (stiff DETEST A2)"
  parameter Integer n(min = 3) = 9 "Number of cells";
  parameter Real source = 1000 "Supply of the last cell";
  Real y[n](each start = 0, each fixed = true) "Concentrations";
equation
  der(y[1]) = -1800 * y[1] + 900 * y[2];
  for i in 2:n - 1 loop
    der(y[i]) = y[i - 1] - 2 * y[i] + y[i + 1];
  end for;
  der(y[n]) = 1000 * y[n - 1] - 2000 * y[n] + source;
  annotation(experiment(StopTime = 120));
end DetestA2;
