model M
  Real x[3](each start = 1);
equation
  for i = 1:3 loop
    der(x[i]) = -x[i];
  end for;
  for 1:3 loop
    x[1] = 1;
  end for;
  for i in 1:3
    x[i] = 1;
  end for;
  x[1] = sum(x[i] for i);
  x[1] = sin(x[i] for i in 1:3);
  for i in 1:3 loop
    x[i] = 1;
end M;
