"""Results in HDF5: equal to CSV, read by h5py, locked, streamed, cut off and repaired.

Usage: hdf5_test.py PROGRAM
"""

import csv
import itertools
import json
import random
import resource
import signal
import subprocess
import time
import unittest

import h5py

from support import PROGRAM, CliTest, is_sanitized, main

WAVES = """model Waves
  parameter Real k(unit = "1/s") = 1 "frequency";
  Real x[8](each unit = "m") "waves", s(start = 0, fixed = true);
  Real 'u/v'(unit = "V") "with a slash";
  Real same(unit = "cm") "as s", opposite;
equation
  for i in 1:8 loop
    x[i] = sin(k*i*time);
  end for;
  der(s) = x[2];
  'u/v' = 2*s;
  same = s;
  opposite = -s;
end Waves;
"""


class Hdf5(CliTest):
    def setUp(self):
        super().setUp()
        self.write("waves.mo", WAVES)

    def start(self, *arguments):
        """A run that is far from its end."""
        process = subprocess.Popen([PROGRAM, "simulate", "waves.mo", "--stop", "1e6", "--intervals", "100000000",
                                    "--max-steps", "1000000000", *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, size):
        for _ in range(1000):
            path = self.folder / name
            if path.exists() and path.stat().st_size >= size:
                return path
            time.sleep(0.01)
        self.fail(f"{name} does not grow")

    def columns(self, name, most=None):
        """By the names, the whole rows of a CSV file, or the first of them."""
        with open(self.folder / name, newline="") as file:
            header, *rows = csv.reader(itertools.islice((line for line in file if line.endswith("\n")), most))
        return dict(zip(header, zip(*[[float(cell) for cell in row] for row in rows])))

    def test_it_has_the_numbers_of_csv(self):
        self.succeeds("simulate", "waves.mo", "--intervals", "9000", "--output", "a.h5", "--output", "a.csv")
        self.assertEqual(self.files(), ["a.csv", "a.h5", "decay.mo", "waves.mo"])
        columns = self.columns("a.csv")
        self.assertIn("'u/v'", columns)
        with h5py.File(self.folder / "a.h5", "r") as file:
            for name, values in columns.items():
                with self.subTest(variable=name):
                    self.assertEqual(file[name].dtype, "float64")
                    self.assertEqual(tuple(file[name][:]), values)
            self.assertEqual(file["k"][()], 1)

    def test_units_descriptions_aliases_and_compression(self):
        self.succeeds("simulate", "waves.mo", "--output", "a.hdf5")
        with h5py.File(self.folder / "a.hdf5", "r") as file:
            self.assertEqual(dict(file["time"].attrs), {"unit": "s", "description": "Simulation time"})
            self.assertEqual(dict(file["k"].attrs), {"unit": "1/s", "description": "frequency"})
            self.assertEqual(dict(file["'u/v'"].attrs), {"unit": "V", "description": "with a slash"})
            self.assertEqual(file["x[1]"].attrs["unit"], "m")
            self.assertEqual(file["s"].attrs["unit of same"], "cm")
            self.assertEqual(file["s"], file["same"])  # the same dataset
            self.assertTrue((file["opposite"][:] == -file["s"][:]).all())
            series = file["x[1]"]
            self.assertEqual((series.shape, series.maxshape, series.compression, series.shuffle),
                             ((501,), (None,), "gzip", True))

    def test_equal_runs_give_equal_bytes(self):
        for name in ("a.h5", "b.h5"):
            self.succeeds("simulate", "waves.mo", "--output", name)
        self.assertEqual((self.folder / "a.h5").read_bytes(), (self.folder / "b.h5").read_bytes())

    def test_it_can_be_compared(self):
        for name in ("a.h5", "a.csv", "a.mat"):
            self.succeeds("simulate", "waves.mo", "--output", name)
        for other in ("a.csv", "a.mat", "a.h5"):
            self.assertTrue(self.json_of("compare", "a.h5", other, "--tube", "0")["agrees"])
        self.succeeds("simulate", "waves.mo", "--set", "k=1.1", "--output", "b.h5")
        told = self.json_of("compare", "a.h5", "b.h5", code=1)
        self.assertIn("x[3]", [variable["name"] for variable in told["variables"]])

    def test_what_is_no_result(self):
        self.succeeds("simulate", "waves.mo", "--output", "a.h5")
        whole = (self.folder / "a.h5").read_bytes()
        self.write("text.h5", "time,x\n0,1\n")
        self.write("empty.h5", "")
        self.write("cut.h5", whole[:len(whole)//2])
        with h5py.File(self.folder / "none.h5", "w") as file:
            file["x"] = [1.0, 2.0]
        with h5py.File(self.folder / "shape.h5", "w") as file:
            file["time"], file["x"] = [0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]]
        with h5py.File(self.folder / "names.h5", "w") as file:
            file["time"], file["x"] = [0.0, 1.0], ["a", "b"]
        for name, message in (("text.h5", "it is no HDF5 file"), ("empty.h5", "it is no HDF5 file"),
                              ("cut.h5", "it is no HDF5 file, or not all of one"),
                              ("none.h5", "it has no dataset `time`"),
                              ("shape.h5", "`x` has not as many numbers as `time`"),
                              ("names.h5", "`x` has not as many numbers as `time`")):
            with self.subTest(file=name):
                result = self.fails(1, "compare", "a.h5", name, says=[f"`{name}` holds no results: {message}"])
                self.assertEqual(result.stderr.count("\n"), 1)
        self.fails(1, "compare", "a.h5", "missing.h5", says="cannot read `missing.h5`: No such file")
        for name in ("text.h5", "cut.h5", "empty.h5"):
            before = (self.folder / name).read_bytes()
            self.fails(1, "repair", name, says=[f"`{name}`", "[report.not-a-table]"])
            self.assertEqual((self.folder / name).read_bytes(), before)

    def test_damage_is_told_and_never_crashes(self):
        self.succeeds("simulate", "waves.mo", "--intervals", "20", "--output", "a.h5")
        whole = (self.folder / "a.h5").read_bytes()
        seed = 11
        generator = random.Random(seed)
        for _ in range(10 if is_sanitized() else 40):
            damaged = bytearray(whole)
            for _ in range(20):
                damaged[generator.randrange(len(whole))] = generator.randrange(256)
            self.write("b.h5", bytes(damaged))
            result = self.run_program("compare", "a.h5", "b.h5")
            self.assertIn(result.returncode, (0, 1), f"seed {seed}")
            self.assertLessEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_results_of_other_programs_are_read(self):
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["time"], file["x"], file["n"] = [0.0, 1.0], [2.0, 3.0], 4
        self.write("own.csv", "time,x\n0,2\n1,3\n")
        told = self.json_of("compare", "own.csv", "other.h5", "--tube", "0")
        self.assertEqual((told["agrees"], told["only_in_other"]), (True, ["n"]))

    def test_a_second_run_does_not_write_to_the_same_file(self):
        process = self.start("--output", "a.h5")
        self.wait_for("a.h5.part", 1000)
        self.fails(1, "simulate", "waves.mo", "--output", "a.h5",
                   says=["cannot write `a.h5`: another run is writing it", "[io]"])
        self.fails(1, "repair", "a.h5.part", says="a run is still writing `a.h5.part`")
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("a.h5.part", self.files())
        with h5py.File(self.folder / "a.h5", "r") as file:
            self.assertGreater(len(file["time"]), 1)
            self.assertEqual({len(file[name]) for name in ("time", "s", "x[8]", "opposite")}, {len(file["time"])})
        self.succeeds("simulate", "waves.mo", "--output", "a.h5")

    def test_what_kill_leaves_can_be_repaired(self):
        generator = random.Random(7)
        for _ in range(2 if is_sanitized() else 4):
            (self.folder / "a.h5.part").unlink(missing_ok=True)
            process = self.start("--output", "a.h5", "--output", "a.csv", "--variables", "s,x[1],same,opposite")
            self.wait_for("a.h5.part", 100_000)
            time.sleep(generator.uniform(0, 1.2))
            process.kill()
            process.wait()
            told = self.json_of("repair", "a.h5.part")
            self.assertGreater(told["rows"], 10)
            self.assertTrue(self.json_of("compare", "a.h5.part", "a.h5.part")["agrees"])
            columns = self.columns("a.csv.part", most=20_000)
            with h5py.File(self.folder / "a.h5.part", "r") as file:
                self.assertEqual((len(file["time"]), file["time"][-1]), (told["rows"], told["t_end"]))
                count = min(told["rows"], len(columns["time"]))
                for name, values in columns.items():
                    self.assertEqual(file[name][:count].tolist(), list(values[:count]), name)

    def test_a_slow_run_is_kept_too(self):
        # Some ten rows a second: no chunk is ever full.
        self.write("slow.mo", "model S\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = cos(1e5*time);\nend S;\n")
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", "--stop", "1000", "--interval", "1", "--max-steps",
                                    "1000000000", "--output", "a.h5"], cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        empty = self.wait_for("a.h5.part", 1).stat().st_size
        self.wait_for("a.h5.part", empty + 1)
        process.kill()
        process.wait()
        self.assertGreaterEqual(self.json_of("repair", "a.h5.part")["rows"], 1)
        with h5py.File(self.folder / "a.h5.part", "r") as file:
            self.assertEqual((file["time"][0], file["x"][0]), (0, 1))

    def test_a_disk_that_becomes_full_ends_the_run_and_keeps_rows(self):
        limit = 60_000_000  # more than is written in the first second
        self.write("a.h5", "old")
        result = self.run_program("simulate", "waves.mo", "--stop", "1e6", "--intervals", "100000000", "--max-steps",
                                  "1000000000", "--output", "a.h5", "--json", timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(result.returncode, 1, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["status"], told["reason"]), ("failed", "io"))
        self.assertIn(f"after {limit} bytes, cannot write `a.h5`: File too large", told["message"])
        self.assertEqual((self.folder / "a.h5").read_text(), "old")
        self.assertRegex(result.stderr, r"the rows until t = \S+ are in `a.h5.part`, which `daedalus repair a.h5.part` makes")
        repaired = self.json_of("repair", "a.h5.part")
        with h5py.File(self.folder / "a.h5.part", "r") as file:
            self.assertEqual((len(file["s"]), file["time"][-1]), (repaired["rows"], repaired["t_end"]))
        self.assertGreater(repaired["rows"], 10_000)
        self.assertNotIn("HDF5-DIAG", result.stderr)
        self.assertNotIn("infinite loop", result.stderr)

    def test_a_disk_without_room_for_anything(self):
        self.fails(1, "simulate", "waves.mo", "--output", "a.h5", says="after 3000 bytes, cannot write `a.h5`: File too large",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
        self.fails(1, "simulate", "waves.mo", "--output", "none/a.h5",
                   says=["cannot write `none/a.h5`: its folder does not exist", "[io]"])

    def test_names_that_hdf5_cannot_hold(self):
        self.write("clash.mo", "model C\n  Real 'a/b', 'a//b';\nequation\n  'a/b' = time;\n  'a//b' = 2*time;\nend C;\n")
        self.fails(1, "simulate", "clash.mo", "--output", "a.h5",
                   says=["an HDF5 file cannot have both `'a/b'` and `'a//b'`", "--variables"])
        self.assertNotIn("a.h5", self.files())
        self.assertNotIn("a.h5.part", self.files())

    @unittest.skipIf(is_sanitized(), "a sanitizer keeps what was freed")
    def test_many_rows_need_no_more_memory_than_few(self):
        def peak(intervals):
            result = self.succeeds("simulate", "waves.mo", "--intervals", str(intervals), "--output", "a.h5", "--json",
                                   timeout=120)
            return max(json.loads(result.stdout)["phases_peak_bytes"].values())

        # At most 32 MiB wait for a commit; these rows have 130 MB.
        self.assertLess(peak(1_500_000), peak(100_000) + 60_000_000)


if __name__ == "__main__":
    main()
