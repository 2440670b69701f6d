model DiodeClippers "Chain of low-pass sections, each clipped by two diodes: six algebraic variables for each state, in nonlinear loops"
  parameter Integer n(min = 1) = 10 "Number of sections";
  parameter Real R(unit = "Ohm") = 1000 "Series resistor of a section";
  parameter Real C(unit = "F") = 1e-8;
  parameter Real R_D(unit = "Ohm") = 10 "Resistance of a diode's leads";
  parameter Real I_S(unit = "A") = 1e-9 "Saturation current";
  parameter Real U_T(unit = "V") = 0.0259 "Thermal voltage";
  parameter Real amplitude(unit = "V") = 10, frequency(unit = "Hz") = 1000;
  constant Real pi = 3.141592653589793;
  Real u(unit = "V") = amplitude * sin(2 * pi * frequency * time) "Source";
  Real v[n](each unit = "V", each start = 0, each fixed = true) "Capacitors";
  Real i_R[n](each unit = "A") "Currents of the series resistors";
  Real i_C[n](each unit = "A") "Currents of the capacitors";
  Real u_up[n](each unit = "V"), i_up[n](each unit = "A") "Diodes that conduct when v is above 0";
  Real u_down[n](each unit = "V"), i_down[n](each unit = "A") "Diodes that conduct when v is below 0";
equation
  for k in 1:n loop
    R * i_R[k] = (if k > 1 then v[k - 1] else u) - v[k];
    i_up[k] = I_S * (exp(u_up[k] / U_T) - 1);
    u_up[k] + R_D * i_up[k] = v[k];
    i_down[k] = I_S * (exp(u_down[k] / U_T) - 1);
    u_down[k] + R_D * i_down[k] = -v[k];
    i_R[k] = i_C[k] + i_up[k] - i_down[k] + (if k < n then i_R[k + 1] else 0);
    C * der(v[k]) = i_C[k];
  end for;
  annotation(experiment(StopTime = 0.002));
end DiodeClippers;
