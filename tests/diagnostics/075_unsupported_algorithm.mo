model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -x;
algorithm
  y := 2*x;
  if y > 1 then
    y := 1;
  end if;
initial algorithm
  x := 1;
end M;
