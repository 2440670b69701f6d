model M
  Real x(start = 1);
  Real y;
  Integer n;
equation
  der(x) = -x;
  when x then
    n = 1;
  elsewhen {n, n} then
    n = 2;
  end when;
  if n then
    y = 1;
  else
    y = 2;
  end if;
end M;
