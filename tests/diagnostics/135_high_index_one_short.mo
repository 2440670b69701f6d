model Short "index 3, one equation too few"
  Real x(start = 0.6), y(start = -0.8), vx, vy;
  Real F, G;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
end Short;
