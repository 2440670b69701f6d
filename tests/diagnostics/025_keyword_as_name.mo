model M
  Real x(start = 1);
  Real output;
  parameter Real end = 2;
  Real initial;
equation
  der(x) = -x;
end M;
