model NewtonsCradle "Equal balls on strings: those that hit and those that fly off are as many"
  // Small swings are those of oscillators. All balls meet at the lowest point, at
  //   t[k] = (k - 1/2) pi / w, k = 1, 2, ..., with w = sqrt(g / length),
  // and there the `swinging` balls of one side stop and as many on the other side start with their
  // speed. Each pair swaps its speeds; the hits of one instant follow from each other.
  parameter Integer n = 4 "Balls";
  parameter Integer swinging = 2 "That are lifted at first";
  parameter Real g(unit = "m/s2") = 9.81, length(unit = "m") = 1 "Of the strings";
  parameter Real lift(unit = "m") = -0.1;
  parameter Real touch(unit = "m") = 1e-11 "A distance that is none";
  parameter Real slow(unit = "m/s") = 1e-8 "A difference of speeds that is none";
  Real x[n](start = {if i <= swinging then lift else 0 for i in 1:n}, each fixed = true)
    "Deflection, from each ball's own place";
  Real v[n](each start = 0, each fixed = true);
  Boolean hits[n + 1] "Whether a ball hits the one behind it; none at the ends";
equation
  for i in 1:n loop
    der(x[i]) = v[i];
    der(v[i]) = -g / length * x[i];
  end for;
  hits[1] = false;
  hits[n + 1] = false;
  for i in 1:n - 1 loop
    hits[i + 1] = x[i] + touch > x[i + 1] and v[i] > v[i + 1] + slow;
  end for;
  for i in 1:n loop
    when {hits[i], hits[i + 1]} then
      reinit(v[i], if hits[i] then pre(v[max(i - 1, 1)]) else pre(v[min(i + 1, n)]));
    end when;
  end for;
  annotation(experiment(StopTime = 5));
end NewtonsCradle;
