model M
  Real x(start = 1); # the level
  Real größe = 2*x;
equation
  der(x) = -x;
end M;
