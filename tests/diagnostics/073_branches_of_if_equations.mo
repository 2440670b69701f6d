model M
  Real x(start = 1);
  Real y;
  Boolean a;
  Boolean b;
equation
  der(x) = -x;
  if x > 0.5 then
    y = 1;
  elseif x > 0.2 then
    y = 2;
    a = true;
  end if;
  if x > 0.3 then
    a = true;
  else
    b = true;
  end if;
end M;
