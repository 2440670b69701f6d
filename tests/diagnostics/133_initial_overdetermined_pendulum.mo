model Pendulum "two conditions too many: the constraint holds for positions and for velocities"
  Real x(start = 0.6, fixed = true);
  Real y(start = -0.8, fixed = true);
  Real vx(start = 0, fixed = true);
  Real vy(start = 0, fixed = true);
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
