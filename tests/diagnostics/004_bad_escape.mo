model M "a \w"
  Real x(start = 1, unit = "m\/s");
equation
  der(x) = -x;
end M;
