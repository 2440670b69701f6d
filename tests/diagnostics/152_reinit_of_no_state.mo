model M
  Real x(start = 1);
  Real y;
  parameter Real p = 1;
equation
  der(x) = -x;
  y = 2*x;
  when x < 0.5 then
    reinit(y, 1);
  elsewhen x < 0.4 then
    reinit(x, 1);
  end when;
end M;
