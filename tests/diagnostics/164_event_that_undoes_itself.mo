// daedalus: simulate --stop 2
model Undoes
  Real x(start = -1, fixed = true);
equation
  der(x) = 2;
  when x > 0 then
    reinit(x, -1);
  end when;
  when x < 0 then
    reinit(x, 1);
  end when;
end Undoes;
