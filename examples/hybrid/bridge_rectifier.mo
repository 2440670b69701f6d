model BridgeRectifier "Four ideal diodes and a resistance: a loop of Reals and Booleans"
  // Two of the diodes conduct at any time: u = |us|, and all four switch where us passes 0, at
  // (k - 1/2) / (2 f), k = 1, 2, ...
  parameter Real f(unit = "Hz") = 50;
  parameter Real U(unit = "V") = 10 "Amplitude of the source";
  parameter Real R(unit = "Ohm") = 100 "Load";
  parameter Real Rb(unit = "Ohm") = 1e6 "From each pole of the source to the load's lower end";
  Real s[4](start = {1, -1, -1, 1}) "Voltage of a diode while it is off, its current while it is on";
  Real v[4](each unit = "V"), i[4](each unit = "A");
  Boolean off[4];
  Real us(unit = "V") "Voltage of the source";
  Real is(unit = "A") "Current out of the source";
  Real a(unit = "V"), b(unit = "V") "Poles of the source";
  Real u(unit = "V") "Voltage of the load";
equation
  for k in 1:4 loop
    off[k] = s[k] < 0;
    v[k] = if off[k] then s[k] else 0;
    i[k] = if off[k] then 0 else s[k];
  end for;
  us = U * cos(2 * 3.141592653589793 * f * time);
  us = a - b;
  v[1] = a - u;
  v[2] = b - u;
  v[3] = -a;
  v[4] = -b;
  is + i[3] = i[1] + a / Rb;
  i[4] = is + i[2] + b / Rb;
  i[1] + i[2] = u / R;
  annotation(experiment(StopTime = 0.1));
end BridgeRectifier;
