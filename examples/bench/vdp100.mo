model VanDerPol100 "Van der Pol's relaxation oscillation, mu = 100"
  parameter Real mu = 100 "Damping";
  Real x(start = 2, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu * (1 - x^2) * v - x;
  annotation(experiment(StopTime = 550));
end VanDerPol100;
