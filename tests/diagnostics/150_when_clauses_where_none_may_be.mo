model M
  Real x(start = 1);
  Integer n;
  Integer m;
  Integer k;
initial equation
  when x < 0.1 then
    k = 1;
  end when;
equation
  der(x) = -x;
  when x < 0.5 then
    n = 1;
    when x < 0.4 then
      m = 1;
    end when;
  end when;
  if x < 0.3 then
    when x < 0.2 then
      k = 1;
    end when;
  end if;
end M;
