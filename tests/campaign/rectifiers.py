"""Diode rectifiers of 1, 2, 3 and 6 pulses, and what theory says of their mean output.

Notation: Vm is the amplitude of a phase, w its angular frequency, R the load, n the diodes and m the sources in the path of
the current, Rp = n Ron + m Rs its resistance. p pulses of amplitude V come in a period.

  R load:   the load sees (V sin - n Vk)+ divided between R and Rp. With p <= 2, from the angle a = asin(n Vk/V) to pi - a:
            mean = p/(2 pi) (2 V cos a - n Vk (pi - 2 a)) R/(R + Rp). With p >= 3 a diode always conducts:
            mean = (V p/pi sin(pi/p) - n Vk) R/(R + Rp).
  RL load:  the mean voltage of L is 0. Continuous current makes the mean that of whole sinusoids: V p/pi sin(pi/p), for p = 1
            with a freewheeling diode V/pi. p = 1 without one: the current ends at the angle b > pi where
            sin(b - phi) + sin(phi) exp(-b/tan(phi)) = 0, tan(phi) = w L/(R + Rp); mean = V (1 - cos b)/(2 pi) R/(R + Rp).
  RC load:  from a to b the capacitor follows V sin - n Vk, where w R C V cos b + V sin b = n Vk; then it discharges,
            exp(-(x - b)/(w R C)), until it meets the next pulse.
  Ls:       each of the commutations moves the current I from one phase to the next through Ls: its voltage is lost for
            w Ls I of the angle (2 w Ls I in a bridge of one phase, where it goes from -I to I):
            mean loss = k w Ls I/(2 pi), k = 1 (p = 1), 4 (bridge of 2), 3 (p = 3), 6 (p = 6).

Resistances let two phases conduct together while their voltages differ by less than Rs I; that changes the mean by
(Rs I)^2/V only, which the tolerances cover, as they cover leakage (of order Goff R) where it goes through the load.
"""

import math

from circuits import Circuit, number

# kind: phases, pulses, diodes and sources in the path, amplitude of a pulse for Vm = 1, w Ls I lost in a period
KINDS = {
    "half-wave": (1, 1, 1, 1, 1.0, 0),
    "freewheel": (1, 1, 1, 1, 1.0, 1),
    "centre-tap": (2, 2, 1, 1, 1.0, 2),
    "bridge-1": (1, 2, 2, 1, 1.0, 4),
    "star-3": (3, 3, 1, 1, 1.0, 3),
    "bridge-3": (3, 6, 2, 2, math.sqrt(3), 6),
}
PERIODS, WINDOW = 24, 8


def draw(rng):
    kind = rng.choice(list(KINDS))
    loads = {"half-wave": ["R", "RL", "RC"], "freewheel": ["RL", "I"]}.get(kind, ["R", "RL", "RL", "RC", "I"])
    load = rng.choice(loads)
    R = round(10 ** rng.uniform(0, 1.5), 3)
    Ron = rng.choice([0.0, 1e-5, 1e-5, 1e-4, 1e-3, round(10 ** rng.uniform(-6, -3), 8)])
    Goff = rng.choice([0.0, 1e-5, 1e-5, 1e-4, 1e-3, Ron or 1e-6])
    knee = rng.choice([0.0, 0.0, round(rng.uniform(0.2, 1.0), 2)])
    case = {"family": "rectifier", "kind": kind, "load": load, "Vm": round(rng.uniform(10, 330), 1),
            "f": rng.choice([50, 60, 400]), "phase": round(rng.uniform(0, 6.28), 3), "R": R,
            "Rs": round(R * 10 ** rng.uniform(-4, -2.5), 7), "Ls": 0.0, "Ron": Ron, "Goff": Goff, "Vknee": knee,
            "wL": round(R * 10 ** rng.uniform(-0.3, 1.3), 3), "wRC": round(10 ** rng.uniform(0.8, 1.8), 2)}
    if kind not in ("half-wave", "centre-tap") and load in ("RL", "I") and rng.random() < 0.4:
        case["Ls"] = round(rng.uniform(0.005, 0.05) * R / (2 * math.pi * case["f"]), 9)
        case["wL"] = round(R * rng.uniform(8, 20), 3)
    return sensible(case)


def sensible(case):
    """Takes out what leaves a circuit undetermined, or what the formulas do not cover."""
    bridge = case["kind"].startswith("bridge")
    is_interrupted = case["load"] == "RC" or case["kind"] == "half-wave"
    if bridge and (is_interrupted or (case["load"] == "R" and case["Vknee"] and case["kind"] == "bridge-1")):
        case["Goff"] = case["Goff"] or 1e-5  # all diodes off for a while: the source floats
    if case["Ls"] or (case["kind"] == "half-wave" and case["load"] == "RL"):
        case["Goff"] = case["Goff"] or 1e-5  # a diode without leakage would make the current of an inductor zero
    if bridge and case["load"] in ("RL", "I") and (case["kind"] == "bridge-1" or case["Ls"]):
        case["Ron"] = case["Ron"] or 1e-5  # all diodes on: without resistance any current may go round
    if case["load"] == "RL" and case["Vknee"]:
        case["wL"] = max(case["wL"], 5 * case["R"])  # the current stays continuous
    if case["kind"] == "half-wave" and case["load"] == "RL":
        case["Vknee"] = 0.0
    if case["kind"] == "freewheel" or case["load"] == "I":
        case["Vknee"] = min(case["Vknee"], case["Vm"] / 20)
    if case["load"] == "RC":
        case["Rs"] = min(case["Rs"], case["R"] * 1e-3)
    return case


def circuit(case):
    c, phases = Circuit(), KINDS[case["kind"]][0]
    Ron, Goff, Vk = case["Ron"], case["Goff"], case["Vknee"]
    is_bridge = case["kind"].startswith("bridge")
    current = mean(case)[0] / case["R"]
    star = "s" if is_bridge else "0"
    turn = math.pi if case["kind"] == "centre-tap" else 2 * math.pi / 3
    for k in range(phases):
        angle = f"{number(2 * math.pi * case['f'])}*time + {number(case['phase'] - k * turn)}"
        c.voltage(f"V{k}", f"a{k}", star, f"{number(case['Vm'])}*sin({angle})")
        end = f"b{k}" if case["Ls"] else f"p{k}"
        c.resistor(f"Rs{k}", f"a{k}", end, case["Rs"])
        if case["Ls"]:
            c.inductor(f"Ls{k}", end, f"p{k}", case["Ls"], 0.0 if start_is_free(case, k) else None)
        c.diode(f"D{k}", f"p{k}", "u", Ron, Goff, Vk)
        if is_bridge:
            c.diode(f"E{k}", "0", f"p{k}", Ron, Goff, Vk)
    if is_bridge and phases == 1:
        c.diode("F", "0", "s", Ron, Goff, Vk)
        c.diode("G", "s", "u", Ron, Goff, Vk)
    if case["kind"] == "freewheel":
        c.diode("F", "0", "u", Ron, Goff, Vk)
    w = 2 * math.pi * case["f"]
    if case["load"] == "I":
        c.current("I", "u", "0", number(current))
    elif case["load"] == "RL":
        c.inductor("L", "u", "d", case["wL"] / w, current)
        c.resistor("R", "d", "0", case["R"])
    else:
        c.resistor("R", "u", "0", case["R"])
        if case["load"] == "RC":
            c.capacitor("C", "u", "0", case["wRC"] / w / case["R"], mean(case)[0])
    c.integral("q", "n_u")
    return c


def start_is_free(case, phase):
    """The currents of several phases have a given sum: one start value fewer."""
    phases = KINDS[case["kind"]][0]
    return phases == 1 or phase < phases - 1


def mean(case):
    """The mean voltage of the load by theory, and the relative error that the formula may have."""
    phases, p, n, m, gain, commutation = KINDS[case["kind"]]
    R, Vk, V = case["R"], case["Vknee"], case["Vm"] * gain
    Rp = n * case["Ron"] + m * case["Rs"]
    if case["load"] == "RC":
        return smoothed(V, n * Vk, p, case["wRC"]), 0.01 + 40 * Rp / R + 2 * case["Goff"] * R
    if case["kind"] == "half-wave" and case["load"] == "RL":
        end = extinction(case["wL"] / (R + Rp))
        return V * (1 - math.cos(end)) / (2 * math.pi) * R / (R + Rp), 1e-3 + 4 * case["Goff"] * R
    if case["load"] == "R" and p <= 2:
        a = math.asin(n * Vk / V)
        drive = p / (2 * math.pi) * (2 * V * math.cos(a) - n * Vk * (math.pi - 2 * a))
        return drive * R / (R + Rp), 1e-3 + 2 * case["Goff"] * R * (p == 1)
    whole = V / math.pi if p == 1 else V * p / math.pi * math.sin(math.pi / p)
    lost = commutation * case["Ls"] * case["f"]  # k w Ls/(2 pi): acts like a resistance
    result = (whole - n * Vk) * R / (R + Rp + lost)
    ripple = 0.15 * lost / R if case["load"] == "RL" else 0.01 * lost / R  # the current at a commutation is not the mean
    return result, 1e-3 + Rp / R + ripple + (0.1 * case["Goff"] * R if case["Ls"] else 0.0)


def smoothed(V, knee, p, wRC):
    """Mean voltage of a capacitor that p pulses V sin - knee charge in a period."""
    height = lambda x: V * math.sin(x) - knee
    b = bisect(lambda x: wRC * V * math.cos(x) + height(x), math.pi / 2, math.pi)
    spacing = 2 * math.pi / p
    peak = height(b)
    a = bisect(lambda x: height(x) - peak * math.exp(-(x + spacing - b) / wRC), b - spacing, math.pi / 2)
    following = V * (math.cos(a) - math.cos(b)) - knee * (b - a)
    falling = peak * wRC * (1 - math.exp(-(a + spacing - b) / wRC))
    return (following + falling) / spacing


def extinction(tangent):
    phi = math.atan(tangent)
    return bisect(lambda x: math.sin(x - phi) + math.sin(phi) * math.exp(-x / tangent), math.pi, 2 * math.pi - 1e-9)


def bisect(f, low, high):
    rising = f(high) > 0
    for _ in range(100):
        middle = (low + high) / 2
        if (f(middle) > 0) == rising:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def theory(case):
    """Every diode goes on and off once in a period. In a bridge of three phases with a capacitor there is no current between the
    two pulses that a diode leads, but the leakage of the others keeps it on: it holds the mean of the phases at half the output,
    so that the phase on its way to its peak lies above the output while all are off."""
    value, tolerance = mean(case)
    return {"mean": value, "tolerance": tolerance, "changes": 2, "period": 1 / case["f"], "periods": PERIODS,
            "window": WINDOW, "voltage": case["Vm"], "current": value / case["R"]}
