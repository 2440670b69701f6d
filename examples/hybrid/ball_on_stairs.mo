model BallOnStairs "A ball that jumps down a flight of stairs"
  // Between two events the flight is a parabola: from the height y with the speed v the ball falls
  // on the step at `ground` after (v + sqrt(v^2 + 2 g (y - ground))) / g. It passes the edge of
  // step n = 1, 2, ... at n width / speed.
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real e = 0.9 "Share of the speed that is left behind a bounce";
  parameter Real speed(unit = "m/s") = 0.7 "Forwards";
  parameter Real width(unit = "m") = 1, height(unit = "m") = 0.3 "Of a step";
  Real x(unit = "m", start = 0, fixed = true), y(unit = "m", start = 1, fixed = true);
  Real v(unit = "m/s", start = 0, fixed = true) "Speed upwards";
  Integer step(start = 0, fixed = true) "Below the ball";
  Real ground(unit = "m") "Height of that step";
equation
  der(x) = speed;
  der(y) = v;
  der(v) = -g;
  ground = -height * step;
  when x > width * (pre(step) + 1) then
    step = pre(step) + 1;
  end when;
  when y < ground then
    reinit(v, -e * pre(v));
  end when;
  annotation(experiment(StopTime = 5));
end BallOnStairs;
