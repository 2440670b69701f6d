model M
  record Point
    Real x;
    Real y;
  end Point;
  function square
    input Real u;
    output Real y;
  algorithm
    y := u*u;
  end square;
  type Length = Real(unit = "m");
  Point p;
  Length l;
  Real x(start = 1);
equation
  der(x) = -square(x);
end M;
