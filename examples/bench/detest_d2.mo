model DetestD2 "Robertson's kinetics in other units (stiff DETEST D2)"
  parameter Real k1 = 0.04 "Rate of A -> B";
  parameter Real k2 = 30 "Rate of B + B -> C + B";
  parameter Real k3 = 0.01 "Rate of B + C -> A + C";
  parameter Real unit_of_b = 1e4 "One of A in units of B";
  parameter Real unit_of_c = 100 "One of A in units of C";
  Real a(start = 1, fixed = true);
  Real b(start = 0, fixed = true);
  Real c(start = 0, fixed = true);
  Real r1, r2, r3;
equation
  r1 = k1 * a;
  r2 = k2 * b^2;
  r3 = k3 * b * c;
  der(a) = r3 - r1;
  der(b) = unit_of_b * (r1 - r3) - unit_of_c * r2;
  der(c) = r2;
  annotation(experiment(StopTime = 40));
end DetestD2;
