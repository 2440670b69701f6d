"""Events that are easily missed or doubled, with closed forms: a bouncing ball, a maximum that barely passes a threshold, a
relation that changes many times in a step, samples at one instant but for the rounding, pulses of a driving function.

  ball     falls from height h, bounces with restitution e: bounces at t0 (1 + 2 e (1 - e^k)/(1 - e)), t0 = sqrt(2 h/g), which
           accumulate at t0 (1 + e)/(1 - e). The ball is never below the floor; the run ends there, or goes on at rest.
  summit   x = sin(t) passes 1 - d upwards once in a turn, at asin(1 - d) + 2 pi k.
  ripple   sin(w x + p) with x = t becomes positive at (2 pi k - p)/w.
  peak     x = 1.5 exp(-(t - t0)/tau) decays in steps as long as periods of sin(w t + p), until a top of that passes it and sets it
           back to 1.5.
  pulse    q' = s - c while s = sin(w t + p) > c, otherwise 0: the first step of a pulse is as long as the run between pulses had
           them, far too long, and must not pass for sound by coincidence.
  ticks    sample(a, b) at all a + k b, beside others and beside relations of time, and of x = t, that change at the same instants
           by decimal numbers, and within roundings of each other by binary ones; alone, or in a model that changes its states on
           the way: a pendulum in Cartesian coordinates.
"""

import bisect
import math
from decimal import Decimal

import support

G = 9.81
ACCUMULATES = ("event-accumulation", "event-chattering")


class Crossings(support.Campaign):
    name = "crossings"

    def case(self, rng, index):
        return draw(rng)

    def text(self, case):
        return model(case)

    def group(self, case):
        return f"{case['family']} {case['method']}"

    def kind(self, message):
        return message.split(",")[0]

    def check(self, program, case):
        return check(program, case)

    def smaller(self, case):
        for key, value in (("method", "radau5"), ("zeno", "stop"), ("height", 1.0), ("phase", 1.0)):
            if key in case and case[key] != value:
                yield dict(case, **{key: value})
        for k in range(len(case.get("clocks", [])) if len(case.get("clocks", [])) > 1 else 0):
            yield dict(case, clocks=case["clocks"][:k] + case["clocks"][k + 1:])
        if case.get("pendulum"):
            yield dict(case, pendulum=False)
        if case.get("length", 0) > 100:
            yield dict(case, length=case["length"] // 2)
        for key in ("w", "e", "stop", "tau"):
            if key in case and case[key] != float(f"{case[key]:.1g}"):
                yield dict(case, **{key: float(f"{case[key]:.1g}")})


def draw(rng):
    family = rng.choice(["ball", "ball", "summit", "ripple", "peak", "peak", "ticks", "pulse", "pulse"])
    if family == "pulse":
        return {"family": family, "w": round(10 ** rng.uniform(0, 2.5), 3), "phase": round(rng.uniform(0, 6.28), 4),
                "level": round(rng.choice([0.0, rng.uniform(-0.9, 0.9)]), 4), "periods": 24,
                "method": rng.choice(["radau5", "dopri5", "bdf", "esdirk4", "rodas4", "rodas5p", "tsit5", "dop853", "radau", "hw-sdirk4"])}
    if family == "ticks":
        clocks = [[rng.randint(0, 20), rng.randint(1, 12), rng.randint(1, 12)] for _ in range(rng.randint(1, 3))]
        return {"family": family, "unit": rng.choice(["0.1", "0.01", "0.3", "0.07", "1e-5", "3.7e-6"]), "clocks": clocks,
                "pendulum": rng.random() < 0.3, "crossing": rng.randint(1, 400), "length": rng.randint(100, 1000), "method": rng.choice(["radau5", "dopri5", "bdf"])}
    if family == "ball":
        height, e = round(10 ** rng.uniform(-1, 2), 4), round(rng.choice([rng.uniform(0.005, 0.5), rng.uniform(0.3, 0.9)]), 4)
        return {"family": family, "height": height, "e": e, "stop": round(math.sqrt(2 * height / G) * rng.uniform(1.2, 8), 4),
                "zeno": rng.choice(["stop", "stop", "regularize"]),
                "method": rng.choice(["radau5", "dopri5", "bdf", "rodas5p", "taylor8"])}
    if family == "summit":
        return {"family": family, "margin": float(f"{10 ** rng.uniform(-6, -1):.3g}"), "stop": float(rng.randint(20, 100)),
                "method": rng.choice(["radau", "radau9", "radau13", "dop853", "taylor12", "rbdf64", "adams", "verner65", "bdf"])}
    if family == "peak":
        return {"family": family, "w": round(10 ** rng.uniform(0.5, 2.5), 3), "phase": round(rng.uniform(0.2, 3), 3), "stop": 1.0,
                "tau": round(10 ** rng.uniform(-1.5, 0), 4),
                "method": rng.choice(["radau5", "esdirk4", "bdf", "rodas5p", "radau9", "dop853", "taylor8", "radau"])}
    return {"family": family, "w": round(10 ** rng.uniform(0, 3.2), 3), "phase": round(rng.uniform(0.2, 3), 3), "stop": 1.0,
            "method": rng.choice(["radau5", "dopri5", "bdf", "rodas5p", "radau"])}


def ticks_model(case):
    unit = Decimal(case["unit"])
    declarations = "".join(f", n{k}(start = 0, fixed = true)" for k in range(len(case["clocks"])))
    lines = [f"model Ticks\n  Real x(start = 0, fixed = true);\n  discrete Real late(start = -1, fixed = true);\n  Integer n(start = 0, fixed = true){declarations};"]
    lines += [f"  discrete Real s{k}(start = -1, fixed = true);\n  Boolean on{k};" for k in range(len(case["clocks"]))]
    if case["pendulum"]:
        lines += ["  Real px(start = 1, fixed = true), py(start = 0), vx, vy(start = 0, fixed = true), F;"]
    lines += [f"equation\n  der(x) = 1;\n  when x > {case['crossing'] * unit} then\n    n = pre(n) + 1;\n  end when;",
              f"  when time > {case['crossing'] * unit} then\n    late = time;\n  end when;"]
    if case["pendulum"]:
        lines += ["  der(px) = vx;\n  der(py) = vy;\n  der(vx) = -F*px;\n  der(vy) = -F*py - 9.81;\n  px^2 + py^2 = 1;"]
    for k, (first, interval, on) in enumerate(case["clocks"]):
        lines += [f"  when sample({first * unit}, {interval * unit}) then\n    n{k} = pre(n{k}) + 1;\n    s{k} = time + {on * unit};\n"
                  f"  end when;\n  on{k} = time < s{k};"]
    return "\n".join(lines + ["end Ticks;\n"])


def check_ticks(program, case):
    stop = (case["length"] + Decimal("0.5")) * Decimal(case["unit"])
    run, results = program.simulate(ticks_model(case), "--stop", stop, "--interval", stop / 10, "--method", case["method"])
    if run.code != 0:
        return run.reason()
    due = {"n": int(case["crossing"] <= case["length"])}
    due |= {f"n{k}": (case["length"] - first) // interval + 1 for k, (first, interval, _) in enumerate(case["clocks"])}
    late = float(case["crossing"] * Decimal(case["unit"])) if due["n"] else -1.0
    if abs(results["late"][-1] - late) > 1e-12 * abs(late):
        return f"an event is missed or late, at t = {results['late'][-1]:.9g} in place of {late:.9g}"
    wrong = [f"{name} = {results[name][-1]:g} in place of {count}" for name, count in due.items() if results[name][-1] != count]
    return f"samples missed or doubled, {wrong[0]}" if wrong else None


def pulse_model(case):
    sine = f"sin({case['w']}*time + {case['phase']})"
    return f"""model Pulse
  Real q(start = 0, fixed = true);
equation
  der(q) = if {sine} > {case['level']} then {sine} - ({case['level']}) else 0;
end Pulse;
"""


def check_pulse(program, case):
    stop = case["periods"] * 2 * math.pi / case["w"]
    run, results = program.simulate(pulse_model(case), "--stop", stop, "--interval", stop, "--method", case["method"], "--rtol", 1e-6)
    if run.code != 0:
        return run.reason()
    edge = math.asin(case["level"])
    due = case["periods"] * (2 * math.cos(edge) - case["level"] * (math.pi - 2 * edge)) / case["w"]
    error = abs(results["q"][-1] / due - 1)
    return f"a pulse is wrong, q is off by {error:.2g}" if error > 3e-4 else None


def model(case):
    if case["family"] == "ticks":
        return ticks_model(case)
    if case["family"] == "pulse":
        return pulse_model(case)
    if case["family"] == "ball":
        return f"""model Ball
  Real h(start = {case['height']}, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -{G};
  when h < 0 then
    reinit(v, -{case['e']}*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;
"""
    if case["family"] == "summit":
        return f"""model Summit
  Real x(start = 0, fixed = true), v(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when x > 1 - {case['margin']} then
    n = pre(n) + 1;
  end when;
end Summit;
"""
    if case["family"] == "peak":
        return f"""model Peak
  Real x(start = 1.5, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = -x/{case['tau']};
  when sin({case['w']}*time + {case['phase']}) > x then
    n = pre(n) + 1;
    reinit(x, 1.5);
  end when;
end Peak;
"""
    return f"""model Ripple
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  when sin({case['w']}*x + {case['phase']}) > 0 then
    n = pre(n) + 1;
  end when;
end Ripple;
"""


def check(program, case):
    if case["family"] == "ticks":
        return check_ticks(program, case)
    if case["family"] == "pulse":
        return check_pulse(program, case)
    options = {"ball": ["--zeno", case.get("zeno", "stop")], "summit": ["--rtol", "1e-11", "--atol", "1e-12"]}.get(case["family"], [])
    run, results = program.simulate(model(case), "--stop", case["stop"], "--interval", case["stop"] / 50, "--method", case["method"],
                                    *options)
    if case["family"] == "ball":
        return wrong_ball(case, run, results)
    if run.code != 0:
        return run.reason()
    return wrong_count(case, run, results)


def bounces(case):
    """Their times before the accumulation, as far as they are further apart than the tolerance tells."""
    first, e = math.sqrt(2 * case["height"] / G), case["e"]
    times, gap = [first], 2 * first * e
    while times[-1] < case["stop"] and gap > 1e-3 * first:
        times.append(times[-1] + gap)
        gap *= e
    return times


def wrong_ball(case, run, results):
    reason = run.told().get("reason")
    if run.code not in (0, 1) or run.code == 1 and reason not in ACCUMULATES or results is None:
        return run.reason()
    limit = math.sqrt(2 * case["height"] / G) * (1 + case["e"]) / (1 - case["e"])
    if run.code == 1 and limit > case["stop"]:
        return f"called endless, {run.reason()} although there are {len(bounces(case))} bounces"
    deepest = min(results["h"])
    if deepest < -1e-5 * case["height"]:
        return f"the ball is below the floor, h = {deepest:.6g}"
    times = bounces(case)
    for t, n in zip(results["time"], results["n"]):
        if t < times[-1] and min(abs(t - bounce) for bounce in times) > 1e-4 * times[0] and n != bisect.bisect(times, t):
            return f"bounces missed or doubled, {n:g} until t = {t:.9g} in place of {bisect.bisect(times, t)}"
    return None


def tops(case):
    """When the sine passes x, from one to the next; None where it hardly does, or hardly does not."""
    w, phase, tau = case["w"], case["phase"], case["tau"]
    times, last, t, step = [], 0.0, 0.0, 2 * math.pi / w / 400
    over = lambda t: math.sin(w * t + phase) - 1.5 * math.exp(-(t - last) / tau)
    while t < case["stop"]:
        if over(t + step) > 0:
            low, high = t, t + step
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (low, middle) if over(middle) > 0 else (middle, high)
            if max(over(high + k * step) for k in range(100)) < 1e-3 or abs(high - case["stop"]) < 1e-4:
                return None
            times.append(high)
            last = t = high
        elif over(t) > -1e-3 and over(t) > over(t - step):
            return None
        else:
            t += step
    return [t for t in times if t < case["stop"]]


def wrong_peaks(case, results):
    due = tops(case)
    if due is None or results["n"][-1] == len(due):
        return None
    return f"crossings missed or doubled, {results['n'][-1]:g} in place of {len(due)} (peak)"


def wrong_count(case, run, results):
    if case["family"] == "peak":
        return wrong_peaks(case, results)
    if case["family"] == "summit":
        position = (case["stop"] - math.asin(1 - case["margin"])) / (2 * math.pi)
    else:
        position = (case["w"] * case["stop"] + case["phase"]) / (2 * math.pi) - 1
    due = max(0, math.floor(position) + 1)
    if abs(position - round(position)) < 1e-3 or results["n"][-1] == due:
        return None
    if any("sin(" in str(warning) for warning in run.told().get("warnings", [])):
        return None  # it says that it cannot know
    return f"crossings missed or doubled, {results['n'][-1]:g} in place of {due} ({case['family']})"
