model RLC "RLC circuit as ten acausal equations (Treeaporn 2005, section 2.1)"
  parameter Real R1(unit = "Ohm") = 100 "Resistance in series";
  parameter Real R2(unit = "Ohm") = 20 "Resistance parallel to the capacitor";
  parameter Real L(unit = "H") = 0.0015 "Inductance";
  parameter Real C(unit = "F") = 1e-6 "Capacitance";
  Real u0(unit = "V") "Source voltage";
  Real i0(unit = "A") "Source current";
  Real u1(unit = "V") "Voltage of R1";
  Real i1(unit = "A") "Current through R1";
  Real u2(unit = "V") "Voltage of R2";
  Real i2(unit = "A") "Current through R2";
  Real uL(unit = "V") "Voltage of the inductor";
  Real iL(unit = "A", start = 0, fixed = true, nominal = 0.1) "Current through the inductor";
  Real uC(unit = "V", start = 0, fixed = true) "Voltage of the capacitor";
  Real iC(unit = "A") "Current into the capacitor";
equation
  u0 = 10 * sin(2 * 3.141592653589793 * 5000 * time);
  u1 = R1 * i1;
  u2 = R2 * i2;
  uL = L * der(iL);
  iC = C * der(uC);
  u0 = u1 + uC;
  uL = u1 + u2;
  uC = u2;
  i0 = i1 + iL;
  i1 = i2 + iC;
  annotation(experiment(StartTime = 0, StopTime = 1e-3, Tolerance = 1e-8));
end RLC;
