model Shaft "two flywheels that two rigid shafts hold together"
  Real w1(start = 1);
  Real w2(start = 1);
  Real left;
  Real right;
equation
  2*der(w1) = left + right;
  3*der(w2) = left - right;
  w1 = w2;
  2*w1 = 2*w2;
end Shaft;
