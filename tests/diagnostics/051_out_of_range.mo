model M
  parameter Real mass(min = 0) = -1;
  parameter Real share(min = 0, max = 1) = 1.5;
  Real x(start = 1);
equation
  der(x) = -mass*share*x;
end M;
