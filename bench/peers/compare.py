#!/usr/bin/env python3
"""Compares our rows of a harness run with those of other solvers in an older run on another day.

usage: compare.py RESULT.csv BASELINE.csv [--verbose]

RESULT holds our solvers (daedalus_*) and CVODE, BASELINE the others and the same CVODE: the median ratio of its times
says how much faster or slower the machine is now. Without CVODE in RESULT, as `./dev bench inline` writes it, times are
compared as they are, and both should come from the same hour. Times are those to reach 4, 6 and 8 digits: at the loosest tolerance
from which on every run has them, interpolated from the next looser run, so that a lucky loose run does not count."""
import csv
import math
import statistics
import sys

OURS = "daedalus_"
STIFF = ("detest", "stiff")
SAME_KIND = {"radau5": "radau5", "radau": "radau", "rodas4": "rodas", "esdirk4": "v75_arkode_dirk4",
             "esdirk5": "v75_arkode_dirk5", "dopri5": "dopri5", "dop853": "dop853"}


def read(path):
    """(problem, solver, rtol) to row, of the runs that finished; of repeated ones the fastest."""
    rows = {}
    for row in csv.DictReader(open(path)):
        if row["status"] != "0" or float(row["scd"]) < -90 or float(row["cpu_best_us"]) <= 0:
            continue
        key = row["problem"], row["solver"], float(row["rtol"])
        if key not in rows or float(row["cpu_best_us"]) < float(rows[key]["cpu_best_us"]):
            rows[key] = row
    return rows


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def machine_scale(ours, others):
    ratios = [float(ours[key]["cpu_best_us"])/float(others[key]["cpu_best_us"])
              for key in ours if key[1] == "cvode_bdf" and key in others]
    return statistics.median(ratios) if ratios else 1.0


def curves(rows):
    """problem to solver to [(rtol, digits, microseconds)], the loosest first."""
    result = {}
    for (problem, solver, rtol), row in sorted(rows.items(), reverse=True):
        point = rtol, float(row["scd"]), float(row["cpu_best_us"])
        result.setdefault(problem, {}).setdefault(solver, []).append(point)
    return result


def time_to(digits, curve):
    first = len(curve)
    while first > 0 and curve[first - 1][1] >= digits:
        first -= 1
    if first == len(curve):
        return None
    time = curve[first][2]
    if first > 0 and time > curve[first - 1][2]:
        share = (digits - curve[first - 1][1])/(curve[first][1] - curve[first - 1][1])
        time = curve[first - 1][2]**(1 - share)*time**share
    return min([time] + [point[2] for point in curve[first:]])


def times_to(digits, solvers):
    times = {solver: time_to(digits, curve) for solver, curve in solvers.items()}
    return {solver: time for solver, time in times.items() if time is not None}


def compare_times(title, problems, ours, others, scale, verbose, rival=None):
    """The best of ours over the best of the others, or over the rival."""
    if not problems:
        return
    print(f"\n{title}: time of our best method over that of {rival or 'the best other'}")
    for digits in (4, 6, 8):
        ratios, each, worst = [], {}, (0.0, "")
        for problem in problems:
            mine = times_to(digits, ours.get(problem, {}))
            theirs = times_to(digits, others.get(problem, {}))
            if rival:
                theirs = {solver: time for solver, time in theirs.items() if solver == rival}
            if not mine or not theirs:
                if theirs:
                    print(f"  {problem}: none of ours reaches {digits} digits")
                continue
            best, other = min(mine, key=mine.get), min(theirs, key=theirs.get)
            ratios.append(mine[best]/(theirs[other]*scale))
            worst = max(worst, (ratios[-1], problem))
            for solver, time in mine.items():
                each.setdefault(solver.removeprefix(OURS), []).append(time/(theirs[other]*scale))
            if verbose:
                print(f"    {problem:<12} {mine[best]:9.1f} us {best:<22} {theirs[other]*scale:9.1f} us {other:<18} "
                      f"{ratios[-1]:.2f}")
        ranked = sorted((geometric_mean(values), solver) for solver, values in each.items()
                        if len(values) == len(ratios))
        alone = ", ".join(f"{solver} {mean:.2f}" for mean, solver in ranked[:4])
        print(f"  {digits} digits: {geometric_mean(ratios):.2f} over {len(ratios)} problems, at most {worst[0]:.2f} "
              f"({worst[1]}); one method for all: {alone}")


def compare_work(method, other, problems, ours, others):
    print(f"\n{method} and {other}, totals at each rtol: steps, evaluations, factorisations; digits")
    for rtol in sorted({key[2] for key in ours}, reverse=True):
        keys = [problem for problem in problems
                if (problem, OURS + method, rtol) in ours and (problem, other, rtol) in others]
        if not keys:
            continue
        mine = [ours[problem, OURS + method, rtol] for problem in keys]
        theirs = [others[problem, other, rtol] for problem in keys]
        totals = [(sum(int(row[what]) for row in mine), sum(int(row[what]) for row in theirs))
                  for what in ("steps", "nf", "nlu")]
        ratios = " ".join(f"{a/b:.2f}" if b > 0 else "-" for a, b in totals)
        digits = statistics.median(float(a["scd"]) - float(b["scd"]) for a, b in zip(mine, theirs))
        print(f"  rtol {rtol:g}: {ratios} times theirs; {digits:+.2f} digits in the median of {len(keys)} problems")


def main(arguments):
    verbose = "--verbose" in arguments
    paths = [argument for argument in arguments if not argument.startswith("--")]
    if len(paths) != 2:
        sys.exit(__doc__)
    ours, others = map(read, paths)
    groups = {problem: row["group"] for (problem, *_), row in others.items()}
    scale = machine_scale(ours, others)
    print(f"this machine takes {scale:.2f} of the time of the baseline's (CVODE)")
    mine = curves({key: row for key, row in ours.items() if key[1].startswith(OURS)})
    theirs = curves({key: row for key, row in others.items()})

    def of(*wanted):
        return [problem for problem in theirs if groups[problem] in wanted and problem in mine]

    compare_times("Stiff", of(*STIFF), mine, theirs, scale, verbose)
    compare_times("Not stiff", of("nonstiff"), mine, theirs, scale, verbose, "dop853")
    compare_times("Differential-algebraic", of("dae"), mine, theirs, scale, verbose)
    for method, other in SAME_KIND.items():
        compare_work(method, other, of("nonstiff") if method.startswith("dop") else of(*STIFF), ours, others)


main(sys.argv[1:])
