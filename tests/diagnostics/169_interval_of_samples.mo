model Samples
  parameter Real Ts = 0;
  discrete Real u(start = 0);
equation
  when sample(0, Ts) then
    u = pre(u) + 1;
  end when;
end Samples;
