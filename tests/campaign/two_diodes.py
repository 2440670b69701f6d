"""The smallest circuit in which one ideal diode takes over from another: two sources, two diodes and a constant current.

Without states the solution at an instant is that of two piecewise linear equations. The current into the node at voltage u,
i1(v1 - u) + i2(v2 - u), falls with u, so that there is exactly one solution unless Goff = 0 leaves u open, and bisection finds
it. A diode changes where its voltage there passes the knee: the changes are counted on a fine grid of times.
"""

import math

from circuits import Circuit, number
from rectifiers import bisect

GRID = 4000


def draw(rng):
    is_ramp = rng.random() < 0.4
    Ron = rng.choice([1e-5, 1e-5, 1e-4, 1e-3, 0.1, round(10 ** rng.uniform(-6, -1), 8)])
    return {"family": "two-diodes", "kind": "ramps" if is_ramp else "sines", "I": float(rng.randint(1, 120)),
            "V1": round(rng.uniform(1, 100), 2), "V2": round(rng.uniform(1, 100), 2), "phase": round(rng.uniform(0.5, 5.5), 2),
            "Rs": rng.choice([0.0, 0.0, 1e-3, 0.01]), "Ron": Ron, "Goff": rng.choice([Ron, 1e-5, 1e-3, 0.1]),
            "Vknee": rng.choice([0.0, 0.0, 0.7])}


def sources(case):
    """Both voltages as text and as functions of time, over a time of 1."""
    V1, V2, phase = case["V1"], case["V2"], case["phase"]
    if case["kind"] == "ramps":
        return ((f"{number(V1)}*time", lambda t: V1 * t), (f"{number(V2)}*(0.5 - time)", lambda t: V2 * (0.5 - t)))
    w = 4 * math.pi
    return ((f"{number(V1)}*sin({number(w)}*time)", lambda t: V1 * math.sin(w * t)),
            (f"{number(V2)}*sin({number(w)}*time + {number(phase)})", lambda t: V2 * math.sin(w * t + phase)))


def circuit(case):
    c = Circuit()
    for k, (words, _) in enumerate(sources(case)):
        end = f"a{k}"
        c.voltage(f"V{k}", end, "0", words)
        if case["Rs"]:
            c.resistor(f"Rs{k}", end, f"b{k}", case["Rs"])
            end = f"b{k}"
        c.diode(f"D{k}", end, "u", case["Ron"], case["Goff"], case["Vknee"])
    c.current("I", "u", "0", number(case["I"]))
    c.integral("q", "n_u")
    return c


def current_of(case, voltage):
    """The current of a branch, source resistance and diode: i = s + leak while s >= 0."""
    leak, over = case["Goff"] * case["Vknee"], excess(case, voltage)
    return over / (case["Ron"] + case["Rs"]) + leak if over >= 0 else case["Goff"] * voltage / (1 + case["Goff"] * case["Rs"])


def excess(case, voltage):
    """Of the voltage of a branch over that at which its diode changes."""
    return voltage - case["Vknee"] - case["Rs"] * case["Goff"] * case["Vknee"]


def node_voltage(case, v1, v2):
    return bisect(lambda u: current_of(case, v1 - u) + current_of(case, v2 - u) - case["I"],
                  min(v1, v2) - case["I"] / case["Goff"] - 1, max(v1, v2) + 1)


def theory(case):
    (_, first), (_, second) = sources(case)
    total, states, changes = 0.0, None, [0, 0]
    for step in range(GRID + 1):
        t = step / GRID
        u = node_voltage(case, first(t), second(t))
        total += u * (0.5 if step in (0, GRID) else 1.0)
        now = [excess(case, v - u) < 0 for v in (first(t), second(t))]
        changes = [n + (states is not None and a != b) for n, a, b in zip(changes, states or now, now)]
        states = now
    scale = max(case["V1"], case["V2"]) + case["I"] * min(case["Ron"] + case["Rs"], 1.0)
    return {"mean": total / GRID, "tolerance": 1e-3, "scale": scale, "changes": changes, "period": 1.0, "periods": 1,
            "window": 1, "voltage": scale, "current": case["I"]}
