model CarAxis "A car's axis on a bumpy road: an index-3 problem of the Test Set for IVP Solvers"
  // F. Mazzia, C. Magherini: Test Set for Initial Value Problem Solvers, release 2.4 (2008), problem
  // `caraxis`. Two wheels on massless springs; the left one rolls on a flat road, the right one over
  // bumps of height r. The axis (xl, yl) to (xr, yr) has length L; a first rod keeps the left spring
  // upright to the body.
  parameter Real L = 1 "length of the axis", L0 = 0.5 "length of the springs";
  parameter Real r = 0.1 "height of the bumps", w = 10 "how often they come";
  parameter Real eps = 0.01, M = 10 "mass of the body", g = 1 "gravity";
  parameter Real k = M*eps^2/2;
  Real xl(start = 0), yl(start = 0.5, fixed = true), xr(start = 1), yr(start = 0.5, fixed = true);
  Real ul(start = -0.5), vl(start = 0, fixed = true), ur(start = -0.5), vr(start = 0, fixed = true);
  Real lambda1, lambda2 "forces of the constraints";
  Real xb(start = 1), yb "where the right wheel touches the road";
  Real left(start = 0.5), right(start = 0.5) "lengths of the springs";
equation
  yb = r*sin(w*time);
  xb = sqrt(L^2 - yb^2);
  left = sqrt(xl^2 + yl^2);
  right = sqrt((xr - xb)^2 + (yr - yb)^2);
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  k*der(ul) = (L0 - left)*xl/left + lambda1*xb + 2*lambda2*(xl - xr);
  k*der(vl) = (L0 - left)*yl/left + lambda1*yb + 2*lambda2*(yl - yr) - k*g;
  k*der(ur) = (L0 - right)*(xr - xb)/right - 2*lambda2*(xl - xr);
  k*der(vr) = (L0 - right)*(yr - yb)/right - 2*lambda2*(yl - yr) - k*g;
  xl*xb + yl*yb = 0;
  (xl - xr)^2 + (yl - yr)^2 = L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end CarAxis;
