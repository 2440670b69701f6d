model M
  parameter Real a = 2*b;
  parameter Real b = c + 1;
  parameter Real c = a/3;
  parameter Real d = d;
  Real x(start = 1);
equation
  der(x) = -a*x;
end M;
