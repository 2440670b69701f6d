model M
  Real x(start = 1);
equation
  der(x) = -(x + 1));
end M;
