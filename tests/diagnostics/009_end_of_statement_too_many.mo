model Tank
  Real level(start = 1);
equation
  der(level) = -level;
  end if;
  level = 3;
end Tank;
