model M
  Real x(start = 1);
  discrete Real y;
equation
  der(x) = -x;
  when x < 0.5 then
    reinit(x, 1);
    y = pre(y) + 1;
  elsewhen sample(0, 1) then
    y = 0;
  end when;
end M;
