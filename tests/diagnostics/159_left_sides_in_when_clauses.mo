model M
  Real x(start = 1);
  Real y;
  parameter Real p = 1;
equation
  der(x) = -x;
  when x < 0.5 then
    2*y = 1;
    p = 2;
  end when;
algorithm
  p := 3;
end M;
