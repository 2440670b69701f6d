model M
  Real x(start = 1);
equation
  der(x) = -x;
  when x < 0.5 then
    x = 1;
  end when;
end M;
