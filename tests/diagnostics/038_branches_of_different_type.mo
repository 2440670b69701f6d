model M
  Real x(start = 1);
equation
  der(x) = if x > 1 then true else 2;
end M;
