"""Values that are not defined from a known time on: the run ends there as `domain`, however they are used.

A function leaves its domain at that time and goes through operations that could hide it: max, min, sign, relations, products with
0. What the model says is what counts: nothing may be simplified away. The results until then are kept.
"""

import interpreter
import random_models
import support

STOP = 2.0
INTERVAL = 0.137


class Undefined(support.Campaign):
    name = "undefined"

    def case(self, rng, index):
        pieces, end = draw(rng)
        return {"pieces": pieces, "end": end, "method": rng.choice(["radau5", "dopri5", "bdf"])}

    def text(self, case):
        return random_models.text(case["pieces"])

    def kind(self, message):
        return message.split(",")[0]

    def check(self, program, case):
        text, end = self.text(case), case["end"]
        if f"{end}" not in text:
            return None  # a smaller case without it
        if abs(end / INTERVAL - round(end / INTERVAL)) < 1e-6:
            return None  # rounding decides whether the row there has a value
        run, results = program.simulate(text, "--stop", STOP, "--interval", INTERVAL, "--method", case["method"])
        told = run.told()
        if run.code == 0:
            return f"an undefined value is swallowed, the run goes on after t = {end}"
        if told.get("reason") == "model.nonfinite-parameter":
            return None  # another undefined value in the same run
        reasons = ["domain"] + ["event-accumulation"] * ("log" in text)  # a value that falls for ever may have events without end
        if run.code != 1 or told.get("reason") not in reasons:
            return f"an undefined value ends otherwise, {run.reason()}"
        if not end - 0.01 <= told.get("t_end", -1) <= end + INTERVAL:  # a value that only the results need shows at their rows
            return f"the time of an undefined value is wrong, t = {told.get('t_end')} in place of {end}"
        if results is None or results["time"][-1] < end - INTERVAL - 0.01:
            return f"results before an undefined value are lost, until t = {results and results['time'][-1]}"
        return None

    def smaller(self, case):
        if case["method"] != "radau5":
            yield dict(case, method="radau5")
        for pieces in interpreter.fewer(case["pieces"]):
            yield dict(case, pieces=pieces)


def draw(rng):
    """Pieces of a model with an undefined variable, and the time from which it is."""
    model, scope, expressions = random_models.Model(), random_models.Scope(), random_models.Expressions(rng)
    random_models.known(model, scope, expressions)
    end = round(rng.uniform(0.3, 1.7), 3)
    inside = rng.choice([f"{end} - time", f"1 - time/{end}", f"{end}*{end} - time^2"])
    words = rng.choice([f"sqrt({inside})", f"log({inside})", f"log10({inside})", f"({inside})^0.5", f"asin(1 + time - {end})",
                        f"acos(1 + time - {end})", f"sqrt(sin(0.5*({inside})))"])
    for _ in range(rng.randint(0, 3)):
        words = used(words, expressions.literal()[0], rng)
    model.add(["Real y"], [f"y = {words}"])
    if rng.random() < 0.4:
        model.add(["Real x(start = 1, fixed = true)"], [f"der(x) = {rng.choice(['-x', '1', 'y', '-x + 0*y'])}"])
    return model.pieces, end


def used(words, c, rng):
    """Ways to use a value, each of which must evaluate it."""
    return rng.choice([f"max({words}, {c})", f"min({c}, {words})", f"0*({words})", f"sign({words})", f"abs({words})", f"({words})^2",
                       f"(if {words} < {c} then 2.5 else {c})", f"noEvent(if {words} > {c} then {c} else 1.5)", f"floor({words})",
                       f"({words} + {c})", f"cos({words})", f"(if {words} > {c} and time > 0.1 then 1.0 else {c})",
                       f"({c} - ({words}))", f"max({{{c}, {words}}})", f"sum({{{words}, {c}}})", f"atan2({words}, {c})"])
