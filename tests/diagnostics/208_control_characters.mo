// daedalus: simulate
model M
  Real x(start = 1, fixed = true);
  Real 'a[31mbc' = 2*x;
equation
  der(x) = -x;
  assert('a[31mbc' > 1.5, "[2Jgone31m and ‮back, \n and a line");
end M;
