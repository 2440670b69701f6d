model Robertson "Robertson's three reactions until 1e11 s"
  parameter Real k1(unit = "1/s") = 0.04 "Rate of A -> B";
  parameter Real k2(unit = "1/s") = 3e7 "Rate of B + B -> C + B";
  parameter Real k3(unit = "1/s") = 1e4 "Rate of B + C -> A + C";
  Real a(start = 1, fixed = true) "Share of A";
  Real b(start = 0, fixed = true) "Share of B";
  Real c(start = 0, fixed = true) "Share of C";
  Real r1, r2, r3;
equation
  r1 = k1 * a;
  r2 = k2 * b^2;
  r3 = k3 * b * c;
  der(a) = r3 - r1;
  der(b) = r1 - r2 - r3;
  der(c) = r2;
  annotation(experiment(StopTime = 1e11));
end Robertson;
