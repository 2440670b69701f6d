model DetestE3 "A slow integral stiffens a fast component (stiff DETEST E3)"
  Real y1(start = 1, fixed = true);
  Real y2(start = 1, fixed = true);
  Real y3(start = 0, fixed = true);
equation
  der(y1) = -(55 + y3) * y1 + 65 * y2;
  der(y2) = 0.0785 * (y1 - y2);
  der(y3) = 0.1 * y1;
  annotation(experiment(StopTime = 500));
end DetestE3;
