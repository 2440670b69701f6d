model DetestE5 "Pyrolysis (stiff DETEST E5)"
  parameter Real A = 7.89e-10;
  parameter Real B = 1.1e7;
  parameter Real C = 1.13e3;
  parameter Real M = 1e6;
  Real y1(start = 1.76e-3, fixed = true);
  Real y2(start = 0, fixed = true);
  Real y3(start = 0, fixed = true);
  Real y4(start = 0, fixed = true);
equation
  der(y1) = -A * y1 - B * y1 * y3;
  der(y2) = A * y1 - M * C * y2 * y3;
  der(y3) = der(y2) - der(y4) "Keeps y2 = y3 + y4 to rounding, which matters: y3 is tiny";
  der(y4) = B * y1 * y3 - C * y4;
  annotation(experiment(StopTime = 1000));
end DetestE5;
