model DetestE1 "A controlled chain of integrators, all poles near -100 (stiff DETEST E1)"
  parameter Real p = 100 "Size of the poles";
  Real y1(start = 0, fixed = true);
  Real y2(start = 0, fixed = true);
  Real y3(start = 0, fixed = true);
  Real y4(start = 0, fixed = true);
equation
  der(y1) = y2;
  der(y2) = y3;
  der(y3) = y4;
  der(y4) = (y1^2 - sin(y1) - p^4) * y1 + (y2 * y3 / (y1^2 + 1) - 4 * p^3) * y2 + (1 - 6 * p^2) * y3
    + (10 * exp(-y4^2) - 4 * p) * y4 + 1;
  annotation(experiment(StopTime = 1));
end DetestE1;
