"""Signals during a long run.

Usage: signals_test.py PROGRAM
"""

import json
import pathlib
import signal
import subprocess
import time

from support import PROGRAM, CliTest, main

# Millions of steps; a progress of the run shows in nothing but its CPU time.
SLOW = """model Slow
  Real x(start = 1, fixed = true);
equation
  der(x) = cos(1000*time);
end Slow;
"""


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Signals(CliTest):
    def start(self, *arguments):
        self.write("slow.mo", SLOW)
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", "--stop", "1e6", "--intervals", "1000000",
                                    "--max-steps", "1000000000", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while process.poll() is None and cpu_seconds(process) < 0.6:
            time.sleep(0.02)
        self.assertIsNone(process.poll(), "the run ended before the signal")
        return process

    def test_the_first_one_ends_the_run_and_keeps_the_results(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(signal=number):
                process = self.start("--output", "a.csv")
                process.send_signal(number)
                _, said = process.communicate(timeout=10)
                self.assertEqual(process.returncode, code, said)
                self.assertIn("interrupted: results until t = ", said)
                until = float(said.split("t = ")[1].split()[0])
                times = [row[0] for row in self.rows("a.csv")[1]]
                self.assertGreater(until, 0)
                self.assertTrue(times and abs(times[-1] - until) < 2, (times[-1:], until))
                (self.folder / "a.csv").unlink()

    def test_json_says_terminated(self):
        process = self.start("--json")
        process.send_signal(signal.SIGINT)
        text, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, said)
        value = json.loads(text)
        self.assertEqual((value["status"], value["reason"]), ("terminated", "interrupted"))

    def test_the_second_one_ends_it_at_once(self):
        process = self.start("--output", "a.csv")
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        for _ in range(100):
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertIn(process.returncode, (-signal.SIGINT, 130))
        if "a.csv" in self.files():  # the last signal came after the file
            self.assertTrue((self.folder / "a.csv").read_text().endswith("\n"))


if __name__ == "__main__":
    main()
