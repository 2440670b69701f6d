model M
  Real x(start = 1);
equation
  der = -x;
end M;
