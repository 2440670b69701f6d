model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(experiment(StartTime = 2, StopTime = 1, Tolerance = 1000, Interval = -0.1));
end M;
