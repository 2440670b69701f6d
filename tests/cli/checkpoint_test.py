"""Runs that are stored on the way and continued by `resume`: after kill -9, signals and limits, in other files, with
other parameters; and files that are refused.

Usage: checkpoint_test.py PROGRAM        KILLS=1000 in the environment: so many runs are killed, not 50
"""

import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import h5py
from support import PROGRAM, CliTest, is_sanitized, main

# Stiff, with events by states and by a clock, and a loop.
MODEL = """model Busy
  parameter Real mu = 10;
  parameter Integer size = 2;
  Real x(start = 2, fixed = true), v(start = 0, fixed = true), z(start = 0.5), w[size];
  discrete Real u(start = 0);
  Integer n(start = 0);
equation
  der(x) = v;
  der(v) = mu*(1 - x^2)*v - x + 0.1*u;
  z + 0.1*sin(z) = x - v;
  for i in 1:size loop
    w[i] = i*z;
  end for;
  when x > 0 then
    n = pre(n) + 1;
  end when;
  when sample(0, 7.5) then
    u = 1 - 0.5*pre(u) + 0.1*x;
  end when;
end Busy;
"""
RESULTS = ("csv", "mat", "jsonl", "json", "h5")


# HDF5 may place the same numbers elsewhere in a file that it has opened again.
def series_in(path):
    with h5py.File(path, "r") as file:
        return {name: file[name][()].tobytes() for name in file}


class Checkpoints(CliTest):
    def setUp(self):
        super().setUp()
        self.write("busy.mo", MODEL)

    def arguments(self, name, *more, formats=RESULTS, stop=200):
        files = [word for ending in formats for word in ("--output", f"{name}.{ending}")]
        return ["simulate", "busy.mo", "--stop", str(stop), "--intervals", "2000", "--rtol", "1e-6", *files, "--events",
                f"{name}_events.csv", *more]

    def assert_same_files(self, name, other, formats=RESULTS):
        for ending in [f".{ending}" for ending in formats] + ["_events.csv"]:
            first, second = (self.folder / f"{it}{ending}" for it in (name, other))
            contents = series_in if ending == ".h5" else pathlib.Path.read_bytes
            self.assertTrue(contents(first) == contents(second), f"{name}{ending} and {other}{ending} differ")

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def store_at(self, t, *more):
        self.succeeds(*self.arguments("a", "--checkpoint", "a.chk", "--checkpoint-at", str(t), *more))

    def test_a_stored_run_gives_the_files_of_an_undisturbed_one(self):
        generator = random.Random(5)
        for method in ("radau5", "dopri5", "bdf", "rodas4", "taylor12"):
            with self.subTest(method=method):
                taken = ["--method", method]
                if method == "taylor12":  # which knows no loops
                    self.write("busy.mo", MODEL.replace("z + 0.1*sin(z) = x - v", "z = x - v"))
                self.succeeds(*self.arguments("a", *taken))
                self.store_at(generator.uniform(0, 200), *taken)
                self.succeeds(*self.arguments("b", "--checkpoint", "b.chk", "--checkpoint-at",
                                              str(generator.uniform(0, 200)), *taken))
                self.assert_same_files("a", "b")
                self.succeeds("resume", "b.chk")
                self.assert_same_files("a", "b")

    def test_kill_9_loses_nothing(self):
        formats = ("csv", "mat", "jsonl", "h5")
        generator = random.Random(int(os.environ.get("SEED", "11")))
        stop = 2000 if is_sanitized() else 20000
        self.succeeds(*self.arguments("a", formats=formats, stop=stop), timeout=120)
        kills = int(os.environ.get("KILLS", "5" if is_sanitized() else "50"))
        begin = self.arguments("b", "--checkpoint", "b.chk", "--checkpoint-every", "0.02", formats=formats, stop=stop)
        killed = resumed = 0
        while killed < kills:
            for file in self.folder.glob("b*.*"):
                if file.name != "busy.mo":
                    file.unlink()
            while True:
                has_begun = (self.folder / "b.chk").exists()
                process = subprocess.Popen([PROGRAM, *(["resume", "b.chk"] if has_begun else begin)], cwd=self.folder,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                resumed += has_begun
                try:
                    _, errors = process.communicate(timeout=generator.uniform(0.0, 0.5))
                    self.assertEqual(process.returncode, 0, errors)
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    killed += 1
            self.assert_same_files("a", "b", formats)
        self.assertGreater(resumed, kills // 3)

    def test_signals_and_limits_store_the_run(self):
        self.succeeds(*self.arguments("a", "--max-steps", "1000000000", stop=200000), timeout=120)
        process = subprocess.Popen([PROGRAM, *self.arguments("b", "--checkpoint", "b.chk", "--max-steps", "1000000000",
                                                             stop=200000)],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "b.csv.part").exists() or (self.folder / "b.csv.part").stat().st_size < 50_000:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("in b.chk (to continue: daedalus resume b.chk)", output)
        self.assertIn("b.csv", self.files())
        result = self.run_program("resume", "b.chk", "--time-limit", "0.3")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("[time-limit]", result.stderr)
        result = json.loads(self.succeeds("resume", "b.chk", "--json", timeout=120).stdout)
        self.assertEqual(result["status"], "finished")
        self.assertGreater(result["resumed_at"], 0)
        self.assertEqual(result["checkpoint"], {"file": "b.chk", "time": 200000})
        self.assert_same_files("a", "b")

    def test_more_steps_can_be_allowed(self):
        self.succeeds(*self.arguments("a"))
        result = self.run_program(*self.arguments("b", "--checkpoint", "b.chk", "--max-steps", "1000"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("[step-limit]", result.stderr)
        self.assertEqual(self.run_program("resume", "b.chk").returncode, 1)
        self.succeeds("resume", "b.chk", "--max-steps", "1000000")
        self.assert_same_files("a", "b")

    def test_a_finished_run_goes_on_to_a_later_stop(self):
        self.succeeds(*self.arguments("a", "--checkpoint", "a.chk", stop=100))
        self.succeeds("resume", "a.chk", "--stop", "150")
        rows = self.rows("a.csv")
        self.assertEqual(rows[-1]["time"], "150")
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertLess(min(abs(time - 125.05) for time in times), 1e-9)  # the grid goes on
        self.succeeds("resume", "a.chk")  # once more from where that has ended
        self.assertEqual(self.rows("a.csv"), rows)

    def test_other_files_leave_those_of_the_first_run_alone(self):
        self.store_at(100)
        before = (self.folder / "a.csv").read_bytes()
        self.succeeds("resume", "a.chk", "--output", "c.csv", "--report", "c.html")
        self.assertEqual((self.folder / "a.csv").read_bytes(), before)
        whole, rest = self.rows("a.csv"), self.rows("c.csv")
        self.assertEqual(rest, whole[-len(rest):])
        self.assertGreater(float(rest[0]["time"]), 100)
        self.assertIn("resumed", self.succeeds("resume", "a.chk", "--output", "c.csv").stdout)
        self.succeeds("resume", "a.chk", "--output", "c.json")
        self.assertEqual(len(json.loads((self.folder / "c.json").read_text())["time"]), len(rest))
        self.assertNotIn("c.chk", self.files())
        (self.folder / "a.chk").rename(self.folder / "b.chk")
        self.succeeds("resume", "b.chk", "--checkpoint-every", "1000")  # in the same file
        self.assertEqual(json.loads(self.succeeds("resume", "b.chk", "--json").stdout)["resumed_at"], 200)

    def test_a_report_is_that_of_the_whole_run(self):
        self.succeeds(*self.arguments("a", "--report", "a.html", "--checkpoint", "a.chk", "--checkpoint-at", "120"))
        whole = (self.folder / "a.html").read_text()
        (self.folder / "a.html").unlink()
        self.succeeds("resume", "a.chk")
        page = (self.folder / "a.html").read_text()
        self.assertEqual(page.count('"time"'), whole.count('"time"'))
        self.assertEqual(len(page) // 1000, len(whole) // 1000)

    def test_names_of_files_are_those_of_the_first_folder(self):
        self.store_at(100)
        whole = (self.folder / "a.csv").read_bytes()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        result = subprocess.run([PROGRAM, "resume", "../a.chk"], cwd=elsewhere, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "a.csv").read_bytes(), whole)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_the_model_is_in_the_file(self):
        self.store_at(100)
        whole = (self.folder / "a.csv").read_bytes()
        (self.folder / "busy.mo").unlink()
        self.succeeds("resume", "a.chk")
        self.assertEqual((self.folder / "a.csv").read_bytes(), whole)

    def test_many_runs_start_from_one_state(self):
        self.store_at(100)
        for mu in (1, 20):
            self.succeeds("resume", "a.chk", "--set", f"mu={mu}", "--output", "c.csv", "--stop", "102")
            first = self.rows("c.csv")[0]
            begin = float(first["time"])
            self.assertTrue(100 <= begin <= 101, begin)
            state = min(self.rows("a.csv"), key=lambda row: abs(float(row["time"]) - begin))
            self.assertAlmostEqual(float(first["x"]), float(state["x"]), delta=0.05)
            self.assertEqual(first["n"], state["n"])
        # Such a run is stored and continued like any other.
        self.succeeds("resume", "a.chk", "--set", "mu=3", "--output", "d.csv", "--checkpoint", "d.chk", "--checkpoint-at",
                      "150", "--stop", "180")
        whole = (self.folder / "d.csv").read_bytes()
        self.succeeds("resume", "d.chk")
        self.assertEqual((self.folder / "d.csv").read_bytes(), whole)
        self.fails(2, "resume", "a.chk", "--set", "mu=1", says=["say with --output where its results go", "[usage.resume]"])
        self.fails(2, "resume", "a.chk", "--set", "size=3", "--output", "c.csv", says=["`size` decides the sizes", "[usage.setting]"])
        self.fails(2, "resume", "a.chk", "--set", "x=3", "--output", "c.csv", says=["`x` is no parameter or input"])
        self.fails(2, "resume", "a.chk", "--set", "mue=3", "--output", "c.csv", says=["mue", "did you mean `mu`"])

    def test_other_files_are_refused(self):
        self.store_at(100)
        whole = (self.folder / "a.chk").read_bytes()
        self.fails(1, "resume", "none.chk", says=["none.chk"])
        self.fails(1, "resume", "busy.mo", says=["`busy.mo` is no checkpoint [checkpoint]"])
        for length in (30, 60, 200, len(whole) // 2, len(whole) - 1):
            self.write("cut.chk", whole[:length])
            self.fails(1, "resume", "cut.chk", says=["`cut.chk` is cut off"])
        self.write("bad.chk", whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
        self.fails(1, "resume", "bad.chk", says=["`bad.chk` is damaged"])
        self.write("old.chk", whole.replace(b"version 0", b"version 8", 1))
        self.fails(1, "resume", "old.chk", says=["`old.chk` was written by another build of the program: 8."])
        self.write("cpu.chk", whole.replace(b"\ncpu ", b"\ncpu other-", 1))
        self.assertIn("was written on another CPU (other-", self.succeeds("resume", "cpu.chk").stderr)
        result = json.loads(self.run_program("resume", "old.chk", "--json").stdout)
        self.assertEqual(result["reason"], "checkpoint")

    def test_files_that_have_changed_are_left_alone(self):
        self.store_at(100)
        kept = (self.folder / "a.csv").read_bytes()
        self.write("a.csv", "something else\n" * 100_000)
        self.fails(1, "resume", "a.chk", says=["a.csv` is not as the run had left it", "give other files with --output"])
        self.assertTrue((self.folder / "a.csv").read_text().startswith("something else"))
        (self.folder / "a.csv").unlink()
        self.fails(1, "resume", "a.chk", says=["a.csv.part` nor", "is there"])
        self.write("a.csv", kept)
        self.succeeds("resume", "a.chk")
        self.assertEqual((self.folder / "a.csv").read_bytes(), kept)

    def test_options_that_make_no_sense(self):
        chk = ["--checkpoint", "a.chk"]
        for words, says in (
            (["--checkpoint-every", "5"], "--checkpoint-every says when a run is stored, but not where"),
            ([*chk, "--checkpoint-every", "5", "--checkpoint-at", "1"], "contradict each other"),
            ([*chk, "--checkpoint-every", "0"], "checkpoint-every = 0 is not positive"),
            ([*chk, "--checkpoint-at", "300"], "checkpoint-at = 300 is not between start = 0 and stop = 200"),
            ([*chk, "--output", "-"], "rows on stdout cannot be taken up where this run is stored"),
            (["--checkpoint", "a.csv"], "`a.csv` would be written twice"),
        ):
            with self.subTest(words=words):
                self.fails(2, *self.arguments("a", *words), says=[says])
        self.fails(2, *self.arguments("a", "--checkpoint-every", "5"), says=["[usage.checkpoint]"])
        self.fails(1, *self.arguments("a", "--checkpoint", "none/a.chk"), says=["none/a.chk"])
        self.fails(2, "resume", says=["no checkpoint given"])
        self.store_at(100)
        self.fails(2, "resume", "a.chk", "--stop", "50", says=["stop = 50 is before t = 100"])

    def test_two_runs_do_not_store_in_one_file(self):
        process = subprocess.Popen([PROGRAM, "simulate", "busy.mo", "--stop", "1e7", "--max-steps", "1000000000",
                                    "--checkpoint", "a.chk", "--checkpoint-every", "0.05"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not (self.folder / "a.chk").exists():
            time.sleep(0.01)
        self.fails(1, *self.arguments("b", "--checkpoint", "a.chk"), says=["another run is writing it"])

    def test_a_run_that_cannot_be_stored_goes_on(self):
        folder = self.folder / "gone"
        folder.mkdir()
        process = subprocess.Popen([PROGRAM, *self.arguments("a", "--checkpoint", "gone/a.chk", stop=20000)],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "a.csv.part").exists():
            time.sleep(0.005)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("the run could not be stored", errors)
        self.assertEqual(self.rows("a.csv")[-1]["time"], "20000")

    def test_a_run_that_ends_before_is_told(self):
        self.write("short.mo", "model S\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
                               "  when x > 0.5 then\n    terminate(\"enough\");\n  end when;\nend S;\n")
        result = self.succeeds("simulate", "short.mo", "--checkpoint", "a.chk", "--checkpoint-at", "0.8")
        self.assertIn("the run has ended before t = 0.8, where it was to be stored", result.stderr)
        self.assertNotIn("a.chk", self.files())


if __name__ == "__main__":
    main()
