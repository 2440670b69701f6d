model DetestD1 "A reactor whose damping fades with time (stiff DETEST D1)"
  parameter Real drift = 0.125 "Loss of damping per unit of time";
  Real y1(start = 0, fixed = true);
  Real y2(start = 0, fixed = true);
  Real y3(start = 0, fixed = true) "Time";
equation
  der(y1) = 0.2 * (y2 - y1);
  der(y2) = 10 * y1 - (60 - drift * y3) * y2 + drift * y3;
  der(y3) = 1;
  annotation(experiment(StopTime = 400));
end DetestD1;
