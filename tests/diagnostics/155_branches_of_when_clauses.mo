model M
  Real x(start = 1);
  Integer n;
  Integer m;
equation
  der(x) = -x;
  when x < 0.5 then
    n = 1;
    m = 1;
  elsewhen x < 0.4 then
    n = 2;
  end when;
end M;
