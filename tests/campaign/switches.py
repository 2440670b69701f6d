"""Ideal diodes and switches: rectifiers and converters against theory.

A run must finish; the mean output over the last periods agrees with theory; at every row each diode is on its characteristic
and the currents at each node add up to 0; every diode changes as often as theory says, no more and no less.
"""

import choppers
import rectifiers
import support
import two_diodes

FAMILIES = {"rectifier": rectifiers, "chopper": choppers, "two-diodes": two_diodes}
METHODS = ["radau5"] * 7 + ["bdf", "rodas5p", "esdirk4"]
ROWS = 8  # rows of output in a period


class Switches(support.Campaign):
    name = "switches"

    def case(self, rng, index):
        family = ("rectifier", "chopper", "rectifier", "chopper", "two-diodes")[index % 5]
        case = FAMILIES[family].draw(rng)
        case["method"] = rng.choice(METHODS)
        return case

    def text(self, case):
        return FAMILIES[case["family"]].circuit(case).text()

    def check(self, program, case):
        family = FAMILIES[case["family"]]
        circuit, theory = family.circuit(case), family.theory(case)
        rows = ROWS if theory["periods"] > 1 else 200
        run, results = program.simulate(circuit.text(), "--stop", theory["period"] * theory["periods"], "--interval",
                                        theory["period"] / rows, "--method", case["method"])
        if run.code != 0:
            return run.reason()
        return (wrong_diode(results, circuit, case, theory) or wrong_node(results, circuit, theory) or
                wrong_mean(results, theory) or wrong_count(results, circuit, theory))

    def kind(self, message):
        return message.split(",")[0]

    def group(self, case):
        mode = ("discontinuous", "continuous")[case["continuous"]] if case["family"] == "chopper" else ""
        return " ".join(filter(None, [case["family"], case["kind"], case.get("load", ""), mode, "Ls" * bool(case.get("Ls"))]))

    def smaller(self, case):
        simple = {"Vknee": 0.0, "Ls": 0.0, "phase": 0.0, "phases": 1, "pulse": "samples", "method": "radau5", "Rs": 1e-3,
                  "off_start": 0.0, "split": 0.5, "f": 50, "T": 1e-3, "Ron": 1e-3, "Goff": 1e-3, "D": 0.5, "R": 10.0}
        for key, value in simple.items():
            if key in case and case[key] != value and not (key == "Ls" and case["load"] not in ("RL", "I")):
                changed = dict(case, **{key: value})
                if case["family"] == "rectifier":
                    changed = rectifiers.sensible(changed)
                if changed != case:
                    yield changed


def wrong_diode(results, circuit, case, theory):
    """s < 0 is off; while it is off it is a voltage, and a current otherwise.

    What the tolerance 1e-6 allows a state becomes more in s: the current of an inductor is divided by Goff while the diode is
    off, the voltage of a capacitor by the resistance between it and the source while it is on.
    """
    slack_off = 1e-5 * theory["voltage"]
    if case["Goff"]:
        slack_off += (5e-6 if case.get("Ls") else 1e-8) * theory["current"] / case["Goff"]
    slack_on = 1e-5 * theory["current"] + case["Goff"] * theory["voltage"] * 1e-3
    if case.get("load") == "RC":
        slack_on += 5e-6 * theory["voltage"] / (case["Rs"] + case["Ron"])
    for name in circuit.diodes:
        for t, s, off in zip(results["time"], results[f"{name}_s"], results[f"{name}_off"]):
            if not (s <= slack_off if off else s >= -slack_on):
                return f"diode off its characteristic, {name} is {'off' if off else 'on'} with s = {s:.6g} at t = {t:.9g}"
    return None


def wrong_node(results, circuit, theory):
    """Kirchhoff's law for currents."""
    for node, entering in circuit.entering.items():
        if node == "0":
            continue
        terms = [(1 if term[0] == "+" else -1, results[term[2:]]) for term in entering]
        for row, t in enumerate(results["time"]):
            total = sum(sign * values[row] for sign, values in terms)
            size = sum(abs(values[row]) for _, values in terms) + theory["current"]
            if not abs(total) <= 1e-7 * size:
                return f"currents do not add up, {total:.3g} A of {size:.3g} A at node {node}, t = {t:.9g}"
    return None


def since(results, theory):
    """The first row of the window over which means and changes are taken: the last one at its start, to rounding."""
    start, instant = theory["period"] * (theory["periods"] - theory["window"]), 1e-9 * theory["period"]
    return min(range(len(results["time"])), key=lambda row: (max(abs(results["time"][row] - start), instant), -row))


def wrong_mean(results, theory):
    first = since(results, theory)
    time = results["time"][-1] - results["time"][first]
    mean = (results["q"][-1] - results["q"][first]) / time
    error = abs(mean - theory["mean"]) / theory.get("scale", abs(theory["mean"]))
    if not error <= theory["tolerance"]:
        return (f"mean output differs from theory, {mean:.7g} in place of {theory['mean']:.7g}: "
                f"{error:.2g} with a tolerance of {theory['tolerance']:.2g}")
    return None


def changes_of(off, times, instant):
    """How often it changes. Where two diodes commutate at one instant, rounding decides in which order, and what changes back
    at that instant has not changed."""
    changes = []
    for row in range(1, len(off)):
        if off[row] == off[row - 1]:
            continue
        if changes and times[row] - changes[-1] <= instant:
            changes.pop()
        else:
            changes.append(times[row])
    return len(changes)


def wrong_count(results, circuit, theory):
    first = since(results, theory)
    for place, name in enumerate(circuit.diodes):
        changes = changes_of(results[f"{name}_off"][first:], results["time"][first:], 1e-9 * theory["period"])
        due = theory["changes"][place] if isinstance(theory["changes"], list) else theory["changes"] * theory["window"]
        if changes != due:
            return f"switchings missed or doubled, {name} changes {changes} times, {due} by theory"
    return None
