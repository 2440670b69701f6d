model M
  Real x(start = 1);
  parameter Real p = 1;
equation
  der(x) = -x;
  when x < 0.5 then
    reinit(x, 1);
    reinit(x, 2);
  end when;
  when x < 0.4 then
    reinit(p, 1);
  end when;
end M;
