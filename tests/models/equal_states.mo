model Shaft "two flywheels on one rigid shaft"
  Real w1(start = 1);
  Real w2(start = 1);
  Real torque;
equation
  2*der(w1) = torque;
  3*der(w2) = -torque;
  w1 = w2;
end Shaft;
