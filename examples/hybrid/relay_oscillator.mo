model RelayOscillator "A mass that a relay pushes back to the middle"
  // From rest at x0 the mass moves along parabolas: it passes the middle at
  //   t[k] = (2 k - 1) sqrt(2 x0 / a), k = 1, 2, ...,
  // each time with the speed sqrt(2 a x0).
  parameter Real a(unit = "m/s2") = 1 "Acceleration by the relay";
  parameter Real x0(unit = "m") = 1;
  Real x(unit = "m", start = x0, fixed = true);
  Real v(unit = "m/s", start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = if x > 0 then -a else a;
  annotation(experiment(StopTime = 20));
end RelayOscillator;
