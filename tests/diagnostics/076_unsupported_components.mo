model Resistor
  parameter Real R = 1;
  Real u;
  Real i;
equation
  u = R*i;
end Resistor;
model Circuit
  Resistor r(R = 2);
  Resistor s(R(start = 3));
  flow Real f;
  input Real u;
  inner Real w;
equation
  connect(r.p, s.n);
  r.u = u;
end Circuit;
