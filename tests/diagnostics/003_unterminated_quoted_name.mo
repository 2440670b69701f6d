model M
  Real 'my x(start = 1);
equation
  der(x) = -1;
end M;
