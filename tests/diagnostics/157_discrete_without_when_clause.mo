model M
  Real x(start = 1);
  discrete Real y;
  discrete Real z;
equation
  der(x) = -x;
  y = 2;
  when x < 0.5 then
    z = x;
  end when;
end M;
