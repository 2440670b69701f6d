"""Signals during a long run.

Usage: signals_test.py PROGRAM
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import time

from support import PROGRAM, CliTest, is_sanitized, main

# Millions of steps; progress of the run shows only in its CPU time.
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
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129),
                             (signal.SIGXCPU, 152), (signal.SIGUSR1, 138)):
            with self.subTest(signal=number):
                process = self.start("--output", "a.csv")
                process.send_signal(number)
                _, said = process.communicate(timeout=10)
                self.assertEqual(process.returncode, code, said)
                self.assertRegex(said, r"interrupted at t = \S+ s: results until t = ")
                at, until = (float(part.split()[0]) for part in said.split("t = ")[1:])
                times = [row[0] for row in self.rows("a.csv")[1]]
                self.assertGreater(until, 0)
                self.assertAlmostEqual(times[-1], until, delta=1e-9*until)  # which is printed with 10 digits
                self.assertLess(abs(at - until), 2)
                (self.folder / "a.csv").unlink()

    def test_a_limit_of_cpu_time_lets_the_results_be_written(self):
        def one_second():
            resource.setrlimit(resource.RLIMIT_CPU, (1, 60))

        self.write("slow.mo", SLOW)
        result = self.run_program("simulate", "slow.mo", "--stop", "1e7", "--intervals", "10000000", "--max-steps",
                                  "1000000000", "--output", "a.csv", preexec_fn=one_second, timeout=60)
        self.assertEqual(result.returncode, 152, result.stderr)
        self.assertTrue((self.folder / "a.csv").read_text().endswith("\n"))

    def test_a_run_that_ignores_hangups_goes_on(self):
        self.write("slow.mo", SLOW)
        stop = "2e3" if is_sanitized() else "2e4"
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", "--stop", stop, "--max-steps", "1000000000"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(process.kill)
        while process.poll() is None and cpu_seconds(process) < 0.1:
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)

    def test_before_there_is_a_run(self):
        """While a model is read: one word, the exit code, one JSON object, and no files."""
        os.mkfifo(self.folder / "pipe.mo")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR1):
            for command in (["check"], ["simulate", "--json", "--output", "a.csv"]):
                with self.subTest(signal=number, command=command):
                    process = subprocess.Popen([PROGRAM, command[0], "pipe.mo", *command[1:]], cwd=self.folder,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    self.addCleanup(process.kill)
                    with open(self.folder / "pipe.mo", "w"):  # it waits for the text
                        time.sleep(0.05)
                        process.send_signal(number)
                        text, said = process.communicate(timeout=10)
                    self.assertEqual(process.returncode, 128 + number, said)
                    self.assertEqual(said, "daedalus: interrupted before there were results\n")
                    if "--json" in command:
                        self.assertEqual(json.loads(text)["reason"], "interrupted")
                    self.assertEqual(self.files(), ["decay.mo", "pipe.mo"])

    def test_a_table_of_problems_ends_with_what_it_has(self):
        process = subprocess.Popen([PROGRAM, "problems", "--rtol", "1e-8", "--method", "dopri5"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while process.poll() is None and cpu_seconds(process) < 0.3:
            time.sleep(0.02)
        self.assertIsNone(process.poll(), "the runs ended before the signal")
        process.send_signal(signal.SIGINT)
        text, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("[interrupted]", said)
        self.assertGreater(text.count("\n"), 1)

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
