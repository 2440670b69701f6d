// daedalus: simulate
model M "the loop loses its rank for a = 1"
  parameter Real a = 1;
  Real x(start = 1, fixed = true);
  Real y;
  Real z;
equation
  der(x) = -x + y;
  y + z = x;
  y + a*z = 2;
end M;
