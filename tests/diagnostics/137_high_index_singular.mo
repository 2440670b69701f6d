model Singular "index 3, balanced; F takes no part"
  Real x(start = 0.6), y(start = -0.8), vx, vy;
  Real F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -x;
  der(vy) = -y - 9.81;
  x^2 + y^2 = 1;
end Singular;
