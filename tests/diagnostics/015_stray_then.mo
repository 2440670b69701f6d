model M
  Real x(start = 1);
equation
  der(x) = x then 1 else 2;
end M;
