model DetestC1 "The fast components drive the slow ones (stiff DETEST C1)"
  Real y1(start = 1, fixed = true);
  Real y2(start = 1, fixed = true);
  Real y3(start = 1, fixed = true);
  Real y4(start = 1, fixed = true);
equation
  der(y1) = -y1 + y2^2 + y3^2 + y4^2;
  der(y2) = -10 * y2 + 10 * (y3^2 + y4^2);
  der(y3) = -40 * y3 + 40 * y4^2;
  der(y4) = -100 * y4 + 2;
  annotation(experiment(StopTime = 20));
end DetestC1;
