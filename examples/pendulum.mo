model Pendulum "Pendulum in the coordinate of its angle, released from the horizontal"
  parameter Real m(unit = "kg") = 1 "Mass";
  parameter Real l(unit = "m") = 1 "Length";
  parameter Real g(unit = "m/s2") = 9.81 "Gravity";
  Real phi(unit = "rad", start = 1.5707963267948966, fixed = true) "Angle from the rest position";
  Real w(unit = "rad/s", start = 0, fixed = true) "Angular velocity";
  Real x(unit = "m"), y(unit = "m") "Position of the mass";
  Real f(unit = "N") "Force in the rod";
  Real energy(unit = "J") "Kinetic and potential energy: constant";
equation
  w = der(phi);
  m * l * der(w) = -m * g * sin(phi);
  x = l * sin(phi);
  y = -l * cos(phi);
  f - m * g * cos(phi) = m * l * w^2;
  energy = m * (l * w)^2 / 2 + m * g * y;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end Pendulum;
