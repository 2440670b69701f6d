model M
  input Real u, v;
  input Real w(start = 2), z = time;
  Real x(start = 1);
equation
  der(x) = u + v + w + z - x;
end M;
