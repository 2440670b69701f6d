model TankWithOverflow "A leaking tank that is filled to its brim and beyond, then runs empty"
  // The level goes by h = inflow / leak (1 - exp(-leak t / area)) up to the brim, which it reaches
  // at -area / leak ln(1 - leak brim / inflow), stays there until the inflow ends, and falls by
  // h = brim exp(-leak (t - until) / area).
  parameter Real area(unit = "m2") = 1;
  parameter Real leak(unit = "m2/s") = 0.5 "Outflow for each metre of level";
  parameter Real brim(unit = "m") = 1;
  parameter Real supply(unit = "m3/s") = 1;
  parameter Real until(unit = "s") = 5 "Time at which the supply is turned off";
  Real h(unit = "m", start = 0, fixed = true) "Level";
  Real inflow(unit = "m3/s"), overflow(unit = "m3/s");
  Boolean overflows(start = false, fixed = true);
equation
  inflow = if time < until then supply else 0;
  overflow = if overflows then inflow - leak * h else 0;
  area * der(h) = inflow - leak * h - overflow;
  when h > brim then
    overflows = true;
  elsewhen inflow < leak * brim then
    overflows = false;
  end when;
  annotation(experiment(StopTime = 8));
end TankWithOverflow;
