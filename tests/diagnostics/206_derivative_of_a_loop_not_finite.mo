// daedalus: simulate
model M
  Real x(start = 1, fixed = true), y(start = 0), z(start = 0);
equation
  der(x) = -x;
  sqrt(y) + z = 0.5*x;
  sqrt(y) - z = 0.5*x + z*y;
end M;
