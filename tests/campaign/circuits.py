"""Circuits as lists of parts, written as flat Modelica in the way that the Standard Library's parts are."""


def number(value):
    """A literal of Modelica; negative ones in parentheses."""
    text = repr(float(value))
    return f"({text})" if value < 0 else text


class Circuit:
    """Nodes are names, "0" is the ground. A part's current goes into its first node and out of its second."""

    def __init__(self):
        self.declarations, self.equations, self.entering = [], [], {}
        self.diodes = []

    def part(self, name, plus, minus, law, state=""):
        """A part with voltage NAME_v and current NAME_i that obeys `law`."""
        declared = {"v": f"Real {name}_v", "i": f"Real {name}_i"}
        if state:
            quantity, value = state
            declared[quantity] += f"(start = {number(value)}, fixed = true)"
        self.declarations += list(declared.values())
        self.equations += [f"{name}_v = {self.potential(plus)} - {self.potential(minus)}", law]
        for node, sign in ((plus, "+"), (minus, "-")):
            self.entering.setdefault(node, []).append(f"{sign} {name}_i")

    def potential(self, node):
        return "0" if node == "0" else f"n_{node}"

    def voltage(self, name, plus, minus, expression):
        self.part(name, plus, minus, f"{name}_v = {expression}")

    def current(self, name, plus, minus, expression):
        self.part(name, plus, minus, f"{name}_i = {expression}")

    def resistor(self, name, plus, minus, R):
        self.part(name, plus, minus, f"{name}_v = {number(R)}*{name}_i")

    def inductor(self, name, plus, minus, L, start=None):
        self.part(name, plus, minus, f"{number(L)}*der({name}_i) = {name}_v", ("i", start) if start is not None else "")

    def capacitor(self, name, plus, minus, C, start):
        self.part(name, plus, minus, f"{number(C)}*der({name}_v) = {name}_i", ("v", start))

    def diode(self, name, plus, minus, Ron, Goff, Vknee=0.0):
        """Modelica.Electrical.Analog.Ideal.IdealDiode."""
        knee, leak = (f" + {number(Vknee)}", f" + {number(Goff * Vknee)}") if Vknee else ("", "")
        self.part(name, plus, minus, f"{name}_v = {name}_s*(if {name}_off then 1 else {number(Ron)}){knee}")
        self.declarations += [f"Real {name}_s", f"Boolean {name}_off"]
        self.equations += [f"{name}_off = {name}_s < 0",
                           f"{name}_i = {name}_s*(if {name}_off then {number(Goff)} else 1){leak}"]
        self.diodes.append(name)

    def switch(self, name, plus, minus, Ron, Goff, pulse):
        """Modelica.Electrical.Analog.Ideal.IdealClosingSwitch, closed while the Boolean `pulse` is true."""
        self.part(name, plus, minus, f"{name}_v = {name}_s*(if {pulse} then {number(Ron)} else 1)")
        self.declarations.append(f"Real {name}_s")
        self.equations.append(f"{name}_i = {name}_s*(if {pulse} then 1 else {number(Goff)})")

    def pulse(self, name, form, period, duty, shift):
        """A Boolean that is true for duty*period from (shift + k)*period on, k = -1, 0, ..., in one of three forms."""
        T, width, delay = number(period), number(duty * period), number(shift * period)
        if form == "mod":
            late = number((1 - shift) * period)
            self.declarations.append(f"Boolean {name}")
            self.equations.append(f"{name} = mod(time + {late}, {T}) < {width}")
        elif form == "sample":
            self.declarations += [f"Boolean {name}", f"discrete Real {name}_t(start = {number((shift - 1) * period)}, fixed = true)"]
            self.equations += [f"when sample({delay}, {T}) then {name}_t = time; end when",
                               f"{name} = time < {name}_t + {width}"]
        else:
            is_on = shift + duty > 1  # since before the start
            self.declarations.append(f"Boolean {name}(start = {str(is_on).lower()}, fixed = true)")
            end = number((shift + duty - is_on) * period)
            self.equations.append(f"when sample({delay}, {T}) then {name} = true; elsewhen "
                                  f"sample({end}, {T}) then {name} = false; end when")

    def integral(self, name, expression):
        """A state whose differences over time are those of the integral."""
        self.declarations.append(f"Real {name}(start = 0, fixed = true)")
        self.equations.append(f"der({name}) = {expression}")

    def text(self, name="Circuit"):
        nodes = [node for node in self.entering if node != "0"]
        lines = [f"model {name}"]
        lines += [f"  {declaration};" for declaration in self.declarations]
        lines += [f"  Real {self.potential(node)};" for node in nodes]
        lines.append("equation")
        lines += [f"  {equation};" for equation in self.equations]
        lines += [f"  {' '.join(self.entering[node]).removeprefix('+ ')} = 0;" for node in nodes]
        return "\n".join(lines + [f"end {name};", ""])
