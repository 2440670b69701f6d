model Coupled
  Real x(start = 1, fixed = true, stateSelect = StateSelect.always);
  Real y;
equation
  der(x) + der(y) = -x;
  y = 2 * x;
  when x < 0.5 then
    reinit(y, 3);
  end when;
end Coupled;
