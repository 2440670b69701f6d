model M
  Real x(start = 1);
equation
  der(x) = -sine(x) + foo(x);
end M;
