model VanDerPol1000 "Van der Pol's relaxation oscillation, mu = 1000"
  parameter Real mu = 1000 "Damping";
  Real x(start = 2, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu * (1 - x^2) * v - x;
  annotation(experiment(StopTime = 2000));
end VanDerPol1000;
