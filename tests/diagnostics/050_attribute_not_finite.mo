model M
  parameter Real zero = 0;
  Real x(start = 1/zero, nominal = 0);
equation
  der(x) = -x;
end M;
