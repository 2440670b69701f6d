model SteadyStart "Starts at rest in a nonlinear tank; the other state is open and takes its start value"
  Real level(start = 1), filter(start = 0.5), outflow;
initial equation
  der(level) = 0;
equation
  der(level) = 2 - outflow;
  outflow = 1.5 * sqrt(level);
  der(filter) = outflow - filter;
end SteadyStart;
