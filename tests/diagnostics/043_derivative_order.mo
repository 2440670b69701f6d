model M
  Real x(start = 1);
equation
  der(der(der(der(der(der(der(der(der(der(der(der(der(der(der(der(der(x))))))))))))))))) = -x;
end M;
