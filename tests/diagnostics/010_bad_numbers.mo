model M
  parameter Real a = 1e999;
  parameter Real b = 1.2.3;
  parameter Real c = 1e;
  parameter Integer d = 12345678901234567890123456;
  parameter Real e = 0x1F;
  parameter Real f = 10s;
  parameter Real g = 1,5;
  Real x(start = 1);
equation
  der(x) = -a*x;
end M;
