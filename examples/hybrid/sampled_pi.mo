model SampledPi "A sampled controller of a first-order plant"
  // Between two samples x = u + (x - u) exp(-t): with q = exp(-period) the values at the samples
  // follow x[k + 1] = u[k] + (x[k] - u[k]) q exactly.
  parameter Real period(unit = "s") = 0.1;
  parameter Real setpoint = 1;
  parameter Real gain = 2, weight = 0.3 "Of the sum of errors";
  Real x(start = 0, fixed = true) "Output of the plant";
  discrete Real z(start = 0, fixed = true) "Weighted sum of errors";
  discrete Real u(start = 0, fixed = true) "Output of the controller";
equation
  der(x) = u - x;
  when sample(period, period) then
    z = pre(z) + weight * (setpoint - x);
    u = gain * (setpoint - x) + z;
  end when;
  annotation(experiment(StopTime = 10));
end SampledPi;
