model DriveTrain "Rotors joined by elastic shafts with a massless gear between: five algebraic variables for each state"
  parameter Integer n(min = 1) = 10 "Number of rotors behind the motor's";
  parameter Real J(unit = "kg.m2") = 0.02 "Inertia of a rotor";
  parameter Real c[2](each unit = "N.m/rad") = {800, 1500} "Stiffness of the shaft before and behind a gear";
  parameter Real d(unit = "N.m.s/rad") = 0.4 "Damping between neighbours";
  parameter Real ratio[n] = {if mod(k, 2) == 1 then 1.2 else 1 / 1.2 for k in 1:n} "Of the gears: up and down in turns";
  parameter Real friction(unit = "N.m") = 0.5, w_friction(unit = "rad/s") = 0.5 "Bearing friction, and where it saturates";
  parameter Real torque(unit = "N.m") = 20 "Of the motor";
  Real phi[n + 1](each unit = "rad", each start = 0, each fixed = true);
  Real w[n + 1](each unit = "rad/s", each start = 0, each fixed = true);
  Real acceleration[n + 1](each unit = "rad/s2");
  Real tau_friction[n + 1](each unit = "N.m");
  Real phi_in[n](each unit = "rad"), phi_out[n](each unit = "rad") "Both sides of a gear";
  Real twist_in[n](each unit = "rad"), twist_out[n](each unit = "rad") "Of the shafts";
  Real tau_in[n](each unit = "N.m"), tau_out[n](each unit = "N.m") "Torques of the shafts";
  Real w_twist[n](each unit = "rad/s") "How fast neighbours turn against each other, behind the gear";
  Real tau_damping[n](each unit = "N.m") "As the rotor behind the gear feels it";
  Real tau_drive(unit = "N.m") = torque * (1 - exp(-50 * time)) - 0.05 * w[1] "Motor";
equation
  for k in 1:n + 1 loop
    der(phi[k]) = w[k];
    der(w[k]) = acceleration[k];
    tau_friction[k] = friction * tanh(w[k] / w_friction);
    J * acceleration[k] = (if k > 1 then tau_out[k - 1] + tau_damping[k - 1] else tau_drive)
      - (if k <= n then tau_in[k] + tau_damping[k] / ratio[k] else 0.02 * w[k]) - tau_friction[k];
  end for;
  for k in 1:n loop
    twist_in[k] = phi[k] - phi_in[k];
    twist_out[k] = phi_out[k] - phi[k + 1];
    tau_in[k] = c[1] * twist_in[k];
    tau_out[k] = c[2] * twist_out[k];
    phi_in[k] = ratio[k] * phi_out[k];
    tau_out[k] = ratio[k] * tau_in[k];
    w_twist[k] = w[k] / ratio[k] - w[k + 1];
    tau_damping[k] = d * w_twist[k];
  end for;
  annotation(experiment(StopTime = 1));
end DriveTrain;
