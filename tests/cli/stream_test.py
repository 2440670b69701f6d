"""Results that are written while the run goes on: bounded memory, locks, full disks, kill -9, repair.

Usage: stream_test.py PROGRAM
"""

import json
import pathlib
import random
import resource
import signal
import subprocess
import time
import unittest

import scipy.io

from support import PROGRAM, CliTest, is_sanitized, main

WAVES = """model Waves
  Real x[8], s(start = 0, fixed = true);
equation
  for i in 1:8 loop
    x[i] = sin(i*time);
  end for;
  der(s) = x[1];
end Waves;
"""


def peak_bytes(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024*int(line.split()[1])
    return 0


class Streams(CliTest):
    def setUp(self):
        super().setUp()
        self.write("waves.mo", WAVES)

    def start(self, *arguments, rows=100_000_000):
        """A run that is far from its end."""
        process = subprocess.Popen([PROGRAM, "simulate", "waves.mo", "--stop", "1e6", "--intervals", str(rows),
                                    "--max-steps", "1000000000", *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, size=1):
        for _ in range(1000):
            path = self.folder / name
            if path.exists() and path.stat().st_size >= size:
                return path
            time.sleep(0.01)
        self.fail(f"{name} does not grow")

    def test_rows_are_in_the_file_within_a_second_or_two(self):
        self.start("--output", "a.csv", "--output", "a.mat", "--output", "a.jsonl")
        for name in ("a.csv.part", "a.mat.part", "a.jsonl.part"):
            self.wait_for(name, 100_000)
        self.assertNotIn("a.csv", self.files())

    def test_a_slow_run_shows_its_rows_too(self):
        # Some ten rows a second: no buffer is ever full.
        self.write("slow.mo", "model S\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = cos(1e5*time);\nend S;\n")
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", "--stop", "1000", "--interval", "1", "--max-steps",
                                    "1000000000", "--output", "a.csv"], cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        path = self.wait_for("a.csv.part", 40)
        self.assertTrue(path.read_text().startswith("time,x,der(x)\n0,1,1\n".replace("der(x)", '"der(x)"')))

    def test_what_kill_leaves_can_be_read(self):
        generator = random.Random(7)
        names = ("a.csv.part", "a.mat.part", "a.jsonl.part")
        for _ in range(3 if is_sanitized() else 8):
            for name in names:
                (self.folder / name).unlink(missing_ok=True)
            process = self.start("--output", "a.csv", "--output", "a.mat", "--output", "a.jsonl")
            self.wait_for(names[0], 1000)
            time.sleep(generator.uniform(0, 0.5))
            process.kill()
            process.wait()
            for name in names:
                with self.subTest(file=name):
                    told = self.json_of("repair", name)
                    self.assertGreater(told["rows"], 10)
            header, rows = self.rows(names[0])
            lines = [json.loads(line) for line in (self.folder / names[2]).read_text().splitlines()]
            matrix = scipy.io.loadmat(self.folder / names[1])
            columns = matrix["data_2"].T.tolist()
            self.assertEqual(matrix["data_1"][0, 1], columns[-1][0])
            self.assertEqual(header, list(lines[0]))
            fewest = min(len(rows), len(lines), len(columns))
            for i in range(0, fewest, max(1, fewest//100)):
                self.assertEqual(rows[i], list(lines[i].values()))
                self.assertEqual(rows[i], [columns[i][0], *rows[i][1:]])
                self.assertIn(rows[i][1], columns[i])

    def test_the_log_of_events_is_written_along_and_has_them_all(self):
        self.write("ticks.mo", "model T\n  Integer n(start = 0, fixed = true);\n  Real x(start = 1, fixed = true);\nequation\n"
                               "  der(x) = -x;\n  when sample(0.5, 1) then n = pre(n) + 1; end when;\nend T;\n")
        told = self.json_of("simulate", "ticks.mo", "--stop", "3000", "--events", "whole.csv")
        self.assertEqual((told["time_events"], told["event_log_left_out"]), (3000, 2001))  # and the end of the run
        whole = (self.folder / "whole.csv").read_text()
        self.assertEqual(whole.count("\n"), 3002)  # more than are kept for the JSON object
        process = subprocess.Popen([PROGRAM, "simulate", "ticks.mo", "--stop", "1e9", "--max-steps", "1000000000", "--events",
                                    "e.csv"], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for("e.csv.part", 10_000)
        process.kill()
        process.wait()
        rows = self.json_of("repair", "e.csv.part")["rows"]
        left = (self.folder / "e.csv.part").read_text()
        self.assertEqual(left.count("\n"), rows + 1)
        self.assertEqual(left[:5000], whole[:5000])

    def test_a_whole_file_needs_no_repair(self):
        for name in ("a.csv", "a.mat", "a.jsonl"):
            self.succeeds("simulate", "decay.mo", "--output", name)
            before = (self.folder / name).read_bytes()
            self.assertEqual(self.json_of("repair", name), {"status": "finished", "file": name, "rows": 501,
                                                            "t_end": 1.0, "bytes_cut": 0})
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertEqual(self.succeeds("repair", "a.csv").stdout, "a.csv: 501 rows until t = 1 s\n")

    def test_what_is_no_result_file_is_not_repaired(self):
        self.fails(2, "repair", "decay.mo", says="cannot tell the format of `decay.mo`")
        self.fails(1, "repair", "none.csv", says="cannot open `none.csv`: No such file")
        self.fails(2, "repair", says="no result file given")
        self.write("a.mat", "text")
        self.fails(1, "repair", "a.mat", says="[report.not-a-table]")

    def test_a_second_run_does_not_write_to_the_same_file(self):
        process = self.start("--output", "a.csv")
        self.wait_for("a.csv.part", 1000)
        self.fails(1, "simulate", "waves.mo", "--output", "a.csv",
                   says=["cannot write `a.csv`: another run is writing it", "[io]"])
        self.fails(1, "repair", "a.csv.part", says="a run is still writing `a.csv.part`")
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assertIn("a.csv", self.files())
        self.assertNotIn("a.csv.part", self.files())
        self.succeeds("simulate", "waves.mo", "--output", "a.csv")

    def test_a_disk_that_becomes_full_ends_the_run_and_loses_nothing(self):
        limit = 1_000_000
        for name in ("a.csv", "a.mat", "a.jsonl"):
            result = self.run_program("simulate", "waves.mo", "--stop", "1e6", "--intervals", "100000000", "--max-steps",
                                      "1000000000", "--output", name, "--json", timeout=60,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(result.returncode, 1, result.stderr)
            value = json.loads(result.stdout)
            self.assertEqual((value["status"], value["reason"]), ("failed", "io"))
            self.assertIn(f"after {limit} bytes, cannot write `{name}`: File too large", value["message"])
            self.assertRegex(result.stderr, r"the rows until t = \S+ are in `" + name + ".part`")
            self.assertNotIn(name, self.files())
            self.assertGreater((self.folder / f"{name}.part").stat().st_size, limit - 1000)
            self.assertEqual(self.json_of("repair", f"{name}.part")["bytes_cut"], 0)  # only whole rows are left
        scipy.io.loadmat(self.folder / "a.mat.part")

    def test_the_other_files_of_such_a_run_are_complete(self):
        limit = 3_000_000
        self.write("old.csv", "old")
        # A row takes 16 bytes in one file and twice as many in the other.
        self.fails(1, "simulate", "waves.mo", "--stop", "1e6", "--intervals", "100000000", "--max-steps", "1000000000",
                   "--variables", "s", "--output", "old.csv", "--output", "a.mat", timeout=60, says="cannot write `old.csv`",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual((self.folder / "old.csv").read_text(), "old")
        self.assertNotIn("a.mat.part", self.files())
        rows = (self.folder / "old.csv.part").read_text().count("\n") - 1
        self.assertGreater(rows, 10_000)
        self.assertGreaterEqual(scipy.io.loadmat(self.folder / "a.mat")["data_2"].shape[1], rows)

    @unittest.skipIf(is_sanitized(), "a sanitizer keeps what was freed")
    def test_ten_million_rows_need_no_more_memory_than_a_hundred_thousand(self):
        """Two million here, for the time that they take; a run of fewer rows is over before its peak is seen."""
        def peak(intervals, *more):
            process = subprocess.Popen([PROGRAM, "simulate", "waves.mo", "--intervals", str(intervals), "--output", "a.csv",
                                        "--output", "a.mat", *more], cwd=self.folder, stdout=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            most = 0
            while process.poll() is None:
                try:
                    most = max(most, peak_bytes(process))
                except (FileNotFoundError, ProcessLookupError):
                    break
                time.sleep(0.002)
            self.assertEqual(process.wait(), 0)
            return most

        self.assertLess(peak(2_000_000), peak(100_000) + 4_000_000)
        self.assertLess(peak(2_000_000, "--report", "a.html"), peak(200_000, "--report", "a.html") + 20_000_000)

    def test_a_reader_of_stdout_gets_rows_at_once(self):
        process = self.start("--output", "-")
        self.assertTrue(process.stdout.readline().startswith("time,"))
        self.assertTrue(process.stdout.readline().startswith("0,0,"))
        self.assertIsNone(process.poll())

    def test_jsonl_and_parts_can_be_compared(self):
        for name in ("a.csv", "b.jsonl", "c.mat"):
            self.succeeds("simulate", "waves.mo", "--output", name)
        (self.folder / "b.jsonl").rename(self.folder / "b.jsonl.part")
        for other in ("b.jsonl.part", "c.mat"):
            self.assertTrue(self.json_of("compare", "a.csv", other, "--tube", "0")["agrees"])
        with open(self.folder / "b.jsonl.part", "a") as file:
            file.write('{"time":2,')
        self.fails(1, "compare", "a.csv", "b.jsonl.part", says=["line 502", "`daedalus repair b.jsonl.part`"])


if __name__ == "__main__":
    main()
