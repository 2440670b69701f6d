model M
  parameter Real p(stateSelect = StateSelect.always) = 1;
  Real x(start = 1, stateSelect = StateSelect.always);
  Real y(start = 1, stateSelect = StateSelect.always);
  Real q;
  Real z(stateSelect = StateSelect.always);
equation
  der(x) = -p*x + q;
  der(y) = -q;
  y = x^2;
  z = sin(time);
end M;
