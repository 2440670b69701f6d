Real x(start = 1);
der(x) = -x;
