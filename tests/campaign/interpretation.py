"""A model's values over time by direct interpretation: slow, and written from the Modelica specification 3.6 alone.

Each scalar has one definition: an equation whose side is that scalar, an algorithm that assigns it, or a when-clause. A value is
computed when it is asked for. Events (8.5, 8.6, appendix B) are at the times of `sample` and where `time` passes a threshold; the
equations are evaluated with pre-values, which then take the new values, until nothing changes.
"""

import itertools

import evaluation
from evaluation import Undecided
from modelica_text import RELATIONS, Reader

AFTER = 1e-9  # an instant after an event, or before it: relations of time have their values there
TIME = ("name", "time", [])
STEPS = 40  # of the Runge-Kutta method between two instants


class Loop(Exception):
    """A value is needed to compute itself."""

    def __init__(self, scalar):
        super().__init__(f"{scalar} depends on itself")
        self.scalar = scalar


class Interpretation:
    def __init__(self, text, settings={}):
        """With the values of parameters that `settings` replaces."""
        self.model = Reader(text).model()
        self.declared = {d["name"]: d for d in self.model["declarations"]}
        for name, value in settings.items():
            self.declared[name]["value"] = Reader(value).expression()
        self.fixed, self.shapes, self.values = {}, {}, {}
        self.definitions, self.derivatives, self.clauses, self.reinits = {}, {}, [], []
        self.time, self.side, self.is_initial, self.is_event, self.thresholds = 0.0, 1, False, False, None
        self.is_terminated = False
        self.is_literal = False
        self.nudge = 0.0  # of the solutions of loops, relative to them, and a hundredth of it of what each event keeps
        self.held = None  # the time that relations see between events: a whole stretch is on one side of them
        self.pre, self.pre_conditions, self.conditions, self.states = {}, {}, {}, {}
        for name in self.declared:
            self.shapes[name] = self.shape(name)
        for equation in self.model["equations"]:
            self.define(equation, {})
        for declaration in self.model["declarations"]:
            if declaration["value"] is not None and not self.is_known(declaration["name"]):
                self.define(("equal", ("name", declaration["name"], []), declaration["value"]), {})
        for algorithm in self.model["algorithms"]:
            self.define_algorithm(algorithm)
        self.discrete = [scalar for scalar in self.definitions if self.is_discrete(scalar)]

    # Declarations

    def is_known(self, name):
        return bool({"parameter", "constant"} & set(self.declared[name]["prefixes"]))

    def shape(self, name):
        sizes = self.declared[name]["sizes"]
        if ("all",) in sizes:
            return evaluation.size(self.parameter(name))
        return [self.value(size) for size in sizes]

    def parameter(self, name):
        if name not in self.fixed:
            value = self.value(self.declared[name]["value"])
            self.fixed[name] = self.typed(name, value)
        return self.fixed[name]

    def typed(self, name, value):
        return evaluation.mapped(float, value) if self.declared[name]["type"] == "Real" else value

    def scalars(self, name):
        return [(name, place) for place in itertools.product(*(range(1, n + 1) for n in self.shapes[name]))]

    def start(self, scalar):
        name, place = scalar
        given = self.declared[name]["attributes"].get("start")
        value = self.value(given) if given else (False if self.declared[name]["type"] == "Boolean" else 0)
        for k in place if evaluation.is_array(value) else ():
            value = value[k - 1]
        return self.typed(name, value)

    def is_discrete(self, scalar):
        declaration = self.declared[scalar[0]]
        return (declaration["type"] != "Real" or "discrete" in declaration["prefixes"] or
                self.definitions[scalar][0] in ("when",) or scalar in self.assigned_in_when)

    # Definitions: scalar -> ("equation", e, loops, path), ("choice", [(condition, definition)], otherwise, loops),
    # ("when", clause) or ("algorithm", statements)

    assigned_in_when = frozenset()

    def define(self, equation, loops):
        for scalar, definition in self.definitions_of(equation, loops):
            if scalar in self.definitions or scalar in self.derivatives:
                raise SyntaxError(f"{scalar} is defined twice")
            if definition[0] == "derivative":
                self.derivatives[scalar] = definition[1]
            else:
                self.definitions[scalar] = definition

    def definitions_of(self, equation, loops):
        kind = equation[0]
        if kind == "for":
            return [found for inner in self.turns(equation[1], loops) for part in equation[2]
                    for found in self.definitions_of(part, inner)]
        if kind == "equal":
            return self.definitions_of_equation(equation, loops)
        if kind == "if":
            return self.definitions_of_choice(equation, loops)
        if kind == "when":
            return self.definitions_of_when(equation, loops)
        return []

    def turns(self, iterators, loops):
        """The values of the loops' variables, turn by turn."""
        if not iterators:
            return [loops]
        (name, values), rest = iterators[0], iterators[1:]
        return [inner for value in self.value(values, loops) for inner in self.turns(rest, {**loops, name: value})]

    def definitions_of_equation(self, equation, loops):
        _, left, right = equation
        if left[0] == "call" and left[1] == "der":
            inside = left[2][0]
            return [(scalar, ("derivative", ("equation", right, loops, path))) for scalar, path in self.targets(inside, loops)]
        if left[0] != "name":
            left, right = right, left
        return [(scalar, ("equation", right, loops, path)) for scalar, path in self.targets(left, loops)]

    def targets(self, reference, loops):
        """The scalars that a reference stands for, each with its place in the array of values."""
        _, name, subscripts = reference
        choices = self.chosen(name, subscripts, loops)
        result = []
        for place in itertools.product(*(range(len(many)) if is_many else [None] for many, is_many in choices)):
            index = tuple(many[0] if k is None else many[k] for (many, _), k in zip(choices, place))
            result.append(((name, index), [k for k in place if k is not None]))
        return result

    def chosen(self, name, subscripts, loops):
        """For each dimension the places and whether there is a dimension of them in the result."""
        shape, result = self.shapes[name], []
        for dimension, length in enumerate(shape):
            subscript = subscripts[dimension] if dimension < len(subscripts) else ("all",)
            if subscript == ("all",):
                result.append((list(range(1, length + 1)), True))
            else:
                value = self.value(subscript, {**loops, "end": length})
                many = value if evaluation.is_array(value) else [value]
                if not all(1 <= k <= length for k in many):
                    raise IndexError(f"{name}[{value}]")
                result.append((many, evaluation.is_array(value)))
        return result

    def definitions_of_choice(self, equation, loops):
        branches = [(condition, dict(found for part in body for found in self.definitions_of(part, loops)))
                    for condition, body in equation[1]]
        otherwise = dict(found for part in equation[2] for found in self.definitions_of(part, loops))
        result = []
        for scalar in otherwise:
            choice = ("choice", [(condition, found[scalar]) for condition, found in branches], otherwise[scalar], loops)
            is_derivative = otherwise[scalar][0] == "derivative"
            result.append((scalar, ("derivative", choice) if is_derivative else choice))
        return result

    def definitions_of_when(self, equation, loops):
        clause = {"number": len(self.clauses), "branches": [], "loops": loops}
        self.clauses.append(clause)
        scalars = []
        for condition, body in equation[1]:
            parts, reinits, ends = {}, [], False
            for part in body:
                if part[0] == "call" and part[1] == "reinit":
                    reinits += [(scalar, part[2][1]) for scalar, _ in self.targets(part[2][0], loops)]
                elif part[0] == "call":
                    ends = ends or part[1] == "terminate"
                else:
                    parts.update(self.definitions_of(part, loops))
            clause["branches"].append((condition, parts, reinits, ends))
            scalars += [scalar for scalar in parts if scalar not in scalars]
        return [(scalar, ("when", clause)) for scalar in scalars]

    def define_algorithm(self, statements):
        for name in assigned(statements):
            for scalar in self.scalars(name):
                self.definitions[scalar] = ("algorithm", statements)
        self.assigned_in_when = self.assigned_in_when | {scalar for name in assigned_in_when(statements)
                                                         for scalar in self.scalars(name)}

    # Values

    def lookup(self, scalar):
        """The value of a scalar now."""
        if scalar in self.values:
            value = self.values[scalar]
            if value is None:
                raise Loop(scalar)
            return value
        if scalar in self.derivatives:
            return self.states[scalar]
        if scalar not in self.definitions:
            raise SyntaxError(f"{scalar} has no definition")
        definition = self.definitions[scalar]
        if definition[0] == "algorithm":
            self.values[scalar] = None
            self.carry_out(definition[1])
        else:
            self.values[scalar] = self.computed(definition, scalar)
        return self.values[scalar]

    def computed(self, definition, scalar):
        """By its definition; where that needs the value itself, by the secant method: exact at once if the loop is linear."""
        before = dict(self.values)

        def residual(guess):
            self.values = dict(before)
            self.values[scalar] = guess
            try:
                return self.typed(scalar[0], self.defined(definition, scalar)) - guess
            except Undecided:
                self.values = before
                raise

        self.values[scalar] = None
        try:
            return self.typed(scalar[0], self.defined(definition, scalar))
        except Loop as loop:
            if loop.scalar != scalar or self.declared[scalar[0]]["type"] != "Real":
                self.values = before
                raise
        a, b, fa = 0.0, 1.0, residual(0.0)
        for _ in range(50):
            fb = residual(b)
            if abs(fb) < 1e-13 * (1 + abs(b)):
                return b * (1 + self.nudge)
            if fb == fa:
                break
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        self.values = before
        raise Undecided("loop")

    def defined(self, definition, scalar):
        if definition[0] == "derivative":
            definition = definition[1]
        if definition[0] == "equation":
            value = self.value(definition[1], definition[2])
            for k in definition[3] if evaluation.is_array(value) else ():
                value = value[k]
            return value
        if definition[0] == "choice":
            for condition, chosen in definition[1]:
                if self.value(condition, definition[3]):
                    return self.defined(chosen, scalar)
            return self.defined(definition[2], scalar)
        branch = self.active_branch(definition[1])
        if branch is not None and scalar in branch[1]:
            return self.defined(branch[1][scalar], scalar)
        return self.pre[scalar]

    def active_branch(self, clause):
        """The first branch of a when-clause whose condition becomes true."""
        result = None
        for number, branch in enumerate(clause["branches"]):
            if self.becomes_true(branch[0], (clause["number"], number), clause["loops"]) and result is None:
                result = branch
        return result

    def becomes_true(self, condition, key, loops):
        """Of a vector of conditions, one of them. During initialisation only initial() counts (8.6)."""
        parts = condition[1] if condition[0] == "list" else [condition]
        result = False
        for place, part in enumerate(parts):
            now = self.value(part, loops)
            before = self.pre_conditions.get((key, place), now)
            self.conditions[(key, place)] = now
            starts = self.is_initial and part == ("call", "initial", [], None)
            result = result or (starts if self.is_initial else now and not before)
        return result

    def value(self, e, loops={}):
        """The value of an expression."""
        return getattr(self, "value_of_" + e[0])(e, loops)

    def value_of_number(self, e, loops):
        return e[1]

    value_of_boolean = value_of_number

    def value_of_end(self, e, loops):
        return loops["end"]

    def value_of_name(self, e, loops):
        _, name, subscripts = e
        if name in loops:
            return loops[name]
        if name == "time":
            return self.time
        whole = self.parameter(name) if self.is_known(name) else None
        if whole is not None:
            self.shapes.setdefault(name, evaluation.size(whole))
        choices = self.chosen(name, subscripts, loops)

        def gathered(rest, index):
            if not rest:
                if not self.is_known(name):
                    return self.lookup((name, index))
                value = whole
                for k in index:
                    value = value[k - 1]
                return value
            (many, is_many), others = rest[0], rest[1:]
            return [gathered(others, index + (k,)) for k in many] if is_many else gathered(others, index + (many[0],))

        return gathered(choices, ())

    def value_of_unary(self, e, loops):
        value = self.value(e[2], loops)
        return not value if e[1] == "not" else evaluation.mapped(lambda x: -x, value)

    def value_of_binary(self, e, loops):
        operator = e[1]
        if operator in ("and", "or"):
            left = self.value(e[2], loops)
            return self.value(e[3], loops) if left == (operator == "and") else left
        if operator in RELATIONS:
            return self.value_of_relation(e, loops)
        return evaluation.BINARY[operator](self.value(e[2], loops), self.value(e[3], loops))

    def value_of_relation(self, e, loops):
        if not self.is_literal and threshold(self, e) is not None and self.thresholds is not None:
            now = self.time + self.side * AFTER if self.held is None else self.held
            a, b = (now if side == TIME else self.value(side, loops) for side in e[2:])
            return (a > b) == (e[1] in (">", ">="))
        return evaluation.relation(e[1], self.value(e[2], loops), self.value(e[3], loops))

    def value_of_if(self, e, loops):
        for condition, value in e[1]:
            if self.value(condition, loops):
                return self.value(value, loops)
        return self.value(e[2], loops)

    def value_of_list(self, e, loops):
        return [self.value(x, loops) for x in e[1]]

    def value_of_comprehension(self, e, loops):
        iterators = e[2]

        def nested(rest, inner):
            if not rest:
                return self.value(e[1], inner)
            name, values = rest[-1]  # the last iterator is the outermost (10.4.1.2)
            return [nested(rest[:-1], {**inner, name: value}) for value in self.value(values, inner)]

        return nested(iterators, loops)

    def value_of_matrix(self, e, loops):
        return [[self.value(x, loops) for x in row] for row in e[1]]

    def value_of_range(self, e, loops):
        first, last = self.value(e[1], loops), self.value(e[3], loops)
        step = self.value(e[2], loops) if e[2] else 1
        return list(range(first, last + (1 if step > 0 else -1), step))

    def value_of_call(self, e, loops):
        _, name, arguments, iterators = e
        if name in ("pre", "edge", "change", "sample", "initial", "terminal", "noEvent", "smooth", "der"):
            return self.value_of_event(name, arguments, loops)
        if iterators:
            values = [self.value(arguments[0], inner) for inner in self.turns(iterators, loops)]
            return evaluation.ARRAY[name](values)
        values = [self.value(argument, loops) for argument in arguments]
        if name in evaluation.SCALAR:
            return evaluation.mapped(evaluation.SCALAR[name], *values)
        return evaluation.ARRAY[name](*values)

    def value_of_event(self, name, arguments, loops):
        if name == "initial":
            return self.is_initial
        if name == "terminal":
            return False
        if name == "smooth":
            return self.value(arguments[-1], loops)
        if name == "noEvent":
            return self.literal_value(arguments[0], loops)
        if name == "sample":
            return self.is_sampled(arguments, loops)
        (scalar, _), = self.targets(arguments[0], loops)
        if name == "der":
            return self.derivative(scalar)
        before = self.states[scalar] if scalar in self.derivatives else self.pre[scalar]
        if name == "pre":
            return before
        now = self.lookup(scalar)
        return now and not before if name == "edge" else now != before

    def literal_value(self, e, loops):
        """Relations compare what there is at the time, not an instant before or after it."""
        before, self.is_literal = self.is_literal, True
        try:
            return self.value(e, loops)
        finally:
            self.is_literal = before

    def is_sampled(self, arguments, loops):
        start, interval = (float(self.value(argument, loops)) for argument in arguments)
        turns = round((self.time - start) / interval)
        return self.is_event and turns >= 0 and abs(self.time - start - turns * interval) < AFTER

    def derivative(self, scalar):
        return self.typed(scalar[0], self.defined(self.derivatives[scalar], scalar))

    # Algorithms (11.1): outputs begin with their pre-value or their start value

    def carry_out(self, statements):
        for name in assigned(statements):
            for scalar in self.scalars(name):
                self.values[scalar] = self.pre[scalar] if self.is_discrete(scalar) else self.start(scalar)
        try:
            self.carry_out_all(statements, {}, (id(statements),))
        except (Undecided, Loop):
            for name in assigned(statements):
                for scalar in self.scalars(name):
                    self.values.pop(scalar, None)
            raise

    def carry_out_all(self, statements, loops, key):
        for number, statement in enumerate(statements):
            self.carry_out_one(statement, loops, key + (number,))

    def carry_out_one(self, statement, loops, key):
        kind = statement[0]
        if kind == "assign":
            value = self.value(statement[2], loops)
            for scalar, path in self.targets(statement[1], loops):
                part = value
                for k in path if evaluation.is_array(value) else ():
                    part = part[k]
                self.values[scalar] = self.typed(scalar[0], part)
        elif kind == "for":
            for turn, inner in enumerate(self.turns(statement[1], loops)):
                self.carry_out_all(statement[2], inner, key + (turn,))
        elif kind == "if":
            for condition, body in statement[1]:
                if self.value(condition, loops):
                    return self.carry_out_all(body, loops, key)
            self.carry_out_all(statement[2], loops, key)
        elif kind == "when":
            done = False
            for branch, (condition, body) in enumerate(statement[1]):
                if self.becomes_true(condition, key + (branch,), loops) and not done:
                    done = True
                    self.carry_out_all(body, loops, key + (branch,))
        return None

    # A run

    def evaluated(self):
        """All scalars now."""
        self.values, self.conditions = {}, {}
        result = {scalar: self.lookup(scalar) for scalar in self.definitions}
        result.update({scalar: self.states[scalar] for scalar in self.derivatives})
        for clause in self.clauses:  # those that only reinitialise, too
            self.active_branch(clause)
        return result

    def evaluated_one(self, scalar):
        """One scalar now; None where it is undecided."""
        self.values = {known: value for known, value in self.values.items() if value is not None}
        try:
            return self.lookup(scalar)
        except (Undecided, Loop):
            return None

    def settle(self):
        """The event iteration of appendix B: until pre-values and values agree."""
        for _ in range(50):
            now = self.evaluated()
            moved = {}
            for clause in self.clauses:
                branch = self.active_branch(clause)
                self.is_terminated = self.is_terminated or bool(branch and branch[3])
                for scalar, e in branch[2] if branch else ():
                    moved[scalar] = float(self.value(e, clause["loops"]))
            new = {scalar: now[scalar] for scalar in self.discrete}
            is_done = new == self.pre and self.conditions == self.pre_conditions and not moved
            self.pre, self.pre_conditions, self.is_initial = new, self.conditions, False
            self.states.update(moved)
            if is_done:
                return
        raise Undecided("the events do not come to rest")

    def initialise(self, start):
        self.time, self.is_initial, self.is_event, self.start_time = start, True, True, start
        self.thresholds = event_times(self)
        self.pre = {scalar: self.start(scalar) for scalar in self.discrete}
        self.states = {scalar: self.start(scalar) for scalar in self.derivatives}
        for equation in self.model["initial equations"]:
            left, value = equation[1], self.value(equation[2])
            is_memory = left[0] == "call"
            (scalar, _), = self.targets(left[2][0] if is_memory else left, {})
            (self.states if scalar in self.derivatives else self.pre)[scalar] = self.typed(scalar[0], value)
        self.settle()
        self.is_event = False

    def pass_event(self, time):
        """What holds from an event on."""
        self.time, self.is_event = time, True
        if self.nudge:
            self.pre = {scalar: value * (1 + 0.01 * self.nudge) if self.declared[scalar[0]]["type"] == "Real" else value
                        for scalar, value in self.pre.items()}
        self.settle()
        self.is_event = False
        self.evaluated()  # `sample` is false again
        self.pre_conditions = self.conditions

    def advance(self, until):
        """The states at a later time without an event in between: the classical Runge-Kutta method."""
        if not self.derivatives or until == self.time:
            self.time = until
            return
        h, names = (until - self.time) / STEPS, list(self.derivatives)
        self.held = (self.time + until) / 2
        start, y = self.time, [self.states[name] for name in names]

        def slopes(t, values):
            self.time, self.values, self.conditions = t, {}, {}
            self.states.update(zip(names, values))
            return [self.derivative(name) for name in names]

        for step in range(STEPS):
            t = start + step * h
            k1 = slopes(t, y)
            k2 = slopes(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
            k3 = slopes(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
            k4 = slopes(t + h, [a + h * b for a, b in zip(y, k3)])
            y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
        self.states.update(zip(names, y))
        self.time, self.held = until, None


def assigned(statements):
    """The names that statements assign, in their order."""
    result = []
    for statement in statements:
        if statement[0] == "assign":
            found = [statement[1][1]]
        elif statement[0] == "for":
            found = assigned(statement[2])
        elif statement[0] in ("if", "when"):
            found = [name for _, body in statement[1] for name in assigned(body)] + assigned(statement[2])
        else:
            found = []
        result += [name for name in found if name not in result]
    return result


def assigned_in_when(statements):
    result = []
    for statement in statements:
        if statement[0] == "when":
            result += [name for _, body in statement[1] for name in assigned(body)]
        elif statement[0] == "for":
            result += assigned_in_when(statement[2])
        elif statement[0] == "if":
            result += [name for _, body in statement[1] for name in assigned_in_when(body)] + assigned_in_when(statement[2])
    return result


def walk(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, tuple) and tree and tree[0] in ("binary", "call", "name"):
        yield tree
    if isinstance(tree, (tuple, list)):
        for part in tree:
            yield from walk(part)


def threshold(interpretation, e):
    """What `time` is compared with, if it is known before the run."""
    if e[1] not in RELATIONS or (e[2] == TIME) == (e[3] == TIME):
        return None
    other = e[3] if e[2] == TIME else e[2]
    names = [found[1] for found in walk(other) if found[0] == "name"]
    return other if all(name in interpretation.declared and interpretation.is_known(name) for name in names) else None


def event_times(interpretation):
    """A function of the stop time that gives the times of `sample` and of `time` compared with what is known."""
    samples, thresholds = [], []
    for found in walk(interpretation.model):
        if found[0] == "call" and found[1] == "sample":
            samples.append([float(interpretation.value(argument)) for argument in found[2]])
        elif found[0] == "binary" and threshold(interpretation, found) is not None:
            thresholds.append(float(interpretation.value(threshold(interpretation, found))))

    def until(stop):
        times = [t for t in thresholds if interpretation.start_time < t <= stop]
        for start, interval in samples:
            k = 0
            while start + k * interval <= stop + AFTER:
                if start + k * interval > interpretation.start_time + AFTER:
                    times.append(start + k * interval)
                k += 1
        return [t for k, t in enumerate(sorted(times)) if k == 0 or t - sorted(times)[k - 1] > AFTER]

    return until
