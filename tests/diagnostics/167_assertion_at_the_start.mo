// daedalus: simulate --stop 1
model Start
  Real x(start = 3, fixed = true);
equation
  der(x) = -x;
  assert(x < 2, "begins too high");
end Start;
