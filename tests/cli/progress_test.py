"""How far a run is, on a terminal and for other programs; limits of time.

Usage: progress_test.py PROGRAM
"""

import json
import os
import pty
import subprocess

from support import PROGRAM, CliTest, main

# Would take days.
SLOW = """model Slow
  Real x(start = 1, fixed = true);
equation
  der(x) = cos(1000*time);
end Slow;
"""
LONG = ("--stop", "1e9", "--intervals", "1000", "--max-steps", "1000000000000")


class Progress(CliTest):
    def limited(self, *arguments, seconds="2.5"):
        self.write("slow.mo", SLOW)
        return self.run_program("simulate", "slow.mo", *LONG, "--time-limit", seconds, *arguments, timeout=60)

    def test_a_time_limit_ends_the_run_with_its_results(self):
        result = self.limited("--json", "--output", "a.csv", seconds="1")
        self.assertEqual(result.returncode, 1, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["status"], told["reason"]), ("failed", "time-limit"))
        self.assertGreater(told["t_end"], 0)
        self.assertRegex(result.stderr, r"the time limit is reached at t = \S+ \[time-limit\]")
        header, rows = self.rows("a.csv")
        self.assertEqual(header[:2], ["time", "x"])
        self.assertEqual(rows[-1][0], told["t_end"])

    def test_a_time_limit_holds_before_the_run(self):
        result = self.limited("--json", seconds="1e-5")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(json.loads(result.stdout)["reason"], "time-limit")
        self.assertIn("before there are results [time-limit]", result.stderr)

    def test_a_time_limit_is_positive(self):
        for seconds in ("0", "-1"):
            result = self.limited(seconds=seconds)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("time-limit", result.stderr)

    def test_a_run_within_its_limit_is_as_without(self):
        self.write("slow.mo", SLOW)
        runs = [self.run_program("simulate", "slow.mo", "-o", "-", *limit) for limit in ((), ("--time-limit", "1e300"))]
        self.assertEqual([run.returncode for run in runs], [0, 0])
        self.assertEqual(runs[0].stdout, runs[1].stdout)

    def test_a_file_is_told_every_second(self):
        self.limited("--progress", "progress.jsonl")
        lines = [json.loads(line) for line in (self.folder / "progress.jsonl").read_text().splitlines()]
        self.assertGreaterEqual(len(lines), 2)
        self.assertEqual([line["done"] for line in lines], [False] * (len(lines) - 1) + [True])
        for before, after in zip(lines, lines[1:]):
            self.assertGreaterEqual(after["t"], before["t"])
            self.assertGreaterEqual(after["steps"], before["steps"])
        self.assertEqual(lines[0]["limited_by"], "x")
        self.assertGreater(lines[0]["left_s"], 1)

    def test_a_file_that_cannot_be_written_is_said_before_the_run(self):
        result = self.limited("--progress", "missing/progress.jsonl")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write `missing/progress.jsonl`", result.stderr)

    def test_a_pipe_gets_none(self):
        result = self.limited()
        self.assertNotIn("steps/s", result.stderr)
        self.assertNotIn("\r", result.stderr)

    def on_terminal(self, *arguments):
        """What the program writes to a terminal."""
        self.write("slow.mo", SLOW)
        ours, its = pty.openpty()
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", *LONG, "--time-limit", "2.5", *arguments],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=its,
                                   env=dict(os.environ, TERM="xterm"))
        os.close(its)
        text = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # it has closed its end
                break
            if not more:
                break
            text += more
        process.wait(timeout=60)
        os.close(ours)
        return text.decode()

    def test_a_terminal_gets_a_line_that_is_gone_at_the_end(self):
        text = self.on_terminal()
        self.assertRegex(text, r"\r\x1b\[Kt = \S+ of 1e\+09 s \(0 %\), \S+ steps/s, .* left\r\x1b\[K")
        self.assertEqual(text.rsplit("\r\x1b[K", 1)[1].count("steps/s"), 0)

    def test_a_quiet_run_says_nothing_but_what_is_wrong(self):
        self.assertNotIn("steps/s", self.on_terminal("--quiet"))
        self.write("slow.mo", SLOW)
        result = self.run_program("simulate", "slow.mo", "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    main()
