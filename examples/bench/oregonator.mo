model Oregonator "The Belousov-Zhabotinsky reaction over one period (Field and Noyes 1974)"
  parameter Real s = 77.27;
  parameter Real q = 8.375e-6;
  parameter Real w = 0.161;
  Real x(start = 1, fixed = true) "HBrO2";
  Real y(start = 2, fixed = true) "Br-";
  Real z(start = 3, fixed = true) "Ce(IV)";
equation
  der(x) = s * (y + x * (1 - q * x - y));
  der(y) = (z - (1 + x) * y) / s;
  der(z) = w * (x - z);
  annotation(experiment(StopTime = 360));
end Oregonator;
