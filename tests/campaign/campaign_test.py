"""campaign_test.py PROGRAM: the campaigns notice what is wrong, and their own answers are right where they are known."""

import math
import pathlib
import random
import stat
import subprocess
import sys
import tempfile
import unittest

import automata
import choppers
import rectifiers
import support
from campaign import CAMPAIGNS
from interpretation import Interpretation

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
HERE = pathlib.Path(__file__).resolve().parent

# A program that is slightly wrong: in every number of the last row.
FORGER = """#!{python}
import csv, pathlib, subprocess, sys
done = subprocess.run([{program!r}, *sys.argv[1:]])
path = pathlib.Path("results.csv")
if path.exists():
    rows = list(csv.reader(path.open()))
    rows[-1] = rows[-1][:1] + [repr(float(x) + 1) for x in rows[-1][1:]]
    csv.writer(path.open("w")).writerows(rows)
sys.exit(done.returncode)
"""
CRASHER = """#!{python}
import os, signal
os.kill(os.getpid(), signal.SIGSEGV)
"""


class Campaigns(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_campaign(self, script, *arguments):
        """A campaign against a program that a script plays."""
        program = self.folder / "program"
        program.write_text(script.format(python=sys.executable, program=PROGRAM))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return subprocess.run([sys.executable, HERE / "campaign.py", program, *arguments, "--folder", self.folder / "found"],
                              capture_output=True, text=True, timeout=300)

    def test_wrong_results_are_found_and_kept_as_a_small_model(self):
        for name in ("interpreter", "automata", "switches"):
            with self.subTest(name):
                case = "4" if name == "switches" else "3"
                done = self.run_campaign(FORGER, name, "--seed", "1", "--case", case, "--time", "1")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(f"{name}: seed 1, case {case}: ", done.stdout)
                kept = (self.folder / "found" / f"{name}-1-{case}.mo").read_text()
                self.assertIn(f"./dev campaign {name} --seed 1 --case {case}", kept)
                self.assertIn("\nmodel ", kept)

    def test_a_crash_is_found(self):
        for name in CAMPAIGNS:
            with self.subTest(name):
                done = self.run_campaign(CRASHER, name, "--seed", "1", "--case", "1", "--time", "0.5")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_a_case_follows_from_its_seed_and_number(self):
        for name, campaign in CAMPAIGNS.items():
            with self.subTest(name):
                campaign.prepare(support.Program(PROGRAM))
                texts = [campaign.text(campaign.case(random.Random(f"{name} {seed} 3"), 3)) for seed in (7, 7, 8)]
                self.assertEqual(texts[0], texts[1])
                self.assertNotEqual(texts[0], texts[2])


class Answers(unittest.TestCase):
    def values(self, text, at=0.0):
        interpretation = Interpretation(f"model M {text} end M;")
        interpretation.initialise(0.0)
        for event in interpretation.thresholds(at):
            interpretation.advance(event)
            interpretation.pass_event(event)
        interpretation.advance(at)
        return {name: value for (name, place), value in interpretation.evaluated().items() if not place}

    def test_operators_bind_as_the_specification_says(self):
        found = self.values("Real a = -2^2, b = 7 - 2 - 1, c = 12/2/3, d = 2 + 3*4^2; Boolean e = not true or true and 1 < 2;")
        self.assertEqual(found, {"a": -4.0, "b": 4.0, "c": 2.0, "d": 50.0, "e": True})

    def test_quotients_are_those_of_the_specification(self):
        found = self.values("Integer a = div(-7, 2), b = mod(-7, 2), c = rem(-7, 2), d = integer(-2.5); Real e = mod(7.5, -2);")
        self.assertEqual(found, {"a": -3, "b": 1, "c": -1, "d": -3, "e": -0.5})

    def test_arrays(self):
        found = self.values("parameter Real a[2, 3] = {{10*i + k for k in 1:3} for i in 1:2}; Real x = a[2, end], s = sum(a[:, 1]), "
                            "p = {1, 2, 3}*a[1, :], m = max(transpose(a)*{1, -1}); Integer n = size(a, 2);")
        self.assertEqual(found, {"x": 23.0, "s": 32.0, "p": 74.0, "m": -10.0, "n": 3})

    def test_events_settle_by_iteration(self):
        text = """Boolean b = time > 0.5; Integer n(start = 0), k(start = 0); Real x(start = 1, fixed = true);
                  equation when {b, sample(0.3, 0.3)} then n = pre(n) + 1; end when;
                  when change(n) then k = 10*n; reinit(x, n); end when; der(x) = -x;"""
        found = self.values(text, 0.8)
        self.assertEqual((found["n"], found["k"]), (3, 30))
        self.assertAlmostEqual(found["x"], 3 * math.exp(-0.2), places=9)

    def test_automata_have_exact_times(self):
        case = {"method": "radau5", "automata": [{"start": ["1/10"], "slopes": [[["1/3", "0"]], [["-2", "0"]]], "coupled": False,
                "transitions": [{"from": 0, "state": 0, "relation": ">", "threshold": "1", "to": 1, "resets": []},
                                {"from": 1, "state": 0, "relation": "<", "threshold": "0", "to": 0, "resets": [[0, "add", "1/2"]]}]}]}
        events, final = automata.exact(case)
        self.assertEqual([10 * t for t, _, _ in events], [27, 32, 47, 52, 67, 72, 87, 92])
        self.assertEqual(final["x0_0"], automata.Fraction(23, 30))

    def test_automata_that_multiply_rounding_errors_are_not_drawn(self):
        """A state is multiplied by -3 thirty times."""
        def case(factor):
            transitions = [{"from": 0, "state": 0, "relation": ">=", "threshold": "1", "to": 0,
                            "resets": [[0, "set", "0"], [1, "scale", factor]]}]
            return {"method": "radau5", "automata": [{"start": ["1/2", "1/7"], "slopes": [[["3", "0"], ["1/5", "0"]]],
                                                      "coupled": False, "transitions": transitions}]}

        self.assertEqual(len(automata.exact(case("-1"))[0]), 30)
        with self.assertRaises(automata.Discarded):
            automata.exact(case("-3"))

    def test_formulas_have_their_textbook_values(self):
        ideal = {"Vm": 1.0, "R": 1.0, "Rs": 0.0, "Ron": 0.0, "Goff": 0.0, "Vknee": 0.0, "Ls": 0.0, "f": 50, "wL": 10.0}
        for kind, value in (("half-wave", 1 / math.pi), ("centre-tap", 2 / math.pi), ("bridge-1", 2 / math.pi),
                            ("star-3", 1.5 * math.sqrt(3) / math.pi), ("bridge-3", 3 * math.sqrt(3) / math.pi)):
            self.assertAlmostEqual(rectifiers.mean(dict(ideal, kind=kind, load="R"))[0], value, places=12)
        self.assertAlmostEqual(rectifiers.smoothed(1.0, 0.0, 2, 1e6), 1.0, places=5)
        chopper = {"D": 0.4, "V": 10.0, "R": 1.0, "phases": 1, "Ron": 0.0, "Rs": 0.0, "Goff": 0.0, "Vknee": 0.0, "continuous": True,
                   "split": 0.5, "RC": 30.0}
        for kind, value in (("buck", 4.0), ("boost", 10 / 0.6), ("buck-boost", 4 / 0.6), ("cuk", 4 / 0.6)):
            edge = choppers.CRITICAL[kind](0.4)  # both modes agree where one becomes the other
            self.assertAlmostEqual(choppers.mean(dict(chopper, kind=kind, K=2 * edge))[0], value, places=9)
            self.assertAlmostEqual(choppers.mean(dict(chopper, kind=kind, K=edge, continuous=False))[0], value, places=9)


if __name__ == "__main__":
    unittest.main()
