model M
  Real x(start = 1, stateSelect = StateSelect.sometimes);
  Real y[2](each start = 1, stateSelect = StateSelect.prefer);
  Integer i(stateSelect = StateSelect.never) = 1;
equation
  der(x) = -x;
  der(y) = -y;
end M;
