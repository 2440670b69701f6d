model VanDerPol "Relaxation oscillation with mu = 1000: slow arcs between fast jumps"
  parameter Real mu = 1000 "Damping; the period is about 1.614 mu";
  Real x(start = 2, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu * (1 - x^2) * v - x;
  annotation(experiment(StopTime = 2000, Tolerance = 1e-8));
end VanDerPol;
