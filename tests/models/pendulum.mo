model Pendulum "in Cartesian coordinates"
  parameter Real L = 1;
  parameter Real g = 9.81;
  Real x(start = 1, fixed = true);
  Real y;
  Real vx;
  Real vy(start = 0, fixed = true);
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - g;
  x^2 + y^2 = L^2;
end Pendulum;
