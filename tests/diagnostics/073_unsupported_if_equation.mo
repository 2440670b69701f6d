model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -x;
  if x > 0.5 then
    y = 1;
  else
    if x > 0.2 then
      y = 2;
    else
      y = 3;
    end if;
  end if;
end M;
