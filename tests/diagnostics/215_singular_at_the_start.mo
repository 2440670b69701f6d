// daedalus: simulate --method radau5
model Singular
  Real small(start = 1e-3, fixed = true);
  Real huge(start = 1e300, fixed = true);
equation
  der(small) = 1e9 * small * huge;
  der(huge) = der(small);
  annotation(experiment(StopTime = 0.01));
end Singular;
