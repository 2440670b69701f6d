model M
  Real x(start = 1);
  discrete Real y;
  discrete Real z;
  Real w[3];
equation
  der(x) = -x;
  y = 2;
  w[2:3] = {x, x};
  when x < 0.5 then
    z = x;
    w[1] = x;
  end when;
end M;
