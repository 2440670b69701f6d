model DetestB1 "A slow and a fast damped oscillator side by side (stiff DETEST B1)"
  parameter Real slow = 1 "Damping of the slow one; it turns ten times as fast";
  parameter Real fast = 100 "Damping and frequency of the fast one";
  Real x1(start = 1, fixed = true);
  Real v1(start = 0, fixed = true);
  Real x2(start = 1, fixed = true);
  Real v2(start = 0, fixed = true);
equation
  der(x1) = -slow * x1 + v1;
  der(v1) = -100 * x1 - slow * v1;
  der(x2) = -fast * x2 + v2;
  der(v2) = -fast^2 * x2 - fast * v2;
  annotation(experiment(StopTime = 20));
end DetestB1;
