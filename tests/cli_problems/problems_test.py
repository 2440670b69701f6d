#!/usr/bin/env python3
"""problems_test.py PROGRAM PAGE: runs `daedalus problems` and compares docs/problems.md with it.

With --write as a third argument it writes the page instead.
"""
import json
import math
import subprocess
import sys
import unittest

PROGRAM, PAGE = sys.argv[1], sys.argv[2]

FIELDS = ("method t_end status message steps rejected f_evals jac_evals factorizations newton_iterations events "
          "switches compile_s solve_s final reference max_rel_error scd").split()

HEAD = """# Test problems

`daedalus problems` solves them and compares the end values with their references; `daedalus problems NAME` shows one.
This page is written by `tests/cli_problems/problems_test.py PROGRAM docs/problems.md --write`, and the test `cli.problems`
compares it with the catalogue (`src/problems/`).

The digits of a reference say how far it can be trusted: |true - reference| <= 10^-digits (scale + |reference|). The usual
absolute tolerance is rtol * scale.

| name | n | kind | until | digits | what | source |
|---|---|---|---|---|---|---|
"""


def daedalus(*words):
    return subprocess.run([PROGRAM, "problems", *words], capture_output=True, text=True, timeout=300)


def page(catalogue):
    rows = ["| `{problem}` | {n} | {kind} | {t_end:g} | {reference_digits:g} | {title} | {source} |".format(**p)
            for p in catalogue]
    return HEAD + "\n".join(rows) + "\n"


class Problems(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = daedalus("--rtol", "1e-4", "--json")
        cls.catalogue = json.loads(cls.all.stdout)["problems"]

    def test_all_finish_and_say_how_well(self):
        self.assertEqual(self.all.returncode, 0)
        self.assertEqual(self.all.stderr, "")
        self.assertGreaterEqual(len(self.catalogue), 55)
        for run in self.catalogue:
            with self.subTest(run["problem"]):
                self.assertEqual(run["status"], "finished")
                for field in FIELDS:
                    self.assertIn(field, run)
                self.assertEqual(len(run["final"]), run["n"])
                # At that tolerance one is all over the place, and one ends with values near atol.
                self.assertGreater(run["scd"], -1 if run["problem"] in ("arenstorf", "e5-long") else 0.5)
                self.assertGreater(run["mescd"], -1 if run["problem"] == "arenstorf" else 0.5)

    def test_the_error_is_that_of_the_values(self):
        run = next(run for run in self.catalogue if run["problem"] == "hires")
        worst = max(abs(run["final"][name] - value) / abs(value) for name, value in run["reference"].items())
        self.assertAlmostEqual(run["max_rel_error"], worst, delta=1e-12)
        self.assertAlmostEqual(run["scd"], -math.log10(worst), delta=1e-9)

    def test_the_page_is_that_of_the_catalogue(self):
        with open(PAGE, encoding="utf-8") as file:
            self.assertEqual(file.read(), page(self.catalogue))

    def test_one_problem_is_shown_in_detail(self):
        result = daedalus("robertson")
        self.assertEqual(result.returncode, 0)
        for words in ("Robertson's kinetics", "auto with rtol = 1e-06, atol = 1e-16: finished",
                      "  methods rodas5p from the start (eigenvalues up to ", "y[2]", "scd"):
            self.assertIn(words, result.stdout)

    def test_work_is_told_by_cause(self):
        for run in self.catalogue:
            with self.subTest(run["problem"]):
                self.assertEqual(sum(run["jacobians_by"].values()), run["jac_evals"])
                self.assertEqual(sum(run["factorizations_by"].values()), run["factorizations"])
                self.assertEqual(sum(part["steps"] for part in run["over_time"]), run["steps"])
        self.assertIn("half of the attempts are in t = 0 to", daedalus("robertson").stdout)

    def test_options_reach_the_run(self):
        run = json.loads(daedalus("lorenz", "--method", "dopri5", "--rtol", "1e-9", "--atol", "1e-10", "--json").stdout)
        self.assertEqual((run["method"], run["rtol"], run["atol"]), ("dopri5", 1e-9, 1e-10))
        self.assertEqual(run["jac_evals"], 0)
        self.assertGreater(run["scd"], 6)

    def test_the_error_control_reaches_the_run(self):
        usual, largest, absolute, thesis = (
            json.loads(daedalus("hires", *words, "--json").stdout)
            for words in ([], ["--norm", "max"], ["--norm", "euclidean"], ["--controller", "thesis"]))
        self.assertNotIn("norm", usual)
        self.assertNotIn("controller", usual)
        self.assertEqual((largest["norm"], absolute["norm"], thesis["controller"]), ("max", "euclidean", "thesis"))
        self.assertEqual(len({run["steps"] for run in (usual, largest, absolute, thesis)}), 4)
        self.assertGreater(largest["steps"], usual["steps"])
        shown = daedalus("hires", "--norm", "max", "--controller", "pi").stdout
        self.assertIn("norm = max, controller = pi: finished", shown)

    def test_a_run_that_fails_says_why(self):
        result = daedalus("robertson", "--method", "dopri5", "--json")
        self.assertEqual(result.returncode, 1)
        run = json.loads(result.stdout)
        self.assertEqual(run["status"], "failed")
        self.assertNotEqual(run["message"], "")
        self.assertIsNone(run["scd"])
        self.assertIn("robertson: ", result.stderr)

    def test_wrong_usage_is_told_apart(self):
        for words, hint in ((["robetson"], "did you mean `robertson`?"), (["hires", "--method", "rado5"], "radau5"),
                            (["hires", "--rtol", "small"], "not a number"), (["hires", "--rtol", "-1"], ""),
                            (["--metod", "radau5"], "--method"), (["hires", "extra"], "")):
            with self.subTest(words):
                result = daedalus(*words)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stdout, "")
                self.assertIn(hint, result.stderr)


if __name__ == "__main__":
    if sys.argv[3:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page(json.loads(daedalus("--rtol", "1e-4", "--json").stdout)["problems"]))
    else:
        unittest.main(argv=sys.argv[:1])
