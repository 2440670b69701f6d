"""Switched converters of direct voltages, and what theory says of their mean output in both conduction modes.

Notation: V the source with resistance Rs, D the duty ratio, T the period, R the load (n R for each of n interleaved phases),
K = 2 L/(R T), u the mean output (its amount where it is negative), I the mean current of the inductor, Vk the diode's knee.

Continuous conduction. The mean voltage of an inductor and the mean current of a capacitor are 0; ripples are straight lines,
so that means over a part of the period are means over all of it. Leakage Goff bypasses what is off.
  buck        D (V - Rs I) - (1 - D) Vk - Ron I = u,                    I = u/R
  boost       V - (Rs + Ron) I - (1 - D)(u + Vk) = 0,                   (1 - D) I = u/R + Goff u
  buck-boost  D (V - Rs I) - Ron I - (1 - D)(u + Vk) = 0,               (1 - D) I = u/R + Goff (u + V)
  Cuk         V - Rs I1 - Ron J - (1 - D)(vc + Vk) = 0,  J = I1 + u/R
              D vc - (1 - D) Vk - Ron J = u,                            (1 - D) I1 = D u/R + Goff vc
Discontinuous conduction (Erickson and Maksimovic, Fundamentals of Power Electronics, chapter 5), without losses:
  buck        u = 2 V/(1 + sqrt(1 + 4 K/D^2)),      if K < 1 - D
  boost       u = V (1 + sqrt(1 + 4 D^2/K))/2,      if K < D (1 - D)^2
  buck-boost  u = V D/sqrt(K),                      if K < (1 - D)^2; Cuk alike with L1 parallel to L2

Every diode goes on when its switch opens and off when that closes or when the current ends: two changes in a period.
"""

import math

from circuits import Circuit, number

CRITICAL = {"buck": lambda D: 1 - D, "boost": lambda D: D * (1 - D) ** 2, "buck-boost": lambda D: (1 - D) ** 2,
            "cuk": lambda D: (1 - D) ** 2}
PHASE = 0.37  # of a period: the window of the means begins and ends away from switchings
WINDOW = 16


def draw(rng):
    kind = rng.choice(list(CRITICAL))
    phases = rng.choice([1, 1, 2, 3]) if kind in ("buck", "boost") else 1
    D = round(rng.uniform(0.2, 0.7), 3)
    is_continuous = rng.random() < 0.55
    Ron = rng.choice([0.0, 1e-5, 1e-5, 1e-4, 1e-3, round(10 ** rng.uniform(-6, -3), 8)])
    Goff = rng.choice([0.0, 1e-5, 1e-5, 1e-4, 1e-3, Ron or 1e-6])
    case = {"family": "chopper", "kind": kind, "phases": phases, "continuous": is_continuous, "D": D,
            "V": round(rng.uniform(5, 400), 1), "R": round(10 ** rng.uniform(0.5, 1.5), 3),
            "T": rng.choice([1e-3, 1e-4, 1e-5]), "Rs": 0.0, "Ron": Ron, "Goff": Goff,
            "Vknee": round(rng.uniform(0.2, 0.8), 2) if is_continuous and rng.random() < 0.3 else 0.0,
            "K": round(CRITICAL[kind](D) * (rng.uniform(1.5, 5) if is_continuous else rng.uniform(0.1, 0.6)), 6),
            "split": round(rng.uniform(0.3, 0.7), 2), "RC": round(rng.uniform(20, 35), 1),
            "pulse": rng.choice(["mod", "sample", "samples"]), "off_start": round(rng.uniform(-0.02, 0.02), 4)}
    case["Rs"] = round(case["R"] * rng.choice([0.0, 1e-4, 1e-3]), 6)
    if is_continuous and not Goff:
        # The current starts at its mean and must not end before the first pulse, which such a diode cannot take.
        case["K"] = max(case["K"], round(2.5 * CRITICAL[kind](D), 6))
    if not is_continuous:
        # A diode without leakage would make the current of the inductor zero; much of it is not in the formulas.
        case["Goff"] = min(Goff or 1e-5, round(0.005 / case["R"] / phases, 7))
    return case


def inductance(case):
    return case["K"] * case["R"] * case["phases"] * case["T"] / 2


def circuit(case):
    c = Circuit()
    u, I = mean(case)[0] * (1 + case["off_start"]), inductor_current(case)
    C = case["RC"] * case["T"] / case["R"]
    c.voltage("V", "in", "0", number(case["V"]))
    top = "in"
    if case["Rs"]:
        c.resistor("Rs", "in", "top", case["Rs"])
        top = "top"
    for k in range(case["phases"]):
        c.pulse(f"on{k}", case["pulse"], case["T"], case["D"], (PHASE + k / case["phases"]) % 1)
        leg(c, case, k, top, I)
    out = "-n_out" if case["kind"] in ("buck-boost", "cuk") else "n_out"
    sign = -1 if out.startswith("-") else 1
    c.capacitor("C", "out", "0", C, sign * u)
    c.resistor("R", "out", "0", case["R"])
    c.integral("q", out)
    return c


def leg(c, case, k, top, I):
    """Switch, diode and inductors of one phase."""
    Ron, Goff, Vk, L = case["Ron"], case["Goff"], case["Vknee"], inductance(case)
    if case["kind"] == "buck":
        c.switch(f"S{k}", top, f"x{k}", Ron, Goff, f"on{k}")
        c.diode(f"D{k}", "0", f"x{k}", Ron, Goff, Vk)
        c.inductor(f"L{k}", f"x{k}", "out", L, I)
    elif case["kind"] == "boost":
        c.inductor(f"L{k}", top, f"x{k}", L, I)
        c.switch(f"S{k}", f"x{k}", "0", Ron, Goff, f"on{k}")
        c.diode(f"D{k}", f"x{k}", "out", Ron, Goff, Vk)
    elif case["kind"] == "buck-boost":
        c.switch(f"S{k}", top, f"x{k}", Ron, Goff, f"on{k}")
        c.inductor(f"L{k}", f"x{k}", "0", L, I)
        c.diode(f"D{k}", "out", f"x{k}", Ron, Goff, Vk)
    else:
        u, D = mean(case)[0], case["D"]
        first = L / case["split"]  # first parallel to second is L
        c.inductor("L1", top, "x", first, I)
        c.switch("S0", "x", "0", Ron, Goff, "on0")
        c.capacitor("C1", "x", "y", case["RC"] * case["T"] / case["R"], case["V"] + u)
        c.diode("D0", "y", "0", Ron, Goff, Vk)
        c.inductor("L2", "out", "y", L / (1 - case["split"]), u / case["R"])


def mean(case):
    """The mean output by theory, and the relative error that the formula may have."""
    D, V, K, R = case["D"], case["V"], case["K"], case["R"] * case["phases"]
    Ron, Rs, Goff, Vk = case["Ron"], case["Rs"] * case["phases"], case["Goff"], case["Vknee"]
    if case["continuous"]:
        shared = 2 * Rs / R if case["phases"] > 1 else 0.0  # of the source's resistance: phases overlap
        if case["kind"] == "buck":
            return (D * V - (1 - D) * Vk) / (1 + (Ron + D * Rs) / R), 2e-3 + shared
        if case["kind"] == "boost":
            return (V - (1 - D) * Vk) / ((1 - D) + (Rs + Ron) * (1 / R + Goff) / (1 - D)), 5e-3 + shared
        if case["kind"] == "buck-boost":
            loss = (D * Rs + Ron) / (1 - D)
            u = (D * V - loss * Goff * V - (1 - D) * Vk) / ((1 - D) + loss * (1 / R + Goff))
            return u, 5e-3
        return cuk(case), 5e-3
    ideal = {"buck": lambda: 2 * V / (1 + math.sqrt(1 + 4 * K / D**2)),
             "boost": lambda: V * (1 + math.sqrt(1 + 4 * D**2 / K)) / 2}.get(case["kind"], lambda: V * D / math.sqrt(K))()
    peak = V * D / K * 2 / R  # of the inductor's current
    lossy = 3 * (Ron + Rs) * peak / V + 3 * Goff * R * max(1.0, V / ideal, ideal / V)
    # The formula leaves out the ripple of the capacitor between the inductors, u T/(R C1) from end to end: while the switch
    # is on, the mean voltage of L2 is off V by up to half of that, and so are its share of the peak current and the output.
    ripple = 0.01 + (1 - case["split"]) * ideal / (2 * V * case["RC"]) if case["kind"] == "cuk" else 0.0
    return ideal, 0.02 + ripple + lossy


def cuk(case):
    """Gauss-Seidel on the equations above: losses are small."""
    D, V, R = case["D"], case["V"], case["R"]
    u, vc, I1 = V * D / (1 - D), V / (1 - D), 0.0
    for _ in range(100):
        I1 = (D * u / R + case["Goff"] * vc) / (1 - D)
        J = I1 + u / R
        vc = (V - case["Rs"] * I1 - case["Ron"] * J) / (1 - D) - case["Vknee"]
        u = D * vc - (1 - D) * case["Vknee"] - case["Ron"] * J
    return u


def inductor_current(case):
    """To start with: the mean in continuous conduction; in the other mode the inductor is empty between pulses."""
    u, R, D = mean(case)[0], case["R"] * case["phases"], case["D"]
    if not case["continuous"]:
        return u**2 / R / case["V"] if case["kind"] == "cuk" else 0.0
    return {"buck": u / R, "cuk": u / R * D / (1 - D)}.get(case["kind"], u / R / (1 - D))


def theory(case):
    value, tolerance = mean(case)
    periods = math.ceil((24 if case["kind"] == "cuk" else 8) * case["RC"])  # L1, C1 and L2 swing for long
    peak = case["V"] * case["D"] / case["K"] * 2 / case["R"] / case["phases"]
    return {"mean": value, "tolerance": tolerance, "changes": 2, "period": case["T"], "periods": periods,
            "window": WINDOW, "voltage": case["V"] + value, "current": max(peak, 2 * inductor_current(case))}
