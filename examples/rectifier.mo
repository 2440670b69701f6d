model Rectifier "Diode behind a resistance: a nonlinear algebraic loop at every time"
  parameter Real R(unit = "Ohm") = 10 "Resistance of the source";
  parameter Real RL(unit = "Ohm") = 1000 "Load";
  parameter Real C(unit = "F") = 1e-4 "Smoothing capacitor";
  parameter Real Is(unit = "A") = 1e-9 "Saturation current of the diode";
  parameter Real Vt(unit = "V") = 0.04 "Thermal voltage of the diode";
  Real us(unit = "V") "Source voltage";
  Real ur(unit = "V") "Voltage of the resistance";
  Real ud(unit = "V") "Voltage of the diode";
  Real id(unit = "A") "Current through the diode";
  Real ic(unit = "A"), il(unit = "A") "Currents into the capacitor and the load";
  Real uc(unit = "V", start = 0, fixed = true) "Output voltage";
equation
  us = 10 * sin(2 * 3.141592653589793 * 50 * time);
  us = ur + ud + uc;
  ur = R * id;
  id = Is * (exp(ud / Vt) - 1);
  id = ic + il;
  ic = C * der(uc);
  uc = RL * il;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-8));
end Rectifier;
