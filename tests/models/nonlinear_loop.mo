model NonlinearLoop "A diode behind a resistance, with a capacitor behind both"
  Real u(start = 0, fixed = true), drop, i, source;
equation
  source = 5 * sin(6 * time);
  source = 100 * i + drop + u;
  i = 1e-9 * (exp(drop / 0.04) - 1);
  der(u) = (i - u / 1000) / 1e-4;
end NonlinearLoop;
