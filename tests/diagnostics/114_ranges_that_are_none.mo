model M
  Real x[3](each start = 1);
  Integer k = 2;
equation
  for i in 1:3 loop
    der(x[i]) = -x[i];
  end for;
  for i in 1:k loop
    x[i] = 1;
    x[i] = 2;
  end for;
  for i in 0.5:3 loop
    x[i] = 1;
  end for;
  for i in 3 loop
    x[i] = 1;
  end for;
  for i in 1:0:3 loop
    x[i] = 1;
  end for;
  for i in 1:100000000000 loop
  end for;
end M;
