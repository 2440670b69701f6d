model M "a capacitor across an ideal source"
  parameter Real C = 1e-6;
  Real u;
  Real i;
equation
  C*der(u) = i;
  u = sin(time);
end M;
