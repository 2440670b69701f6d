package P
  model Inner
    Real x;
  equation
    x = 1;
  end Inner;
end P;
function f
  input Real u;
  output Real y;
algorithm
  y := u;
end f;
connector Pin
  Real v;
  flow Real i;
end Pin;
partial model TwoPin
  Real u;
end TwoPin;
type Voltage = Real(unit = "V");
model Short = TwoPin;
block B
  output Real y = 1;
end B;
