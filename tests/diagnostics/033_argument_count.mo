model M
  Real x(start = 1);
equation
  der(x, 2) = -sin() + atan2(x) - max(x, 1, 2) + smooth(x);
end M;
