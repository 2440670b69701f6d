model Squeezer "Andrews' squeezing mechanism: seven rigid bodies in three loops, index 3"
  // E. Hairer, G. Wanner: Solving Ordinary Differential Equations II (1996), section VII.7; problem
  // `andrews` of the Test Set for Initial Value Problem Solvers.
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706;
  parameter Real m7 = 0.05498 "masses";
  parameter Real I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5;
  parameter Real I6 = 5.667e-7, I7 = 1.912e-5 "moments of inertia";
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273 "where it is held";
  parameter Real xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785 "the spring";
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, fa = 0.01421;
  parameter Real ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
  parameter Real ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04;
  parameter Real mom = 0.033 "torque of the motor";
  Real beta(start = -0.0617138900142764), theta(start = 0, fixed = true), gamma(start = 0.455279819163070);
  Real phi(start = 0.222668390165886), delta(start = 0.487364979543843), omega(start = -0.222668390165886);
  Real epsilon(start = 1.23054744454982);
  Real betaV, thetaV(start = 0, fixed = true), gammaV, phiV, deltaV, omegaV, epsilonV "velocities";
  Real betaA, thetaA, gammaA, phiA, deltaA, omegaA, epsilonA "accelerations";
  Real lambda1, lambda2, lambda3, lambda4, lambda5, lambda6 "forces of the constraints";
  Real xd, yd, length(start = 0.07), force, fx, fy "of the spring";
  Real gx, gy "what the common ends of the loops move by, for each radian of beta";
equation
  der(beta) = betaV;
  der(theta) = thetaV;
  der(gamma) = gammaV;
  der(phi) = phiV;
  der(delta) = deltaV;
  der(omega) = omegaV;
  der(epsilon) = epsilonV;
  der(betaV) = betaA;
  der(thetaV) = thetaA;
  der(gammaV) = gammaA;
  der(phiV) = phiA;
  der(deltaV) = deltaA;
  der(omegaV) = omegaA;
  der(epsilonV) = epsilonA;

  xd = sd*cos(gamma) + sc*sin(gamma) + xb;
  yd = sd*sin(gamma) - sc*cos(gamma) + yb;
  length = sqrt((xd - xc)^2 + (yd - yc)^2);
  force = -c0*(length - l0)/length;
  fx = force*(xd - xc);
  fy = force*(yd - yc);

  gx = -rr*sin(beta) + d*sin(beta + theta);
  gy = rr*cos(beta) - d*cos(beta + theta);
  (m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(theta) + da^2) + I1 + I2)*betaA
    + (m2*(da^2 - da*rr*cos(theta)) + I2)*thetaA
    = mom - m2*da*rr*thetaV*(thetaV + 2*betaV)*sin(theta)
      - gx*(lambda1 + lambda3 + lambda5) - gy*(lambda2 + lambda4 + lambda6);
  (m2*(da^2 - da*rr*cos(theta)) + I2)*betaA + (m2*da^2 + I2)*thetaA
    = m2*da*rr*betaV^2*sin(theta)
      - d*sin(beta + theta)*(lambda1 + lambda3 + lambda5)
      + d*cos(beta + theta)*(lambda2 + lambda4 + lambda6);
  (m3*(sa^2 + sb^2) + I3)*gammaA
    = fx*(sc*cos(gamma) - sd*sin(gamma)) + fy*(sd*cos(gamma) + sc*sin(gamma))
      + ss*cos(gamma)*lambda1 + ss*sin(gamma)*lambda2;
  (m4*(e - ea)^2 + I4)*phiA + (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + I4)*deltaA
    = m4*zt*(e - ea)*deltaV^2*cos(phi) + e*cos(phi + delta)*lambda3 + e*sin(phi + delta)*lambda4;
  (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + I4)*phiA
    + (m4*(zt^2 + 2*zt*(e - ea)*sin(phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5)*deltaA
    = -m4*zt*(e - ea)*phiV*(phiV + 2*deltaV)*cos(phi)
      + (e*cos(phi + delta) - zt*sin(delta))*lambda3 + (e*sin(phi + delta) + zt*cos(delta))*lambda4;
  (m6*(zf - fa)^2 + I6)*omegaA + (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + I6)*epsilonA
    = -m6*u*(zf - fa)*epsilonV^2*cos(omega)
      - zf*sin(omega + epsilon)*lambda5 + zf*cos(omega + epsilon)*lambda6;
  (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + I6)*omegaA
    + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7)*epsilonA
    = m6*u*(zf - fa)*omegaV*(omegaV + 2*epsilonV)*cos(omega)
      - (zf*sin(omega + epsilon) - u*cos(epsilon))*lambda5
      + (zf*cos(omega + epsilon) + u*sin(epsilon))*lambda6;

  rr*cos(beta) - d*cos(beta + theta) - ss*sin(gamma) = xb;
  rr*sin(beta) - d*sin(beta + theta) + ss*cos(gamma) = yb;
  rr*cos(beta) - d*cos(beta + theta) - e*sin(phi + delta) - zt*cos(delta) = xa;
  rr*sin(beta) - d*sin(beta + theta) + e*cos(phi + delta) - zt*sin(delta) = ya;
  rr*cos(beta) - d*cos(beta + theta) - zf*cos(omega + epsilon) - u*sin(epsilon) = xa;
  rr*sin(beta) - d*sin(beta + theta) - zf*sin(omega + epsilon) + u*cos(epsilon) = ya;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-9));
end Squeezer;
