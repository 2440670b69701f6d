model FixedOutput "The start is given for outputs; the states follow from them"
  Real x, v, energy(start = 2, fixed = true), angle(start = 0.5, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  energy = x + 3 * v;
  2 * angle = x - v;
end FixedOutput;
