model DetestD4 "Two species that a short-lived third one takes away (Gear 1969; stiff DETEST D4)"
  parameter Real k1 = 0.013 "Decay of A";
  parameter Real k2 = 1000 "Rate of A + C";
  parameter Real k3 = 2500 "Rate of B + C";
  Real a(start = 1, fixed = true);
  Real b(start = 1, fixed = true);
  Real c(start = 0, fixed = true) "Short-lived";
equation
  der(a) = -k1 * a - k2 * a * c;
  der(b) = -k3 * b * c;
  der(c) = der(a) + der(b);
  annotation(experiment(StopTime = 50));
end DetestD4;
