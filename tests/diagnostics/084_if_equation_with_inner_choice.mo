model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -x;
  if x > 0.5 then
    y = if x > 0.7 then 1 else if x > 0.6 then 2 else 3;
  else
    y = 3;
  end if;
  y = zz;
end M;
