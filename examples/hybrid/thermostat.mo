model Thermostat "Heats a room between two temperatures"
  // Towards the temperature R the room goes by T = R + (T0 - R) exp(-t / tau). From `low` to `high`
  // it takes tau ln((hot - low) / (hot - high)), back tau ln((high - cold) / (low - cold)).
  parameter Real tau(unit = "s") = 600;
  parameter Real cold(unit = "degC") = 5 "Outside";
  parameter Real hot(unit = "degC") = 35 "Where the heating leads to";
  parameter Real low(unit = "degC") = 19, high(unit = "degC") = 21;
  Real T(unit = "degC", start = low, fixed = true);
  Boolean heats(start = true, fixed = true);
equation
  heats = if pre(heats) then T <= high else T < low;
  tau * der(T) = (if heats then hot else cold) - T;
  annotation(experiment(StopTime = 1000));
end Thermostat;
