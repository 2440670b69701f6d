model M
  Real v = time;
  parameter Integer missing;
  parameter Integer p = q;
  parameter Integer q = p + 1;
  parameter Integer much = 1000000;
  Real a[-1];
  Real b[2.5];
  Real c[integer(v)];
  Real d[missing];
  Real e[p];
  Real f[:];
  Real g[much, much];
  Real h[unknown];
  Real i[integer(1 / 0)];
equation
  a = b;
  h[1] = g[1, 1];
end M;
