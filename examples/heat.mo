model Heat "Heat conduction in a rod by the method of lines; both ends are kept at ambient temperature"
  parameter Integer n(min = 1) = 20 "Number of points between the ends";
  parameter Real length(unit = "m") = 1;
  parameter Real a(unit = "m2/s") = 0.1 "Thermal diffusivity";
  parameter Real dx(unit = "m") = length / (n + 1) "Distance of the points";
  constant Real pi = 3.141592653589793;
  Real T[n](each unit = "K", start = {sin(pi * i / (n + 1)) for i in 1:n}, each fixed = true)
    "Temperature above ambient";
  Real q[n + 1](each unit = "K/m") "Gradient between the points";
  Real mean(unit = "K") = sum(T) / n "Mean temperature of the points";
equation
  for i in 1:n + 1 loop
    q[i] = ((if i <= n then T[i] else 0) - (if i > 1 then T[i - 1] else 0)) / dx;
  end for;
  der(T) = a * (q[2:end] - q[1:n]) / dx;
  annotation(experiment(StopTime = 1, Tolerance = 1e-9));
end Heat;
