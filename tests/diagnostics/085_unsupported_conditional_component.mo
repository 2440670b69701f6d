model M
  parameter Boolean on = true;
  Real x(start = 1) if on;
equation
  der(x) = -x;
end M;
