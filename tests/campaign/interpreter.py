"""The program against an independent interpreter of its Modelica: expressions, arrays, algorithms, discrete equations, starts."""

import random
import re

import discrete_models
import random_models
import support
from evaluation import Undecided
from interpretation import AFTER, Interpretation, Loop

STOP = 2.0
METHODS = ("radau5", "dopri5", "bdf", "rodas5p", "esdirk4", "tsit5", "taylor12", "radau", "adams", "verner65")
GENERATED = ("radau5", "dopri5", "rodas5p", "esdirk4", "tsit5", "verner65")  # steps of these can be generated
ENDLESS = ("event-accumulation", "event-chattering")
NEAR = 1e-7  # on both sides of an event that only the model knows


class Interpreter(support.Campaign):
    name = "interpreter"

    def case(self, rng, index):
        draw = random_models.static if index % 2 == 0 else discrete_models.draw
        while True:
            case = {"pieces": draw(rng), "set": {}, "start": rng.choice([0.0, 0.0, 0.05, -0.5]),
                    "method": rng.choice(METHODS), "inline": rng.choice(["auto", "on", "off"]),
                    "layout": rng.choice([0, rng.randint(1, 10**6)])}
            if rng.random() < 0.3:
                case["set"] = setting(rng, self.text(case))
            try:
                if is_decided(case, self.text(case)):
                    return case
            except Undecided:
                pass

    def text(self, case):
        text = random_models.text(case["pieces"])
        return laid_out(text, random.Random(case["layout"])) if case.get("layout") else text

    def check(self, program, case):
        text = self.text(case)
        try:
            interpretation = Interpretation(text, case["set"])
            interpretation.initialise(case["start"])
        except Exception:  # a smaller case that is not a model: cases as drawn have been interpreted before
            return None
        run, results = program.simulate(text, "--start", case["start"], "--stop", STOP, "--interval", 0.137, *options(case, text))
        if run.code != 0:
            if is_endless(run) and is_undecided(interpretation, STOP if run.code is None else run.told()["t_end"]):
                return None
            return f"refused with {run.reason()}, {first_error(run)}"
        try:
            wrong = difference(interpretation, results)
            return None if wrong and is_sensitive(text, case, results, wrong) else wrong
        except (Undecided, Loop):
            return None

    def kind(self, message):
        return message.split(",")[0]

    def group(self, case):
        return "discrete" if "pre(" in self.text(case) or "when" in self.text(case) else "static"

    def smaller(self, case):
        for simple in ({"set": {}}, {"start": 0.0}, {"method": "radau5"}, {"inline": "auto"}, {"layout": 0}):
            if any(case[key] != value for key, value in simple.items()):
                yield dict(case, **simple)
        for pieces in fewer(case["pieces"]):
            yield dict(case, pieces=pieces)


def is_sensitive(text, case, results, wrong):
    """Whether the difference is one that the last digits of a loop's solution or of a `pre` value make, as in iterated maps."""
    nudged = Interpretation(text, case["set"])
    nudged.nudge = 1e-12
    nudged.initialise(case["start"])
    pattern = r"(\S+) = (\S+) at t = (\S+), the interpreter has (\S+)"
    found, other = (re.search(pattern, message or "") for message in (wrong, difference(nudged, results)))
    if not found or not other or found.group(1, 3) != other.group(1, 3):
        return found is not None
    got, due, moved = float(found[2]), float(found[4]), float(other[4])
    return abs(moved - due) > 0.01 * abs(got - due)


def laid_out(text, rng):
    """The same with other white space and with comments."""
    spaces = [" "] * 6 + ["  ", "\t", "\n", "\r\n", " /* a comment; */ ", " // another = one\n"]
    return re.sub(r"(?<=[^ ]) (?=[^ ])", lambda _: rng.choice(spaces), text)


def fewer(pieces):
    """Without a piece, without a line of one, with a shorter line."""
    for place in reversed(range(len(pieces))):
        yield pieces[:place] + pieces[place + 1:]
    for place, (declarations, lines, section) in enumerate(pieces):
        replaced = lambda *piece: pieces[:place] + [list(piece)] + pieces[place + 1:]
        for line in reversed(range(len(lines))):
            if len(lines) > 1:
                yield replaced(declarations, lines[:line] + lines[line + 1:], section)
        for line, words in enumerate(lines):
            for shorter in shorter_texts(words):
                yield replaced(declarations, lines[:line] + [shorter] + lines[line + 1:], section)
        for line, words in enumerate(declarations):
            for shorter in shorter_texts(words):
                yield replaced(declarations[:line] + [shorter] + declarations[line + 1:], lines, section)


def setting(rng, text):
    """Another value for a parameter that is open to it."""
    found = re.findall(r"^  parameter (Real|Integer|Boolean) (p\d)", text, re.M)
    if not found:
        return {}
    kind, name = rng.choice(found)
    values = {"Real": ["0.7", "2.25", "1"], "Integer": ["1", "4"], "Boolean": ["true", "false"]}
    return {name: rng.choice(values[kind])}


def options(case, text):
    """States are integrated, by any method and with generated steps or without; else there is nothing to choose."""
    given = [word for name, value in case["set"].items() for word in ("--set", f"{name}={value}")]
    if "der(" in text:
        given += ["--method", case["method"], "--rtol", "1e-8"]
        if case["method"] in GENERATED:
            given += ["--inline", case["inline"]]
    return given


def shorter_texts(words):
    """The same with what is in parentheses, or right of the equals sign, replaced by something simple."""
    for begin in [k for k, letter in enumerate(words) if letter == "("]:
        depth, end = 0, begin
        for end in range(begin, len(words)):
            depth += {"(": 1, ")": -1}.get(words[end], 0)
            if depth == 0:
                break
        inside = words[begin + 1:end]
        if len(inside) > 4:
            for value in ("1.5", "2", "true", "time"):
                yield words[:begin + 1] + value + words[end:]
    place = words.find("= ")
    if place >= 0 and len(words) - place > 8:
        for value in ("1.5", "2", "true", "time"):
            yield words[:place + 2] + value


def first_error(run):
    return next((line for line in run.stderr.split("\n") if "error" in line), "")


def is_endless(run):
    return run.code is None or run.told().get("reason") in ENDLESS


def is_undecided(interpretation, until):
    """Whether rounding decides a relation there, as it does in `time >= tanh(time)` near 0, or a run has too many events until
    then."""
    try:
        for time in [event for event in interpretation.thresholds(STOP) if event < until]:
            interpretation.advance(time)
            interpretation.pass_event(time)
        interpretation.advance(until)
        interpretation.evaluated()
    except (Undecided, Loop):
        return True
    return False


def is_decided(case, text):
    """Whether most of it has a value at a few times."""
    interpretation = Interpretation(text, case["set"])
    interpretation.initialise(case["start"])
    for time in interpretation.thresholds(STOP)[:40]:
        if not interpretation.is_terminated:
            interpretation.advance(time)
            interpretation.pass_event(time)
    found = [interpretation.evaluated_one(scalar) for scalar in interpretation.definitions]
    return sum(value is not None for value in found) > 0.7 * len(found)


def label(scalar):
    name, place = scalar
    return f"{name}[{','.join(map(str, place))}]" if place else name


def difference(interpretation, results):
    """Rows of the results from the first to the last beside the interpreter's values."""
    pending = interpretation.thresholds(STOP)
    times = results["time"]
    row = 0
    while row < len(times):
        last = row
        while last + 1 < len(times) and times[last + 1] - times[row] < AFTER:
            last += 1
        wrong = None
        is_event = False
        while pending and pending[0] < times[row] + AFTER:
            event = pending.pop(0)
            interpretation.advance(event)
            if abs(event - times[row]) < AFTER and not is_event:
                is_event = True
                interpretation.side = -1
                wrong = compared(interpretation, results, row) if last > row else None
                interpretation.side = 1
            interpretation.pass_event(event)
        if is_event:
            wrong = wrong or compared(interpretation, results, last)
            if interpretation.is_terminated:
                return wrong or ("`terminate` is passed by" if last < len(times) - 1 else None)
        elif last > row:
            interpretation.advance(times[row])
            wrong = compared_near(interpretation, results, row, -NEAR) or compared_near(interpretation, results, last, NEAR)
        else:
            interpretation.advance(times[row])
            wrong = compared(interpretation, results, row)
        if wrong:
            return wrong
        row = last + 1
    return "the results end early" if times[-1] < STOP - AFTER else None


def compared_near(interpretation, results, row, shift):
    """Discrete values an instant before or after an event that comes from a relation of the model."""
    now = interpretation.time
    interpretation.time += shift
    try:
        return compared(interpretation, results, row, only_discrete=True)
    finally:
        interpretation.time = now


def compared(interpretation, results, row, only_discrete=False):
    interpretation.values, interpretation.conditions = {}, {}
    tolerance = 1e-5 if interpretation.derivatives else 1e-8
    for scalar in [*interpretation.definitions, *interpretation.derivatives]:
        name = scalar[0]
        is_real = interpretation.declared[name]["type"] == "Real"
        if only_discrete and is_real:
            continue
        if label(scalar) not in results:
            return f"a variable is missing, {label(scalar)}"
        due = interpretation.evaluated_one(scalar)
        found = results[label(scalar)][row]
        if due is None:
            continue
        if not (abs(found - due) <= tolerance * (1 + abs(due)) if is_real else found == due):
            return (f"{interpretation.declared[name]['type']} differs, {label(scalar)} = {found:.12g} at t = "
                    f"{results['time'][row]:.9g}, the interpreter has {float(due):.12g}")
    return None
