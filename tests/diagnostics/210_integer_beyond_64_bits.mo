model Large
  parameter Integer n = 4294967296;
  parameter Integer square = n*n;
  Real x = time;
end Large;
