model DetestE2 "The beginning of a van der Pol oscillation, mu = 5 (stiff DETEST E2)"
  parameter Real mu = 5 "Damping";
  Real x(start = 2, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu * (1 - x^2) * v - x;
  annotation(experiment(StopTime = 1));
end DetestE2;
