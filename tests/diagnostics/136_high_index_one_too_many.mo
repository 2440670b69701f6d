model Long "index 3, one too many"
  Real x(start = 0.6), y(start = -0.8), vx, vy;
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
  x + y = 1;
end Long;
