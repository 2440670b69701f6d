model M
  Real x(start = 1);
  der(x) = -x;
end M;
