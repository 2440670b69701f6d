// daedalus: simulate
model Axis "at the start, y cannot be found from x"
  Real x(start = 0, fixed = true);
  Real y(start = 0.5);
  Real v;
equation
  der(x) = v;
  x*cos(time) + y*sin(time) = 0;
  der(y) = -v;
end Axis;
