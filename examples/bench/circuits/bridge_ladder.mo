model BridgeLadder "RC ladder whose sections are bridges of five resistors: eight algebraic variables for each state"
  parameter Integer n(min = 1) = 10 "Number of sections";
  parameter Real R[5](each unit = "Ohm") = {100, 220, 330, 150, 470} "Arms of a bridge; the third one joins its inner nodes";
  parameter Real R_load(unit = "Ohm") = 1000;
  parameter Real C_first(unit = "F") = 1e-6, C_last(unit = "F") = 1e-9;
  parameter Real C[n](each unit = "F") = {C_first * (C_last / C_first)^((k - 1) / max(n - 1, 1)) for k in 1:n};
  parameter Real amplitude(unit = "V") = 10, frequency(unit = "Hz") = 100;
  constant Real pi = 3.141592653589793;
  Real u(unit = "V") = amplitude * sin(2 * pi * frequency * time) "Source";
  Real v[n](each unit = "V", each start = 0, each fixed = true) "Capacitors, one at the end of each section";
  Real a[n](each unit = "V"), b[n](each unit = "V") "Inner nodes of the bridges";
  Real i[n, 5](each unit = "A") "Currents of the resistors";
  Real i_C[n](each unit = "A") "Currents of the capacitors";
equation
  for k in 1:n loop
    R[1] * i[k, 1] = (if k > 1 then v[k - 1] else u) - a[k];
    R[2] * i[k, 2] = (if k > 1 then v[k - 1] else u) - b[k];
    R[3] * i[k, 3] = a[k] - b[k];
    R[4] * i[k, 4] = a[k] - v[k];
    R[5] * i[k, 5] = b[k] - v[k];
    i[k, 1] = i[k, 3] + i[k, 4];
    i[k, 2] + i[k, 3] = i[k, 5];
    i[k, 4] + i[k, 5] = i_C[k] + (if k < n then i[k + 1, 1] + i[k + 1, 2] else v[k] / R_load);
    C[k] * der(v[k]) = i_C[k];
  end for;
  annotation(experiment(StopTime = 0.02));
end BridgeLadder;
