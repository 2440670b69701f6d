model M
  Real x(start = 1);
  Real y;
  Real z;
equation
  der(x) = -x + z;
  y = 2*time;
  y = 3;
end M;
