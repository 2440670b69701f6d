model Switches "Booleans and Integers between Reals"
  parameter Boolean enabled = true;
  Real x(start = 0, fixed = true), y;
  Boolean high, low = not high;
  Integer level;
equation
  der(x) = if high then -1 else 1;
  high = enabled and y > 10;
  level = if enabled then 1 else 2;
  y = level + x;
end Switches;
