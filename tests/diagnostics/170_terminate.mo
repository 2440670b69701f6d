// daedalus: simulate --stop 5
model Ends
  Real x(start = 1, fixed = true);
equation
  der(x) = 1;
  assert(noEvent(x > 1.5) or x < 1.2, "late", AssertionLevel.warning);
  when x > 2 then
    terminate("x = " + String(x) + ": the tank is full");
  end when;
end Ends;
