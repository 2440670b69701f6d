model M
  Real x(start = 1);
equation
  der(x) = -x;
  annotation(experiment(StopTime = 10);
end M;
