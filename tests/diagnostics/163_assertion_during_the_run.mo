// daedalus: simulate --stop 5
model Grows
  Real x(start = 1, fixed = true);
equation
  der(x) = x;
  assert(x < 2, "x = " + String(x) + " is more than the tank holds");
end Grows;
