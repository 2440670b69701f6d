model UnsafePivots "Coefficients that may vanish are not divided by"
  parameter Real zero = 0, two = 2;
  Real x, y, z;
equation
  (1 + time) * x + two * y = 3;
  zero * x + y * (5 + time) + x = 4;
  (if time > 0.5 then 1 else 2) * z = x;
end UnsafePivots;
