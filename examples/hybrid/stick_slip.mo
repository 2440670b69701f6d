model StickSlip "A block on a belt, held by a spring"
  // With w = sqrt(k / m) and A = (Fs - Fk) / k the block slips for (2 pi - 2 atan(A w / belt)) / w
  // and sticks for 2 A / belt; it begins to slip at x = Fs / k and to stick at x = Fk / k - A.
  parameter Real m(unit = "kg") = 1;
  parameter Real k(unit = "N/m") = 4;
  parameter Real belt(unit = "m/s") = 0.5 "Speed of the belt";
  parameter Real Fs(unit = "N") = 3 "Largest force of friction while it sticks";
  parameter Real Fk(unit = "N") = 2 "Force of friction while it slips";
  Real x(unit = "m", start = 0, fixed = true) "Stretch of the spring";
  Real v(unit = "m/s", start = belt, fixed = true);
  Boolean sticks(start = true, fixed = true);
equation
  der(x) = v;
  m * der(v) = if sticks then 0 else Fk - k * x;
  when k * x > Fs then
    sticks = false;
  elsewhen v > belt then
    sticks = true;
    reinit(v, belt);
  end when;
  annotation(experiment(StopTime = 15));
end StickSlip;
