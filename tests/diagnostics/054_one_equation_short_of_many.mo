model Circuit
  parameter Real R = 10;
  parameter Real C = 0.1;
  Real u(start = 1);
  Real i;
  Real v;
  Real w;
equation
  C*der(u) = i;
  v = R*i + w;
end Circuit;
