model E5Long "Pyrolysis over 1e13 s, until nothing is left of it (Hairer and Wanner II, IV.10)"
  parameter Real A = 7.89e-10;
  parameter Real B = 1.1e7;
  parameter Real C = 1.13e3;
  parameter Real M = 1e6;
  Real y1(start = 1.76e-3, fixed = true, nominal = 1e-20);
  Real y2(start = 0, fixed = true, nominal = 1e-20);
  Real y3(start = 0, fixed = true, nominal = 1e-20);
  Real y4(start = 0, fixed = true, nominal = 1e-20);
equation
  der(y1) = -A * y1 - B * y1 * y3;
  der(y2) = A * y1 - M * C * y2 * y3;
  der(y3) = der(y2) - der(y4) "Keeps y2 = y3 + y4 to rounding, which matters: y3 is tiny";
  der(y4) = B * y1 * y3 - C * y4;
  annotation(experiment(StopTime = 1e13));
end E5Long;
