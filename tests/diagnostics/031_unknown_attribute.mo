model M
  Real x(strat = 1, colour = 2);
equation
  der(x) = -x;
end M;
