"""A second opinion on a run: summary, JSON and warnings.

Usage: verify_test.py PROGRAM
"""

import json
import re

from support import CliTest, main

# 40 degrees from the vertical, where both coordinates are good states.
PENDULUM = """
model A
  Real x(start = 0.6427876096865393, fixed = true), y(start = -0.766044443118978);
  Real vx(start = 0, fixed = true), vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F * x;
  der(vy) = -F * y - 9.81;
  x^2 + y^2 = 1;
end A;
"""

OSCILLATOR = """model Oscillator
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when x < 0 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10));
end Oscillator;
"""

# Euler's method with its fixed steps gains energy, so that the ball jumps over the wall of height 1.05.
WALL = """model Wall
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  der(y) = 0;
  when x > 1.05 then
    reinit(y, 1);
  end when;
  annotation(experiment(StopTime = 10));
end Wall;
"""


class Verify(CliTest):
    def verified(self, text, *options):
        self.write("model.mo", text)
        result = self.run_program("simulate", "model.mo", "--verify", "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["verified"], result.stderr

    def test_a_good_run_agrees_with_another_family(self):
        verified, stderr = self.verified(OSCILLATOR)
        self.assertEqual(verified["method"], "rodas5p")
        self.assertEqual(verified["rtol"], 1e-8)
        self.assertEqual(verified["status"], "finished")
        self.assertGreater(verified["digits"], 5)
        self.assertEqual(verified["variables"]["n"]["digits"], 16)
        self.assertIsNone(verified["parting"])
        self.assertEqual(verified["other_states"], [])
        self.assertNotIn("fewer digits", stderr)

    def test_the_summary_has_a_line(self):
        self.write("model.mo", OSCILLATOR)
        result = self.run_program("simulate", "model.mo", "--verify", "--method", "rodas4")
        self.assertRegex(result.stdout, r"  verify  radau at rtol = 1e-08 agrees to \d\.\d digits or more \(`\w")

    def test_a_bad_run_is_told_with_the_event_that_parts_them(self):
        verified, stderr = self.verified(WALL, "--method", "euler", "--step", "0.05")
        self.assertLess(verified["digits"], 1)
        self.assertLess(verified["variables"]["x"]["digits"], 1)
        self.assertEqual(verified["parting"]["cause"], "sensitivity")  # x differs before y jumps
        self.assertIn("fewer digits than rtol promises (6)", stderr)
        verified, _ = self.verified(WALL, "--method", "euler", "--step", "0.05", "--variables", "y")
        self.assertEqual(verified["parting"]["cause"], "extra-event")
        self.assertEqual(verified["parting"]["event"], "`x > 1.05`")

    def test_without_the_option_nothing_is_said(self):
        self.write("model.mo", OSCILLATOR)
        result = self.run_program("simulate", "model.mo", "--json")
        self.assertNotIn("verified", json.loads(result.stdout))


    def test_the_second_run_begins_with_other_states_where_there_are_some(self):
        verified, stderr = self.verified(PENDULUM, "--stop", "0.2")
        self.assertEqual(len(verified["other_states"]), 2)
        self.assertGreater(verified["digits"], 5)
        self.assertEqual(stderr, "")
        said = self.run_program("simulate", "model.mo", "--verify", "--stop", "0.2").stdout
        self.assertIn("with other states (`", said)

    def test_the_report_has_the_difference_of_each_variable(self):
        self.verified(OSCILLATOR, "--report", "run.html")
        page = (self.folder / "run.html").read_text()
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(data["second"], "rodas5p at rtol = 1e-08")
        self.assertEqual(len(data["bands"]), len(data["columns"]))
        for band in data["bands"]:
            self.assertEqual(len(band), len(data["time"]))
        largest = max(value for band in data["bands"] for value in band if value is not None)
        self.assertTrue(0 < largest < 1e-4, largest)


if __name__ == "__main__":
    main()
