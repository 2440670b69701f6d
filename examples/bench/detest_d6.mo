model DetestD6 "Two species in exchange with a short-lived third one (stiff DETEST D6)"
  parameter Real k1 = 1e8 "Rate of C -> A";
  parameter Real k2 = 3e7 "Rate of C -> B";
  Real a(start = 1, fixed = true);
  Real b(start = 0, fixed = true);
  Real c(start = 0, fixed = true) "Short-lived";
equation
  der(a) = -a + k1 * c * (1 - a);
  der(b) = -10 * b + k2 * c * (1 - b);
  der(c) = -der(a) - der(b);
  annotation(experiment(StopTime = 1));
end DetestD6;
