"""Every method on every built-in problem and tolerance: it finishes with the accuracy that it promises, or says why not.

A tolerance bounds the error of a step. If all errors of n steps added up, without growing or decaying on the way, the end
would be off by n tolerances; ten times that is allowed, and 30 times with multistep formulas, which take the errors of several
past values along, with estimates over two steps, and where the order of the estimate is far below that of the method: the
tolerance for it is raised then, as if the method had its full order on any problem. Problems that multiply errors are only asked for an ending.
"""

import math
import pathlib
import re

import support

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "problems.md"
PROBLEMS = [(name, int(size), kind) for name, size, kind in re.findall(r"^\| `([^`]+)` \| (\d+) \| ([a-z-]+) ", PAGE.read_text(), re.M)]
MULTIPLY_ERRORS = {"lorenz": "an attractor", "arenstorf": "an orbit close to the earth", "pleiades": "stars that nearly meet",
                   "e5-long": "rounding errors decide"}
# Up to here: y1 stays at 1.0008 for most of a period, and its distance from 1 decides when that ends
MULTIPLY_LOOSE_TOLERANCES = {"oregonator": 1e-3}
# Their estimates compare a step with the one before, and show little in a short run
TWO_STEP = ("radau3", "lobatto4", "lobatto6", "radau5-two-step", "hw-sdirk4-two-step")
# Why a run may end early: too many steps (explicit or hardly stable methods), a method of high order at the rounding errors, or a
# solution that has run away because a method is not stable enough for a loose tolerance
ENDINGS = ("step-limit", "domain", "step-too-small", "newton", "nonfinite", "singular")
REFUSALS = ("usage.method-needs-step", "usage.method-needs-model")
LONGEST = 200.0  # seconds: a million steps
MULTIPLE, MULTIPLE_OF_SEVERAL_STEPS = 10.0, 30.0


class Methods(support.Campaign):
    name = "methods"
    suffix = "txt"
    methods = ({"name": "radau5"},)
    several = frozenset(TWO_STEP)

    def prepare(self, program):
        self.methods = program.run("methods", "--json").told().get("methods", self.methods)
        self.several = {method["name"] for method in self.methods
                        if method.get("family", "").endswith(("differentiation", "Adams-Moulton"))
                        or (method.get("order") or 0) > (method.get("error_order") or 100) + 2}.union(TWO_STEP)

    def case(self, rng, index):
        """Long runs are drawn seldom: large problems, and stiff ones with methods that are not made for them."""
        while True:
            method, (problem, size, kind) = rng.choice(self.methods), rng.choice(PROBLEMS)
            digits = rng.randint(2, 10)
            is_weak = method.get("family", "").startswith("explicit") or method.get("a_alpha_degrees", 90) < 45
            is_long = size > 50 and (digits > 4 or method.get("order", 5) < 3) or is_weak and kind == "stiff" or (
                method.get("order", 5) < 3 and digits > 6)
            if rng.random() < (0.02 if is_long else 1.0):
                return {"problem": problem, "method": method["name"], "rtol": f"1e-{digits}"}

    def text(self, case):
        return f"daedalus problems {case['problem']} --method {case['method']} --rtol {case['rtol']} --json\n"

    def group(self, case):
        return case["method"]

    def kind(self, message):
        return message.split(",")[0]

    def check(self, program, case):
        run = program.run("problems", case["problem"], "--method", case["method"], "--rtol", case["rtol"], "--json", timeout=LONGEST)
        told, reason = run.told(), run.told().get("reason")
        where = f"{case['method']} on {case['problem']} at rtol {case['rtol']}"
        if run.code is None or run.code not in (0, 1, 2) or not told:
            return f"bad ending, {where}: {run.reason()}"
        if run.code:
            due = REFUSALS if run.code == 2 else ENDINGS
            return None if reason in due and told.get("message") else f"refused without a good reason, {where}: {run.reason()}"
        return wrong_values(told, case, where, MULTIPLE_OF_SEVERAL_STEPS if case["method"] in self.several else MULTIPLE)

    def smaller(self, case):
        """A looser tolerance is a shorter run."""
        for digits in range(2, int(case["rtol"][3:])):
            yield dict(case, rtol=f"1e-{digits}")


def wrong_values(told, case, where, multiple):
    if not all(map(math.isfinite, told["final"].values())):
        return f"not a finite number, {where}"
    if case["problem"] in MULTIPLY_ERRORS or told["mescd"] > told["reference_digits"] - 0.5:
        return None
    if float(case["rtol"]) >= MULTIPLY_LOOSE_TOLERANCES.get(case["problem"], math.inf):
        return None
    error = 10 ** -told["mescd"] / float(case["rtol"])
    if not error <= multiple * max(told["steps"], 10):
        return f"less accurate than promised, {where}: {error:.3g} tolerances after {told['steps']} steps"
    return None
