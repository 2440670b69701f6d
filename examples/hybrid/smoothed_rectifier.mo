model SmoothedRectifier "Two ideal diodes behind a centre tap charge a capacitor"
  // While |us| > u one diode conducts and C der(u) = (|us| - u) / Rs - u / R; otherwise none does
  // and C der(u) = -u / R. Both are linear: u is a sum of an exponential, a sine and a cosine from
  // one event to the next.
  parameter Real f(unit = "Hz") = 50;
  parameter Real U(unit = "V") = 10 "Amplitude of each half of the source";
  parameter Real Rs(unit = "Ohm") = 1 "Of each half of the source";
  parameter Real R(unit = "Ohm") = 100 "Load";
  parameter Real C(unit = "F") = 1e-3;
  Real s[2] "Voltage of a diode while it is off, its current while it is on";
  Real v[2](each unit = "V"), i[2](each unit = "A");
  Boolean off[2];
  Real us(unit = "V") "Voltage of the source";
  Real u(unit = "V", start = 5, fixed = true) "Voltage of the load";
equation
  for k in 1:2 loop
    off[k] = s[k] < 0;
    v[k] = if off[k] then s[k] else 0;
    i[k] = if off[k] then 0 else s[k];
  end for;
  us = U * sin(2 * 3.141592653589793 * f * time);
  us = Rs * i[1] + v[1] + u;
  -us = Rs * i[2] + v[2] + u;
  C * der(u) = i[1] + i[2] - u / R;
  annotation(experiment(StopTime = 0.1));
end SmoothedRectifier;
