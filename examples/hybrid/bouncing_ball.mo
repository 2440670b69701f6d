model BouncingBall "A ball that loses a share of its speed at each bounce"
  // With the first fall of T = sqrt(2 h0 / g), bounce k = 1, 2, ... is at
  //   t[k] = T + 2 T (e + e^2 + ... + e^(k - 1)).
  // For e < 1 the bounces accumulate at T (1 + e) / (1 - e); for e = 1 they go on for ever.
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real e = 0.8 "Share of the speed that is left behind a bounce";
  parameter Real h0(unit = "m") = 1 "Height from which it falls";
  Real h(unit = "m", start = h0, fixed = true) "Height";
  Real v(unit = "m/s", start = 0, fixed = true) "Speed upwards";
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e * pre(v));
  end when;
  annotation(experiment(StopTime = 3));
end BouncingBall;
