model M
  parameter Real a = 3;
  Real x(start = 1);
equation
  der(x) = -x;
  3 = 4;
  a = 3;
  a = time;
  time = 3;
end M;
