model DetestD3 "A + B <-> C and B + B <-> D (stiff DETEST D3)"
  parameter Real k1 = 100 "Rate of A + B -> C";
  parameter Real k2 = 1e4 "Rate of B + B -> D";
  Real a(start = 1, fixed = true);
  Real b(start = 1, fixed = true);
  Real c(start = 0, fixed = true);
  Real d(start = 0, fixed = true);
  Real r1 "Net rate of A + B -> C";
  Real r2 "Net rate of B + B -> D";
equation
  r1 = k1 * a * b - c;
  r2 = k2 * b^2 - d;
  der(a) = -r1;
  der(b) = -r1 - 2 * r2;
  der(c) = r1;
  der(d) = r2;
  annotation(experiment(StopTime = 20));
end DetestD3;
