// daedalus: simulate --set x=3 --set y=4
model M
  Real x(start = 1), y(start = 2), z(start = 3);
initial equation
  x = 2*z;
equation
  der(x) = -x;
  der(z) = -z;
  y = -x;
end M;
