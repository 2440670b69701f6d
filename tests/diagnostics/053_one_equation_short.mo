model Circuit
  parameter Real R = 10;
  parameter Real C = 0.1;
  Real u(start = 1);
  Real i;
equation
  C*der(u) = i;
end Circuit;
