model LinearLoop "A resistive bridge: five currents and two node voltages in one loop"
  parameter Real R1 = 1, R2 = 2, R3 = 3, R4 = 4, R5 = 5;
  Real us, u, v, i1, i2, i3, i4, i5;
equation
  us = 10 * sin(time);
  us - u = R1 * i1;
  us - v = R2 * i2;
  u = R3 * i3;
  v = R4 * i4;
  u - v = R5 * i5;
  i1 = i3 + i5;
  i2 + i5 = i4;
end LinearLoop;
