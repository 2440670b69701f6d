model ConditionWithoutAValue
  Boolean hits[3];
  Real v(start = 0, fixed = true);
equation
  der(v) = 1;
  hits[1] = time > 1;
  when {hits[1], hits[2], hits[3]} then
    reinit(v, 0);
  end when;
  hits[2] = hits[3];
end ConditionWithoutAValue;
