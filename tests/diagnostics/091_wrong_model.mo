// daedalus: check --model Tonk
model Tank
  Real x(start = 1);
equation
  der(x) = -x;
end Tank;
model Pump
  Real x(start = 1);
equation
  der(x) = -x;
end Pump;
