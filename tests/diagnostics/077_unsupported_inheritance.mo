within Library.Circuits;
model M
  import Modelica.Constants.pi;
  import SI = Modelica.Units.SI;
  extends Base(k = 2);
  replaceable Real x;
  redeclare Real y;
equation
  der(x) = -pi*x;
end M;
