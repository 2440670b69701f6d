model Clutch "Two inertias that lock at equal speeds and slip again under a growing torque"
  // The torque is rate * t. While it slips, slip = w0 - Tk (1 / J1 + 1 / J2) t + rate t^2 / (2 J1):
  // the smaller root of this is where it locks. Locked, J2 / (J1 + J2) rate t is transmitted, which
  // exceeds Ts at t = Ts (J1 + J2) / (J2 rate).
  parameter Real J1(unit = "kg.m2") = 1, J2(unit = "kg.m2") = 2;
  parameter Real Tk(unit = "N.m") = 5 "Torque of friction while it slips";
  parameter Real Ts(unit = "N.m") = 6 "Largest torque of friction while it is locked";
  parameter Real rate(unit = "N.m/s") = 2;
  parameter Real w0(unit = "rad/s") = 10 "Speed of the first inertia at the start";
  Real w1(unit = "rad/s", start = w0, fixed = true) "Speed of the driving inertia";
  Real slip(unit = "rad/s", start = w0, fixed = true) "By which the other one is slower";
  Real w2(unit = "rad/s");
  Real torque(unit = "N.m"), transmitted(unit = "N.m");
  Real needed(unit = "N.m") "To be transmitted for equal speeds";
  Boolean locked(start = false, fixed = true);
equation
  torque = rate * time;
  needed = J2 / (J1 + J2) * torque;
  transmitted = if locked then needed else Tk;
  J1 * der(w1) = torque - transmitted;
  der(slip) = if locked then 0 else (torque - transmitted) / J1 - transmitted / J2;
  w2 = w1 - slip;
  when slip < 0 then
    locked = true;
    reinit(slip, 0);
  elsewhen needed > Ts then
    locked = false;
  end when;
  annotation(experiment(StopTime = 6));
end Clutch;
