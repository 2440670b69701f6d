model M
  Real x(start = 1, stateSelect = StateSelect.never);
  Real y(start = 1, stateSelect = StateSelect.never);
  Real z(stateSelect = StateSelect.never);
  Real q;
  Real w(start = 1, stateSelect = StateSelect.never);
equation
  der(x) = -x + q;
  der(y) = -q;
  y = x^2;
  z = 2*x;
  der(w) = -w;
end M;
