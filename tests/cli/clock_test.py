"""Runs while the wall clock jumps by years, forwards and back: limits, progress, checkpoints and files do not notice.

Usage: clock_test.py PROGRAM JUMPING_CLOCK.so
"""

import json
import pathlib
import subprocess
import sys
import time
import unittest

CLOCK = str(pathlib.Path(sys.argv.pop()).resolve())

from support import CliTest, environment, is_sanitized, main  # noqa: E402: it takes the program from sys.argv

MODEL = """model Busy
  Real x(start = 2, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = v;
  der(v) = 10*(1 - x^2)*v - x;
  when x > 0 then
    n = pre(n) + 1;
  end when;
end Busy;
"""


@unittest.skipIf(is_sanitized(), "sanitizers want to be loaded first")
class JumpingClock(CliTest):
    def setUp(self):
        super().setUp()
        self.write("busy.mo", MODEL)
        self.jumping = environment(LD_PRELOAD=CLOCK)

    def run_to(self, stop, name, *more):
        files = [word for ending in ("csv", "mat", "jsonl") for word in ("--output", f"{name}.{ending}")]
        return ["simulate", "busy.mo", "--stop", stop, "--method", "radau5", "--inline", "off", *files, "--events",
                f"{name}_events.csv", *more]

    def test_the_clock_does_jump(self):
        seconds = []
        for _ in range(2):
            seconds.append(int(subprocess.run(["date", "+%s"], env=self.jumping, capture_output=True, text=True).stdout))
        self.assertTrue(all(abs(second - time.time()) > 1e8 for second in seconds), seconds)

    def test_files_and_checkpoints_are_those_of_a_steady_clock(self):
        self.succeeds(*self.run_to("20000", "a"))
        self.succeeds(*self.run_to("20000", "b", "--checkpoint", "b.chk", "--checkpoint-every", "0.05", "--time-limit",
                                   "15", "--progress", "p.jsonl"), env=self.jumping)
        for ending in (".csv", ".mat", ".jsonl", "_events.csv"):
            self.assertEqual((self.folder / f"a{ending}").read_bytes(), (self.folder / f"b{ending}").read_bytes())
        self.assertTrue((self.folder / "b.chk").exists())
        for line in (self.folder / "p.jsonl").read_text().splitlines():
            told = json.loads(line)
            for name in ("elapsed_s", "left_s", "stuck_s"):
                self.assertTrue(told[name] is None or 0 <= told[name] < 1e6, line)

    def test_a_time_limit_ends_the_run_when_it_is_over(self):
        start = time.monotonic()
        result = self.run_program(*self.run_to("1e12", "c", "--max-steps", "1000000000", "--time-limit", "1"), env=self.jumping)
        taken = time.monotonic() - start
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[time-limit]", result.stderr)
        self.assertTrue(0.9 < taken < 10, taken)
        self.assertTrue((self.folder / "c.csv").exists())


if __name__ == "__main__":
    main()
