// daedalus: simulate --stop 1
model Undoes
  Real x(start = -1, fixed = true);
  Boolean up(start = false), down(start = false);
equation
  der(x) = 2;
  up = pre(down) or x > 0;
  down = not pre(up) and x > 0;
end Undoes;
