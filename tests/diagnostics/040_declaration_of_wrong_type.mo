model M
  parameter Integer n = 2.5;
  parameter Boolean b = 1;
  parameter Real r = "text";
  Real x(start = true, fixed = 1, unit = 3);
  Real t = 2 < 3;
equation
  der(x) = -x;
end M;
