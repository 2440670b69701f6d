model M
  parameter Integer n = 100;
  Real x[n](each start = 1);
equation
  for i in 1:n loop
    der(x[i]) = -rate*x[j];
  end for;
  x = {y[i] for i in 1:n};
  for k in 1:m loop
    x[k] = 1;
    x[k] = 2;
  end for;
end M;
