// daedalus: simulate
model M "y^2 = -1 has no solution"
  Real x(start = 1, fixed = true);
  Real y(start = 1);
equation
  der(x) = -x;
  y^2 + 1 = 0;
end M;
