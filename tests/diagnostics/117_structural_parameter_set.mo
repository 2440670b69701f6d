// daedalus: simulate --set n=5 --set on=false
model M
  parameter Integer n = 3;
  parameter Boolean on = true;
  Real x[if on then n else n + 1](each start = 1);
equation
  der(x) = -x;
end M;
