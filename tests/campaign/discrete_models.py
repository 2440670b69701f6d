"""Random discrete models for the interpreter: clocks, when-clauses, latches, counters, algorithms at events, simple states.

Events come from `sample` and from `time` alone, at times that are apart from each other, so that the order of everything is known.
"""

from random_models import FACTOR, IF, NOT, TERM, Expressions, Model, Scope, known


class Drawing:
    def __init__(self, rng):
        self.rng, self.model, self.scope = rng, Model(), Scope()
        self.expressions = Expressions(rng, is_held=True)
        self.thresholds = rng.sample(range(61, 1990, 14), 12)  # in ms; never that of a sample
        known(self.model, self.scope, self.expressions)
        self.scope.names["Real"].remove("time")
        self.number = 0

    def name(self, letter):
        self.number += 1
        return f"{letter}{self.number}"

    def of(self, kind, depth=1, scope=None, level=IF):
        return self.expressions.text(kind, scope or self.scope, depth, level)

    def threshold(self):
        return repr(self.thresholds.pop() / 1000)

    def sample(self):
        return f"sample({self.rng.choice(['0.1', '0.25', '0.3', '1/3'])}, {self.rng.choice(['0.1', '0.25', '0.5', '0.7'])})"

    def condition(self):
        """Something that becomes true now and then."""
        rng, names = self.rng, self.scope.names
        ways = [self.sample, self.sample, lambda: f"{self.sample()} and {self.of('Boolean', level=NOT)}",
                lambda: self.of("Boolean", 2)]
        moving = [name for name in names["Boolean"] if not name.startswith("p")]
        if moving:
            flag = rng.choice(moving)
            ways += [lambda: flag, lambda: f"not {flag}", lambda: f"edge({flag})", lambda: f"change({flag})"]
        counters = [name for name in names["Integer"] if name[0] in "nk" and name != "n"]
        if counters:
            count = rng.choice(counters)
            ways += [lambda: f"change({count})", lambda: f"{count} > {rng.randint(1, 4)}", lambda: f"mod({count}, 3) == 1"]
        if rng.random() < 0.2:
            return "{" + ", ".join(rng.choice(ways)() for _ in range(2)) + "}"
        return rng.choice(ways)()

    def clock(self):
        name, c = self.name("b"), self.threshold()
        words = self.rng.choice([f"time > {c}", f"time >= {c}", f"{c} < time", f"time < {c}", f"not time < {c}"])
        if self.rng.random() < 0.4 and len(self.thresholds) > 2:
            words = f"{self.rng.choice(['time > ', 'time < '])}{self.threshold()} {self.rng.choice(['or', 'and'])} {words}"
        self.model.add([f"Boolean {name}"], [f"{name} = {words}"])
        self.scope.names["Boolean"].append(name)

    def clause(self):
        """A when-clause for one or two variables, with or without other branches."""
        rng = self.rng
        kinds = [rng.choice(["Real", "Integer", "Boolean"]) for _ in range(rng.choice([1, 1, 2]))]
        names = [self.name({"Real": "r", "Integer": "k", "Boolean": "q"}[kind]) for kind in kinds]
        starts = {"Real": "0.5", "Integer": str(rng.randint(-2, 5)), "Boolean": rng.choice(["true", "false"])}
        inner = self.scope.inner()
        inner.names["Real"].append("time")
        for name, kind in zip(names, kinds):
            inner.names[kind].append(f"pre({name})")

        def lines():
            drawn = [f"{name} = {self.bounded(kind, self.of(kind, 2, inner))};" for name, kind in zip(names, kinds)]
            rng.shuffle(drawn)
            return " ".join(drawn)

        def body():
            return f"if {self.of('Boolean', 1, inner)} then {lines()} else {lines()} end if;" if rng.random() < 0.15 else lines()

        first = self.condition()
        others = "".join(f" elsewhen {self.condition()} then {body()}" for _ in range(rng.choice([0, 0, 1, 2])))
        if rng.random() < 0.15:
            others = f" elsewhen initial() then {body()}" + others
        has_equation = rng.random() < 0.15 and "initial()" not in others
        if has_equation:
            self.model.add([], [f"{rng.choice([f'pre({name})', name])} = {starts[kind]}" for name, kind in zip(names, kinds)],
                           "initial equation")
        is_fixed = rng.random() < 0.8 and "initial()" not in others and not has_equation
        declared = [f"{'discrete ' if kind == 'Real' and rng.random() < 0.5 else ''}{kind} {name}" +
                    (f"(start = {starts[kind]}{', fixed = true' * is_fixed})" if not has_equation else "")
                    for name, kind in zip(names, kinds)]
        self.model.add(declared, [f"when {first} then {body()}{others} end when"])
        for name, kind in zip(names, kinds):
            self.scope.names[kind].append(name)

    def vector(self):
        """An array that a when-clause counts in, element by element."""
        name, start = self.name("k"), self.rng.randint(0, 3)
        body = self.rng.choice([f"for i in 1:2 loop {name}[i] = mod(pre({name}[i]) + i*{self.of('Integer', level=FACTOR)}, 7); end for;",
                                f"{name}[1] = mod(pre({name}[2]) + 1, 5); {name}[2] = {name}[1] + 1;"])
        self.model.add([f"Integer {name}[2](each start = {start}, each fixed = true)"],
                       [f"when {self.condition()} then {body} end when"])
        self.scope.names["Integer"] += [f"{name}[1]", f"{name}[2]"]

    def coupled(self):
        """Equations of a when-clause that need each other."""
        a, b = self.name("r"), self.name("r")
        rng, e, f = self.rng, self.of("Real", level=TERM), self.of("Real", level=TERM)
        lines = [f"{a} = {rng.choice(['2', '-0.5', '3', '2000'])}*{b} + {e};",
                 f"{b} = {rng.choice(['3', '0.125', '-1.5'])}*{a} + {rng.choice(['', f'0.1*cos({a}) + '])}{f};"]
        rng.shuffle(lines)
        self.model.add([f"Real {a}(start = 0, fixed = true), {b}(start = 0, fixed = true)"],
                       [f"when {self.condition()} then {' '.join(lines)} end when"])
        self.scope.names["Real"] += [a, b]

    def bounded(self, kind, words):
        """Keeps what repeats from growing."""
        return {"Real": f"cos({words})", "Integer": f"mod({words}, 11)", "Boolean": words}[kind]

    def latch(self):
        name = self.name("q")
        words = self.rng.choice([f"(({self.of('Boolean')}) or pre({name})) and not ({self.of('Boolean')})",
                                 f"({self.of('Boolean')}) or pre({name}) and ({self.of('Boolean')})"])
        self.model.add([f"Boolean {name}(start = {self.rng.choice(['true', 'false'])}, fixed = true)"], [f"{name} = {words}"])
        self.scope.names["Boolean"].append(name)

    def peak(self):
        name = self.name("k")
        self.model.add([f"Integer {name}(start = 0, fixed = true)"], [f"{name} = max(pre({name}), {self.of('Integer', 2)})"])
        self.scope.names["Integer"].append(name)

    def network(self):
        kind = self.rng.choice(["Integer", "Boolean", "Boolean"])
        name = self.name({"Integer": "n", "Boolean": "b"}[kind])
        self.model.add([f"{kind} {name}"], [f"{name} = {self.of(kind, 3)}"])
        self.scope.names[kind].append(name)

    def algorithm(self):
        rng, name, total = self.rng, self.name("n"), self.name("r")
        inner = self.scope.inner()
        inner.names["Integer"].append(name)
        inner.names["Real"] += ["time", total]
        lines = [f"when {self.condition()} then {name} := mod(pre({name}) + {rng.randint(1, 3)}, 7); if {self.of('Boolean', 1, inner)} "
                 f"then {total} := 0.5*{total} + {self.of('Real', 1, inner, TERM)}; else {total} := cos({self.of('Real', 1, inner)}); "
                 f"end if; for i in 1:2 loop {total} := {total}/2 + i; end for; end when"]
        self.model.add([f"Integer {name}(start = {rng.randint(0, 3)}, fixed = true)",
                        f"Real {total}(start = 0.25, fixed = true)"], lines, "algorithm")
        self.scope.names["Integer"].append(name)
        self.scope.names["Real"].append(total)

    def state(self):
        rng, name = self.rng, self.name("s")
        slope = rng.choice([self.of("Real", 2), f"-{name} + {self.of('Real', level=TERM)}", f"sin(time) + {self.of('Real', level=TERM)}",
                            f"if {self.of('Boolean', 2)} then 1 else -{rng.choice(['0.5', name])}"])
        lines = [f"der({name}) = {slope}"]
        if rng.random() < 0.4:
            lines.append(f"when {self.condition()} then reinit({name}, cos({self.of('Real', 1)})); end when")
        if rng.random() < 0.3:
            self.model.add([f"Real {name}"], lines)
            self.model.add([], [f"{name} = {self.literal()} + {self.known_name()}"], "initial equation")
        else:
            self.model.add([f"Real {name}(start = {self.literal()}, fixed = true)"], lines)
        self.model.add([f"Real y{name}"], [f"y{name} = {name}*{self.of('Real', level=FACTOR)} + time"])

    def known_name(self):
        """A parameter, or a number."""
        names = [name for kind in ("Real", "Integer") for name in self.scope.names[kind] if name.startswith("p")]
        return self.rng.choice(names + ["1"])

    def end(self):
        self.model.add([], [f"when {self.condition()} then terminate(\"enough\"); end when"])

    def literal(self):
        return self.expressions.literal()[0]


def draw(rng):
    drawing = Drawing(rng)
    drawing.clock()
    ways = [drawing.clock, drawing.clause, drawing.clause, drawing.clause, drawing.latch, drawing.peak, drawing.vector,
            drawing.coupled, drawing.network,
            drawing.network, drawing.algorithm, drawing.state]
    for _ in range(rng.randint(2, 7)):
        way = rng.choice(ways)
        if drawing.thresholds[3:] or way != drawing.clock:
            way()
    if rng.random() < 0.1:
        drawing.end()
    if rng.random() < 0.3:
        drawing.rng.shuffle(drawing.model.pieces)
    return drawing.model.pieces
