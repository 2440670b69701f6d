model M
  Real x[3](each start = 1);
  parameter Real p[2] = {1, 2};
  Real[2] y;
equation
  for i in 1:3 loop
    der(x[i]) = -x[i];
  end for;
  y = p;
end M;
