model M
  Real x(start = 1);
equation
  der(x) = -x;
  annotation(experiment(StopTime = "ten", Tolerance = x, StartTime = abc));
end M;
