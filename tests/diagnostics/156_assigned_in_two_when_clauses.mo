model M
  Real x(start = 1);
  Integer n;
equation
  der(x) = -x;
  when x < 0.5 then
    n = 1;
  end when;
  when x < 0.4 then
    n = 2;
  end when;
end M;
