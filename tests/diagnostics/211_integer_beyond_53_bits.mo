model Large
  parameter Integer n = 9007199254740993;
  parameter Integer shown = 9007199254740995;
  Real x = n*time;
end Large;
