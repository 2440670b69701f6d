model M
  Real x(start = 1);
  parameter Real x = 2;
  Real time;
equation
  der(x) = -x;
end M;
