model DetestC2 "The slow components drive the fast ones, with a coupling of 0.1 (stiff DETEST C2)"
  parameter Real beta = 0.1 "Coupling";
  Real y1(start = 1, fixed = true);
  Real y2(start = 1, fixed = true);
  Real y3(start = 1, fixed = true);
  Real y4(start = 1, fixed = true);
equation
  der(y1) = -y1 + 2;
  der(y2) = -10 * y2 + beta * y1^2;
  der(y3) = -40 * y3 + 4 * beta * (y1^2 + y2^2);
  der(y4) = -100 * y4 + 10 * beta * (y1^2 + y2^2 + y3^2);
  annotation(experiment(StopTime = 20));
end DetestC2;
