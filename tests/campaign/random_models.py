"""Random models for the interpreter: text of expressions, arrays, algorithms, discrete equations and simple states.

Every expression is drawn with its level in the grammar, and gets parentheses where it needs them, and sometimes where not.
"""

IF, OR, AND, NOT, RELATION, SUM, TERM, FACTOR, PRIMARY = range(9)


def within(level, drawn, rng):
    """The text of a drawn expression where the grammar wants at least this level."""
    text, own = drawn
    return f"({text})" if own < level or rng.random() < 0.05 else text


class Scope:
    """What an expression may use, by type; arrays of Reals with their lengths."""

    def __init__(self):
        self.names = {"Real": ["time"], "Integer": [], "Boolean": []}
        self.vectors, self.matrices = {}, {}

    def inner(self):
        result = Scope()
        result.names = {kind: list(names) for kind, names in self.names.items()}
        result.vectors, result.matrices = dict(self.vectors), dict(self.matrices)
        return result


class Expressions:
    """Draws expressions of a type and depth over a scope."""

    def __init__(self, rng, is_held=False):
        self.rng = rng
        self.is_held = is_held  # nothing that causes events of its own: for models whose events the interpreter must know

    def draw(self, kind, scope, depth):
        return {"Real": self.real, "Integer": self.integer, "Boolean": self.boolean}[kind](scope, depth)

    def text(self, kind, scope, depth, level=IF):
        return within(level, self.draw(kind, scope, depth), self.rng)

    def literal(self):
        value = self.rng.choice([self.rng.randint(0, 9) + 0.5, round(self.rng.uniform(0, 5), self.rng.randint(1, 3)), 2.0, 1e-1])
        return repr(value), PRIMARY

    def atom(self, kind, scope):
        names = scope.names[kind]
        if names and self.rng.random() < 0.75:
            return self.rng.choice(names), PRIMARY
        if kind == "Real":
            if scope.vectors and self.rng.random() < 0.5:
                name, length = self.rng.choice(list(scope.vectors.items()))
                return f"{name}[{self.subscript(length)}]", PRIMARY
            return self.literal()
        return (str(self.rng.randint(0, 9)) if kind == "Integer" else self.rng.choice(["true", "false"])), PRIMARY

    def subscript(self, length):
        k = self.rng.randint(1, length)
        return self.rng.choice([str(k), f"end - {length - k}" if k < length else "end", f"{k + 2} - 2"])

    def real(self, scope, depth):
        rng = self.rng
        if depth <= 0:
            return self.atom("Real", scope)
        of = lambda level=IF, kind="Real": self.text(kind, scope, depth - 1, level)
        choice = rng.random()
        if choice < 0.30:
            return f"{of(SUM)} {rng.choice('+-')} {of(TERM)}", SUM
        if choice < 0.45:
            return f"{of(TERM)}*{of(FACTOR)}", TERM
        if choice < 0.50:
            return f"{of(TERM)}/(1 + {of(PRIMARY)}^2)", TERM
        if choice < 0.53:
            return f"{of(TERM)}/{self.literal()[0]}*{of(FACTOR)}", TERM
        if choice < 0.57:
            return f"-{of(TERM)}", SUM
        if choice < 0.62:
            return f"{of(PRIMARY)}^{rng.choice(['2', '3', '2.0'])}", FACTOR
        if choice < 0.70 and (scope.vectors or scope.matrices):
            return self.reduction(scope, depth - 1)
        if choice < 0.78:
            return self.choice("Real", scope, depth)
        if choice < 0.83:
            return of(SUM, "Integer"), SUM
        return self.function(of, scope)

    def function(self, of, scope):
        rng = self.rng
        smooth = [lambda: f"sin({of()})", lambda: f"cos({of()})", lambda: f"atan({of()})", lambda: f"tanh({of()})",
                  lambda: f"exp(sin({of()}))", lambda: f"log(1 + {of(PRIMARY)}^2)", lambda: f"log10(0.5 + abs({of()}))",
                  lambda: f"sqrt(1 + {of(PRIMARY)}^2)", lambda: f"asin(0.9*sin({of()}))", lambda: f"acos(0.9*cos({of()}))",
                  lambda: f"tan(0.5*sin({of()}))", lambda: f"sinh(cos({of()}))", lambda: f"cosh(sin({of()}))",
                  lambda: f"atan2({of()}, 1.5 + sin({of()}))", lambda: f"abs({of()})", lambda: f"min({of()}, {of()})",
                  lambda: f"max({of()}, {of()})", lambda: f"((0.5 + {of(PRIMARY)}^2)^{rng.choice(['0.5', '(-1.5)', '1.3'])})",
                  lambda: f"noEvent(if {of(SUM)} > {of(SUM)} then {of()} else {of()})", lambda: f"smooth(0, {of()})",
                  lambda: f"max({{{of()}, {of()}, {of()}}})", lambda: f"sqrt(0.01 + abs({of()}))",
                  lambda: f"atan2({of()}, {of()})", lambda: f"exp(min({of()}, 3.0))"]
        stepped = [lambda: f"floor({of()})", lambda: f"ceil({of()})", lambda: f"mod({of()}, {rng.choice(['1.5', '2', '0.7'])})",
                   lambda: f"rem({of()}, {rng.choice(['1.5', '(-2)', '0.7'])})", lambda: f"div({of()}, {rng.choice(['1.3', '(-2.0)'])})",
                   lambda: f"sign({of()})"]
        return rng.choice(smooth + (stepped if not self.is_held else []))(), PRIMARY

    def choice(self, kind, scope, depth):
        of = lambda wanted: self.text(wanted, scope, depth - 1)
        branches = "".join(f" elseif {of('Boolean')} then {of(kind)}" for _ in range(self.rng.choice([0, 0, 1])))
        return f"if {of('Boolean')} then {of(kind)}{branches} else {of(kind)}", IF

    def reduction(self, scope, depth):
        """Scalars of arrays: sums, products, scalar products."""
        rng = self.rng
        if scope.matrices and rng.random() < 0.4:
            name, (rows, columns) = rng.choice(list(scope.matrices.items()))
            return rng.choice([lambda: (f"{name}[{rng.randint(1, rows)}, {rng.randint(1, columns)}]", PRIMARY),
                               lambda: (f"sum({name})", PRIMARY), lambda: (f"sum({name}[:, {rng.randint(1, columns)}])", PRIMARY),
                               lambda: (f"max({name}[{rng.randint(1, rows)}, :])", PRIMARY),
                               lambda: (f"{name}[1, :]*{name}[{rng.randint(1, rows)}, :]", TERM)])()
        if not scope.vectors:
            return self.atom("Real", scope)
        name, length = rng.choice(list(scope.vectors.items()))
        inner = scope.inner()
        inner.names["Integer"].append("j")
        inner.names["Real"].append(f"{name}[j]")
        first = rng.randint(1, length)
        return rng.choice([lambda: (f"sum({name})", PRIMARY), lambda: (f"{name}*{name}", TERM),
                           lambda: (f"sum({self.text('Real', inner, min(depth, 1))} for j in 1:{length})", PRIMARY),
                           lambda: (f"product(1 + 0.1*{name}[j] for j in 1:{length})", PRIMARY),
                           lambda: (f"min({name}[{first}:end])", PRIMARY), lambda: (f"sum({name}[{{1, {first}}}])", PRIMARY),
                           lambda: (f"max({{j*{name}[j] for j in {length}:-1:1}})", PRIMARY),
                           lambda: (f"sum({name} .* {name} .+ {self.literal()[0]})", PRIMARY),
                           lambda: (f"sum(sin({name}))", PRIMARY), lambda: (f"sum({name}[1:2:end])", PRIMARY)])()

    def integer(self, scope, depth):
        rng = self.rng
        if depth <= 0:
            return self.atom("Integer", scope)
        of = lambda level=IF: self.text("Integer", scope, depth - 1, level)
        choice = rng.random()
        if choice < 0.35:
            return f"{of(SUM)} {rng.choice('+-')} {of(TERM)}", SUM
        if choice < 0.50:
            return f"{of(TERM)}*{of(FACTOR)}", TERM
        if choice < 0.58:
            return f"-{of(TERM)}", SUM
        if choice < 0.70:
            return f"{rng.choice(['div', 'mod', 'rem'])}({of()}, {rng.choice(['3', '(-3)', '7', '2'])})", PRIMARY
        if choice < 0.80:
            return f"{rng.choice(['min', 'max'])}({of()}, {of()})", PRIMARY
        if choice < 0.86:
            return f"{rng.choice(['abs', 'sign'])}({of()})", PRIMARY
        if choice < 0.90 and not self.is_held:
            return f"integer({self.text('Real', scope, depth - 1)})", PRIMARY
        return self.choice("Integer", scope, depth)

    def boolean(self, scope, depth):
        rng = self.rng
        if depth <= 0:
            return self.atom("Boolean", scope)
        of = lambda level=IF: self.text("Boolean", scope, depth - 1, level)
        choice = rng.random()
        if choice < 0.25:
            kind = "Integer" if self.is_held or rng.random() < 0.4 else "Real"
            operators = ["<", "<=", ">", ">="] + (["==", "<>"] if kind == "Integer" else [])
            side = lambda: self.text(kind, scope, depth - 1, SUM)
            return f"{side()} {rng.choice(operators)} {side()}", RELATION
        if choice < 0.45:
            return f"{of(OR)} or {of(AND)}", OR
        if choice < 0.65:
            return f"{of(AND)} and {of(NOT)}", AND
        if choice < 0.80:
            return f"not {of(RELATION)}", NOT
        if choice < 0.88:
            return f"{of(SUM)} {rng.choice(['==', '<>'])} {of(SUM)}", RELATION
        return self.choice("Boolean", scope, depth)


class Model:
    """A model in pieces, so that pieces can be left out: each is (lines of declarations, lines of a section, section)."""

    def __init__(self):
        self.pieces = []

    def add(self, declarations, lines=(), section="equation"):
        self.pieces.append([list(declarations), list(lines), section])


def text(pieces):
    lines = ["model M"] + [f"  {line};" for declarations, _, _ in pieces for line in declarations]
    for section in ("initial equation", "equation"):
        found = [line for _, body, own in pieces if own == section for line in body]
        lines += ([section] if found else []) + [f"  {line};" for line in found]
    for _, body, own in pieces:
        if own == "algorithm":
            lines += ["algorithm"] + [f"  {line};" for line in body]
    return "\n".join(lines + ["end M;", ""])


def known(model, scope, expressions):
    """Constants and parameters that depend on each other, in any order."""
    rng, pieces = expressions.rng, []
    names = scope.inner()
    names.names["Real"] = []
    for number in range(rng.randint(1, 4)):
        kind = rng.choice(["Real", "Real", "Integer", "Boolean"])
        name = f"p{number}"
        pieces.append(f"{rng.choice(['parameter', 'parameter', 'final parameter', 'constant'])} {kind} {name} = "
                      f"{expressions.text(kind, names, rng.randint(0, 2))}")
        names.names[kind].append(name)
        scope.names[kind].append(name)
    if any(line.startswith("constant") for line in pieces):  # constants may use only constants
        pieces = [line.replace("constant ", "parameter ") for line in pieces]
    length = rng.randint(2, 4)
    pieces.append(f"parameter Integer n = {rng.choice([str(length), f'{length + 1} - 1', f'div({2 * length + 1}, 2)'])}")
    pieces.append(f"parameter Real a[:] = {{{', '.join(expressions.text('Real', names, 1) for _ in range(length))}}}")
    scope.vectors["a"] = length
    scope.names["Integer"].append("n")
    rng.shuffle(pieces)
    for piece in pieces:
        model.add([piece])
    return length


def arrays(model, scope, expressions, n, number):
    """One array variable, defined in one of many ways."""
    rng, name = expressions.rng, f"x{number}"
    of = lambda where=scope, depth=1, level=IF: expressions.text("Real", where, depth, level)
    loop = scope.inner()
    loop.names["Integer"].append("i")
    ways = [lambda: ([f"Real {name}[n]"], [f"{name} = {{{', '.join(of() for _ in range(n))}}}"]),
            lambda: ([f"Real {name}[n]"], [f"for i in 1:n loop {name}[i] = {of(loop, 2)}; end for"]),
            lambda: ([f"Real {name}[n]"], [f"{name}[1] = {of()}", f"for i in 2:n loop {name}[i] = 0.5*{name}[i - 1] + "
                                                                 f"{of(loop, 1, TERM)}; end for"]),
            lambda: ([f"Real[n] {name} = {{{of(loop)} for i in 1:n}}"], []),
            lambda: ([f"Real {name}[n]"], [f"{name} = {rng.choice(['a', '-a', '2*a', 'a/3', 'a .* a', 'a .+ 1', 'sin(a)', 'a .^ 2'])}"]),
            lambda: ([f"Real {name}[n]"], [f"{name} = if {expressions.text('Boolean', scope, 1)} then a else {{{of(loop)} for i in 1:n}}"]),
            lambda: ([f"Real {name}[n]"], [f"{name}[end] = {of()}", f"{name}[1:end - 1] = a[2:end] + fill({of()}, n - 1)"]),
            lambda: ([f"Real {name}[n]"], [f"{name} = linspace({of()}, {of()}, n)"]),
            lambda: ([f"Real {name}[n]"], [f"{name} = identity(n)*a + ones(n)*{of(scope, 1, FACTOR)}"])]
    declared, lines = rng.choice(ways)()
    model.add(declared, lines)
    scope.vectors[name] = n
    if rng.random() < 0.5:
        m, k = rng.choice([(2, n), (n, 2), (2, 2)])
        loop.names["Integer"].append("k")
        name = f"m{number}"
        entries = lambda: "[" + "; ".join(", ".join(of() for _ in range(k)) for _ in range(m)) + "]"
        ways = [lambda: [f"{name} = {entries()}"],
                lambda: [f"for i in 1:{m}, k in 1:{k} loop {name}[i, k] = {of(loop)}; end for"],
                lambda: [f"{name} = {{{{{of(loop)} for k in 1:{k}}} for i in 1:{m}}}"],
                lambda: [f"{name} = transpose({{{of(loop)} for i in 1:{m}, k in 1:{k}}})"],
                lambda: [f"{name} = {{{of(loop)} for k in 1:{k}, i in 1:{m}}}"],
                lambda: [f"for i in 1:{m} loop {name}[i, :] = {{{of(loop)} for k in 1:{k}}}; end for"]]
        model.add([f"Real {name}[{m}, {k}]"], rng.choice(ways)())
        scope.matrices[name] = (m, k)
        if k == n:
            model.add([f"Real y{number}[{m}]"], [f"y{number} = {name}*a"])
            scope.vectors[f"y{number}"] = m
        if m == n:
            model.add([f"Real z{number}[{k}]"], [f"z{number} = {rng.choice(['a', 'x' + str(number)])}*{name}"])
            scope.vectors[f"z{number}"] = k


def other_arrays(model, scope, expressions, n, number):
    """Arrays of Integers and Booleans."""
    rng = expressions.rng
    kind, name = rng.choice([("Integer", f"h{number}"), ("Boolean", f"t{number}")])
    loop = scope.inner()
    loop.names["Integer"].append("i")
    of = lambda depth=1: expressions.text(kind, loop, depth)
    lines = rng.choice([[f"for i in 1:n loop {name}[i] = {of(2)}; end for"], [f"{name} = {{{of()} for i in 1:n}}"],
                        [f"{name}[1] = {expressions.text(kind, scope, 2)}",
                         f"for i in 2:n loop {name}[i] = if {expressions.text('Boolean', loop, 1)} then {of()} else {name}[i - 1]; end for"]])
    model.add([f"{kind} {name}[n]"], lines)
    scope.names[kind] += [f"{name}[{k}]" for k in range(1, n + 1)]


def loop(model, scope, expressions, number):
    """A loop of two or three equations, linear or so nearly so that it has one solution."""
    rng, count = expressions.rng, expressions.rng.randint(2, 3)
    names = [f"l{number}_{k}" for k in range(count)]
    lines = []
    for k, name in enumerate(names):
        other = names[(k + 1) % count]
        factor = rng.choice(["0.5", "-0.25", "1.5", "0.1*cos(time)", "-2"])
        bent = rng.choice(["", "", f" + 0.02*sin({other})"])
        lines.append(f"{name} = {factor}*{other}{bent} + {expressions.text('Real', scope, 1, TERM)}")
    rng.shuffle(lines)
    model.add([f"Real {', '.join(names)}"], lines)
    scope.names["Real"] += names


def choices(model, scope, expressions, n, number):
    """If-equations, also nested and in loops."""
    rng = expressions.rng
    inner = scope.inner()
    inner.names["Integer"].append("i")
    of = lambda kind, where=scope, depth=1: expressions.text(kind, where, depth)
    one, two = f"u{number}", f"w{number}"
    if rng.random() < 0.3:
        model.add([f"Real {one}[n]"], [f"for i in 1:n loop if {of('Boolean', inner)} then {one}[i] = {of('Real', inner)}; elseif "
                                       f"{of('Boolean', inner)} then {one}[i] = {of('Real', inner)}; else {one}[i] = {of('Real')}; "
                                       "end if; end for"])
        scope.vectors[one] = n
        return
    pair = lambda: " ".join(rng.sample([f"{one} = {of('Real')};", f"{two} = {of('Real')};"], 2))
    nested = lambda: f"if {of('Boolean')} then {pair()} else {pair()} end if;"
    model.add([f"Real {one}, {two}"], [f"if {of('Boolean', scope, 2)} then {rng.choice([pair, nested])()} elseif {of('Boolean')} then "
                                       f"{pair()} else {rng.choice([pair, nested])()} end if"])
    scope.names["Real"] += [one, two]


def guarded(model, scope, expressions, number):
    """A state that moves evenly into or out of a branch whose function is not defined beyond it."""
    rng, name, y = expressions.rng, f"s{number}", f"y{number}"
    start, speed = round(rng.uniform(-1, 1), 2), rng.choice(["1", "-1", "0.5", "-2.5"])
    edge = round(start + float(speed) * rng.uniform(0.2, 1.8), 3)
    inside = rng.choice([f"{name} - ({edge})", f"({edge}) - {name}"])
    function = rng.choice([f"sqrt({inside})", f"({inside})^0.5", f"({inside})*log({inside})", f"({inside})^1.5", f"1/({inside} + 0.01)",
                           f"asin(1 - ({inside})/10)"])
    relation = rng.choice([f"{inside} > 0", f"{name} > {edge}" if inside.startswith(name) else f"{name} < {edge}"])
    other = expressions.text("Real", scope, 1)
    model.add([f"Real {name}(start = {start}, fixed = true), {y}"],
              [f"der({name}) = {speed}", f"{y} = if {relation} then {function} else {other}"])


def algorithm(model, scope, expressions, number):
    """An algorithm with choices and loops."""
    rng, name, count = expressions.rng, f"g{number}", f"c{number}"
    inner = scope.inner()
    inner.names["Real"].append(name)
    inner.names["Integer"].append(count)
    loop = inner.inner()
    loop.names["Integer"].append("i")
    of = lambda kind, where=inner, depth=1, level=IF: expressions.text(kind, where, depth, level)
    lines = [f"{name} := {expressions.text('Real', scope, 2)}", f"{count} := {expressions.text('Integer', scope, 1)}"]
    for _ in range(rng.randint(1, 4)):
        lines.append(rng.choice([
            lambda: f"{name} := {of('Real')}", lambda: f"{count} := mod({of('Integer')}, 17)",
            lambda: f"if {of('Boolean')} then {name} := {of('Real')}; elseif {of('Boolean')} then {count} := "
                    f"mod({of('Integer')}, 5); else {name} := {name} + 1; end if",
            lambda: f"for i in 1:{rng.randint(0, 4)} loop {name} := 0.5*{name} + {of('Real', loop, 1, TERM)}; end for",
            lambda: f"for i in {{3, 1, 2}} loop if i > {rng.randint(0, 3)} then {count} := mod({count} + i, 9); end if; end for",
            lambda: f"for i in 3:-1:1, k in 1:i loop {name} := 0.25*{name} + i - k; end for"])())
    model.add([f"Real {name}", f"Integer {count}"], lines, "algorithm")
    scope.names["Real"].append(name)
    scope.names["Integer"].append(count)


def static(rng):
    """A model whose values follow from time alone."""
    model, scope, expressions = Model(), Scope(), Expressions(rng)
    n = known(model, scope, expressions)
    for number in range(rng.randint(2, 6)):
        way = rng.random()
        if way < 0.2:
            arrays(model, scope, expressions, n, number)
        elif way < 0.3:
            other_arrays(model, scope, expressions, n, number)
        elif way < 0.35:
            guarded(model, scope, expressions, number)
        elif way < 0.42:
            loop(model, scope, expressions, number)
        elif way < 0.5:
            algorithm(model, scope, expressions, number)
        elif way < 0.65:
            choices(model, scope, expressions, n, number)
        else:
            kind = rng.choice(["Real", "Real", "Real", "Integer", "Boolean"])
            drawn = expressions.text(kind, scope, rng.randint(1, 4))
            name = f"v{number}"
            if rng.random() < 0.3:
                model.add([f"{kind} {name} = {drawn}"])
            elif rng.random() < 0.3 and not drawn.startswith(("if", "-")) and kind != "Boolean":
                model.add([f"{kind} {name}"], [f"1*({drawn}) = {name}"])
            else:
                model.add([f"{kind} {name}"], [f"{name} = {drawn}"])
            scope.names[kind].append(name)
    if rng.random() < 0.5:  # the order of equations means nothing, that of declarations little
        rng.shuffle(model.pieces)
    return model.pieces
