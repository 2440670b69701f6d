model Robertson "Three reactions with rates of 0.04, 1e4 and 3e7 (Robertson 1966)"
  parameter Real k1(unit = "1/s") = 0.04 "Rate of A -> B";
  parameter Real k2(unit = "1/s") = 3e7 "Rate of B + B -> C + B";
  parameter Real k3(unit = "1/s") = 1e4 "Rate of B + C -> A + C";
  Real a(start = 1, fixed = true) "Share of A";
  Real b(start = 0, fixed = true, nominal = 1e-5) "Share of B";
  Real c(start = 0, fixed = true) "Share of C";
  Real r1, r2, r3;
equation
  r1 = k1 * a;
  r2 = k2 * b^2;
  r3 = k3 * b * c;
  der(a) = r3 - r1;
  der(b) = r1 - r2 - r3;
  der(c) = r2;
  annotation(experiment(StopTime = 40, Tolerance = 1e-8));
end Robertson;
