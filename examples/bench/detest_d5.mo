model DetestD5 "Reactor kinetics (Bjurel; stiff DETEST D5)"
  parameter Real q = 0.01 "Source";
  Real y1(start = 0, fixed = true);
  Real y2(start = 0, fixed = true);
  Real s = q + y1 + y2;
equation
  der(y1) = q - (1 + (y1 + 1000) * (y1 + 1)) * s;
  der(y2) = q - (1 + y2^2) * s;
  annotation(experiment(StopTime = 100));
end DetestD5;
