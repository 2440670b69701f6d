"""Random hybrid automata with piecewise constant slopes, against event times in rational arithmetic.

A model is a product of automata. Each has a mode m, a counter n of transitions and states with a slope for every mode, which
may also depend on whether the mode of the automaton before it is even. A transition leaves a mode when a state, or the time,
passes a threshold; it may give states new values. Events of different automata may fall on one instant. A further state
integrates the first one, so that solutions are polynomials of degree 2.

Discarded are cases in which rounding decides: two transitions of one automaton at one instant, a state that is on a threshold of
the mode that it enters, or whose slope changes sign at the instant of its own crossing because of another automaton; and resets that
multiply rounding errors again and again.
"""

import random
from fractions import Fraction

import support

METHODS = ("radau5", "dopri5", "bdf", "rodas4", "rodas5p", "tsit5", "dop853", "esdirk4", "adams", "radau", "taylor8", "verner65",
           "radau9", "ndf", "rbdf64", "esdirk5", "radau13", "taylor12")
STOP = Fraction(10)
FEWEST, MOST = 2, 60  # transitions in a run
APART = Fraction(1, 1000)
MOST_GROWTH = 1e5  # of a rounding error
SAME = 1e-5  # of two events at one instant, rounding puts one first, and a margin of 0 then waits for the tolerances (1e-6)


class Discarded(Exception):
    """Rounding would decide."""


def fraction(text):
    return Fraction(text)


class Automata(support.Campaign):
    name = "automata"

    def case(self, rng, index):
        while True:
            case = draw(rng)
            try:
                events, _ = exact(case)
            except Discarded:
                continue
            if FEWEST <= len(events) <= MOST:
                return case

    def text(self, case):
        return model(case)

    def group(self, case):
        return case["method"]

    def kind(self, message):
        return message.split(",")[0]

    def check(self, program, case):
        try:
            events, final = exact(case)
        except Discarded:
            return None
        run, results = program.simulate(model(case), "--stop", float(STOP), "--interval", 0.5, "--method", case["method"])
        if run.code != 0:
            return run.reason()
        return wrong_events(case, results, events) or wrong_values(results, final)

    def smaller(self, case):
        automata = case["automata"]
        for k in range(len(automata)):
            if len(automata) > 1:
                yield dict(case, automata=automata[:k] + automata[k + 1:])
        for k, automaton in enumerate(automata):
            change = lambda **fields: dict(case, automata=automata[:k] + [dict(automaton, **fields)] + automata[k + 1:])
            for place in range(len(automaton["transitions"])):
                yield change(transitions=automaton["transitions"][:place] + automaton["transitions"][place + 1:])
            if automaton["coupled"]:
                yield change(coupled=False)
            for place, transition in enumerate(automaton["transitions"]):
                if transition["resets"]:
                    yield change(transitions=automaton["transitions"][:place] + [dict(transition, resets=[])] +
                                 automaton["transitions"][place + 1:])


# A case: numbers are texts of fractions, so that it can be printed and kept

def draw(rng):
    number = lambda low, high: str(Fraction(rng.randint(low, high), rng.choice([1, 1, 2, 3, 4, 5])))
    automata = []
    for k in range(rng.choice([1, 1, 2, 3])):
        states, modes = rng.randint(1, 2), rng.randint(2, 3)
        slopes = [[[number(-6, 6) for _ in range(2)] for _ in range(states)] for _ in range(modes)]
        transitions = []
        for source in range(modes):
            for _ in range(rng.choice([1, 1, 2])):
                resets = [[state, rng.choice(["set", "scale", "add"]), number(-4, 4)] for state in range(states)
                          if rng.random() < 0.4]
                transitions.append({"from": source, "state": rng.randint(0, states - 1) if rng.random() < 0.9 else -1,
                                    "relation": rng.choice(["<", "<=", ">", ">="]), "threshold": number(-6, 6),
                                    "to": rng.randint(0, modes - 1), "resets": resets})
        automata.append({"start": [number(-3, 3) for _ in range(states)], "slopes": slopes, "transitions": transitions,
                         "coupled": k > 0 and rng.random() < 0.5})
    return {"automata": automata, "method": rng.choice(METHODS)}


def literal(text):
    value = Fraction(text)
    words = str(float(value)) if Fraction(str(float(value))) == value else f"{value.numerator}/{value.denominator}"
    return f"({words})" if value < 0 or "/" in words else words


def state_name(k, state):
    return "time" if state < 0 else f"x{k}_{state}"


def slope_text(case, k, state):
    """The slope as a choice by modes."""
    automaton, words = case["automata"][k], ""
    for mode, slopes in enumerate(automaton["slopes"]):
        first, second = map(literal, slopes[state])
        value = f"(if mod(m{k - 1}, 2) == 0 then {first} else {second})" if automaton["coupled"] and k else first
        is_last = mode == len(automaton["slopes"]) - 1
        words += value if is_last else f"if m{k} == {mode} then {value} else "
    return words


def model(case):
    declared, equations = ["Real y(start = 0, fixed = true)"], ["der(y) = x0_0"]
    for k, automaton in enumerate(case["automata"]):
        declared += [f"Integer m{k}(start = 0, fixed = true), n{k}(start = 0, fixed = true)"]
        for state, start in enumerate(automaton["start"]):
            declared.append(f"Real x{k}_{state}(start = {literal(start)}, fixed = true)")
            equations.append(f"der(x{k}_{state}) = {slope_text(case, k, state)}")
        branches = []
        for transition in automaton["transitions"]:
            guard = f"{state_name(k, transition['state'])} {transition['relation']} {literal(transition['threshold'])}"
            body = [f"m{k} = {transition['to']};", f"n{k} = pre(n{k}) + 1;"]
            for state, way, value in transition["resets"]:
                name = state_name(k, state)
                new = {"set": literal(value), "scale": f"{literal(value)}*pre({name})", "add": f"pre({name}) + {literal(value)}"}
                body.append(f"reinit({name}, {new[way]});")
            branches.append(f"pre(m{k}) == {transition['from']} and {guard} then {' '.join(body)}")
        if branches:
            equations.append(f"when {' elsewhen '.join(branches)} end when")
        else:
            equations += [f"m{k} = 0", f"n{k} = 0"]
    lines = ["model A"] + [f"  {line};" for line in declared] + ["equation"] + [f"  {line};" for line in equations]
    return "\n".join(lines + ["end A;", ""])


# The exact run

class Product:
    """Modes, states and conditions of all automata at one time."""

    def __init__(self, case):
        self.automata, self.t, self.y = case["automata"], Fraction(0), Fraction(0)
        self.m = [0] * len(self.automata)
        self.n = [0] * len(self.automata)
        self.x = [[fraction(v) for v in automaton["start"]] for automaton in self.automata]
        self.roundings = random.Random(0)
        self.errors = [[self.rounding() for _ in values] for values in self.x]  # to first order, in units of a rounding error
        self.conditions = {}
        for key, transition in self.transitions():
            value = self.margin(key[0], transition)
            if abs(value) < APART:
                raise Discarded
            self.conditions[key] = self.m[key[0]] == transition["from"] and value > 0

    def rounding(self):
        return self.roundings.choice((-1.0, 1.0))

    def shift_errors(self, shift):
        """From the time of an event to the time that it should have, or back."""
        for k, errors in enumerate(self.errors):
            for state in range(len(errors)):
                errors[state] += float(self.slope(k, state)) * shift

    def transitions(self):
        return [((k, place), transition) for k, automaton in enumerate(self.automata)
                for place, transition in enumerate(automaton["transitions"])]

    def slope(self, k, state, modes=None):
        modes = modes or self.m
        if state < 0:
            return Fraction(1)
        slopes = self.automata[k]["slopes"][modes[k]][state]
        return fraction(slopes[modes[k - 1] % 2 if self.automata[k]["coupled"] and k else 0])

    def margin(self, k, transition):
        """Positive where the relation holds."""
        value = self.t if transition["state"] < 0 else self.x[k][transition["state"]]
        difference = value - fraction(transition["threshold"])
        return difference if transition["relation"][0] == ">" else -difference

    def rate(self, k, transition, modes=None):
        slope = self.slope(k, transition["state"], modes)
        return slope if transition["relation"][0] == ">" else -slope

    def next_time(self):
        """Of the transitions that can be taken in the present modes, the times at which their relations become true."""
        times = [self.t - self.margin(key[0], transition) / self.rate(key[0], transition)
                 for key, transition in self.transitions()
                 if transition["from"] == self.m[key[0]] and self.margin(key[0], transition) < 0 < self.rate(key[0], transition)]
        return min(times, default=None)

    def fall_time(self):
        """The same for conditions that are true and become false: they can be met again from then on."""
        times = [self.t - self.margin(key[0], transition) / self.rate(key[0], transition)
                 for key, transition in self.transitions()
                 if self.conditions[key] and self.margin(key[0], transition) > 0 > self.rate(key[0], transition)]
        return min(times, default=None)

    def disarm(self):
        """Conditions that end now can become true again."""
        for key, transition in self.transitions():
            if self.margin(key[0], transition) == 0 and self.rate(key[0], transition) < 0:
                self.conditions[key] = False

    def advance(self, t):
        for k, values in enumerate(self.x):
            if k == 0:
                self.y += values[0] * (t - self.t) + self.slope(0, 0) * (t - self.t) ** 2 / 2
            for state in range(len(values)):
                values[state] += self.slope(k, state) * (t - self.t)
        self.t = t


def settle(product):
    """The event iteration at the present time; relations that are crossed just now are true."""
    old, crossing = list(product.m), {}
    for key, transition in product.transitions():
        if product.margin(key[0], transition) == 0:
            crossing[key] = product.rate(key[0], transition) > 0
    lateness = max((late(product, key[0], transition) for key, transition in product.transitions() if crossing.get(key)),
                   key=abs, default=0.0)
    product.shift_errors(lateness)
    moved = set()
    for _ in range(6):
        taken = []
        for k in range(len(product.automata)):
            rising = []
            for key, transition in product.transitions():
                if key[0] != k:
                    continue
                is_on = (product.m[k] == transition["from"] and
                         holds(product, key, transition, crossing, (k, transition["state"]) in moved))
                if is_on and not product.conditions[key]:
                    rising.append(transition)
                product.conditions[key] = is_on
            if len(rising) > 1 or any(product.m[k] != old[k] and product.margin(k, transition) == 0 for transition in rising):
                raise Discarded  # rounding would decide which comes first, and with it whether the second one comes at all
            taken += [(k, transition) for transition in rising]
        if not taken:
            checked(product, old, crossing, moved)
            product.shift_errors(-lateness)
            check_growth(product)
            return
        for k, transition in taken:
            before = list(product.x[k])
            product.m[k], product.n[k] = transition["to"], product.n[k] + 1
            for state, way, value in transition["resets"]:
                value = fraction(value)
                product.x[k][state] = {"set": value, "scale": value * before[state], "add": before[state] + value}[way]
                product.errors[k][state] *= {"set": 0.0, "scale": float(value), "add": 1.0}[way]
                moved.add((k, state))
    raise Discarded


def late(product, k, transition):
    """By how much the error of a state delays its crossing."""
    state = transition["state"]
    return 0.0 if state < 0 else -product.errors[k][state] / float(product.slope(k, state))


def check_growth(product):
    for errors in product.errors:
        for state, error in enumerate(errors):
            if abs(error) > MOST_GROWTH:
                raise Discarded
            errors[state] = error + product.rounding()


def holds(product, key, transition, crossing, is_moved):
    value = product.margin(key[0], transition)
    if key in crossing and not is_moved:
        return crossing[key]
    if abs(value) < APART:
        raise Discarded
    return value > 0


def checked(product, old, crossing, moved):
    """No threshold of the modes that were entered is where a state is; no crossing was turned back by another automaton."""
    for key, transition in product.transitions():
        k = key[0]
        if transition["from"] == product.m[k] and product.m[k] != old[k] and abs(product.margin(k, transition)) < APART:
            raise Discarded
        if key in crossing:
            modes = list(product.m)
            modes[k] = old[k]
            if product.rate(k, transition, modes) * product.rate(k, transition, old) <= 0:
                raise Discarded
            if (k, transition["state"]) not in moved and transition["from"] == product.m[k] == old[k]:
                raise Discarded  # it stays on its threshold's far side only if nothing pushes it back


def exact(case):
    """The events as (time, modes, counters), and the final values by name."""
    product, events = Product(case), []
    for _ in range(4 * MOST):
        falling, rising = product.fall_time(), product.next_time()
        t = min((t for t in (falling, rising) if t is not None), default=None)
        if t is None or t > STOP:
            break
        if falling is not None and rising is not None and abs(rising - falling) < APART or t > STOP - APART:
            raise Discarded
        if events and t - events[-1][0] < APART:
            raise Discarded
        product.advance(t)
        if t == falling:
            product.disarm()
            continue
        settle(product)
        events.append((t, list(product.m), list(product.n)))
        if len(events) > MOST:
            raise Discarded
    product.advance(STOP)
    final = {"y": product.y}
    for k, values in enumerate(product.x):
        final.update({f"m{k}": product.m[k], f"n{k}": product.n[k]})
        final.update({f"x{k}_{state}": value for state, value in enumerate(values)})
    return events, final


# Comparison

def wrong_events(case, results, events):
    found, before = [], [0] * len(case["automata"])
    for row, t in enumerate(results["time"]):
        now = [int(results[f"n{k}"][row]) for k in range(len(case["automata"]))]
        if now != before:
            modes = [int(results[f"m{k}"][row]) for k in range(len(case["automata"]))]
            if found and t - found[-1][0] < SAME * (1 + t):
                found.pop()
            found.append((t, modes, now))
            before = now
    for number, (due, got) in enumerate(zip(events, found)):
        if abs(float(due[0]) - got[0]) > SAME * (1 + got[0]):
            return f"an event at another time, number {number + 1} at {got[0]:.12g}, exactly {float(due[0]):.12g}"
        if due[1:] != got[1:]:
            return f"an event with another outcome, at t = {got[0]:.9g} modes and counts {got[1:]}, exactly {due[1:]}"
    if len(events) != len(found):
        return f"events missed or doubled, {len(found)} in place of {len(events)}"
    return None


def wrong_values(results, final):
    for name, value in final.items():
        found = results[name][-1]
        if not abs(found - float(value)) <= 1e-5 * (1 + abs(float(value))):
            return f"a final value differs, {name} = {found:.12g}, exactly {float(value):.12g}"
    return None
