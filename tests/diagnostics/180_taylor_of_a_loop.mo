// daedalus: simulate --method taylor12
model M
  Real x(start = 1, fixed = true), y(start = 1), z(start = 1);
equation
  der(x) = -y;
  y + exp(z) = x;
  z + sin(y) = 1;
end M;
