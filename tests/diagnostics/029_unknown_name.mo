model Circuit
  parameter Real resistance = 10;
  Real current(start = 1);
equation
  der(current) = -resistence*current + sourceVoltage;
end Circuit;
