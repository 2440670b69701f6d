model M
  real x(start = 1);
  Modelica.Units.SI.Voltage u;
  Resistor r;
  String name = "a";
equation
  der(x) = -x;
  u = x;
end M;
