"""Faults of docs/faults.md that no other test brings about: text, numbers, files, streams and resources.

Usage: faults_test.py PROGRAM
"""

import ctypes
import os
import platform
import resource
import signal
import struct
import subprocess
import time
import unittest

from support import PROGRAM, CliTest, environment, is_sanitized, main

# System calls of x86-64 Linux.
MMAP, MPROTECT, FSYNC, RENAME = 9, 10, 74, 82
PROT_EXEC, MAP_ANONYMOUS = 4, 0x20
EIO, EACCES = 5, 13


def refusing(*rules):
    """For preexec_fn: the kernel answers a call with an error where its arguments have the given bits.

    A rule is (call, {argument: bits}, error). A filter of seccomp, which needs no rights.
    """
    load, equal, bits_set, answer = 0x20, 0x15, 0x45, 0x06
    allow, fail = 0x7FFF0000, 0x00050000
    code = []
    for call, arguments, error in rules:
        code += [(load, 0, 0, 0), (equal, 0, 2*len(arguments) + 1, call)]
        for number, (argument, bits) in enumerate(arguments.items()):
            left = 2*(len(arguments) - number) - 1
            code += [(load, 0, 0, 16 + 8*argument), (bits_set, 0, left, bits)]
        code.append((answer, 0, 0, fail | error))
    code.append((answer, 0, 0, allow))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    library = ctypes.CDLL(None)
    program = Program(len(code), ctypes.addressof(text))

    def install(_alive=text):
        if library.prctl(38, 1, 0, 0, 0) != 0 or library.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:
            raise OSError("no seccomp")

    return install


def has_filters():
    if platform.machine() != "x86_64" or is_sanitized():
        return False
    try:
        return subprocess.run(["true"], preexec_fn=refusing((FSYNC, {}, EIO))).returncode == 0
    except subprocess.SubprocessError:
        return False


def somebody_else():
    """Rights count only for those who are not root."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class Text(CliTest):
    def refused(self, text, *says):
        self.write("m.mo", text)
        return self.fails(1, "check", "m.mo", says=says)

    def test_files_without_a_class(self):
        for text in ("", "// nothing\n/* at all */\n", "within Some.Package;\n", "within ;"):
            self.refused(text, "the file defines no model")

    def test_a_cycle_of_constants_is_told_in_order(self):
        self.refused("model M\n  constant Real a = b;\n  constant Real b = c;\n  constant Real c = a;\nend M;\n",
                     "m.mo:2:17", "`a` -> `b` -> `c` -> `a`")

    def test_one_equation_too_many_that_agrees_with_the_others(self):
        self.refused("model M\n  Real x, y;\nequation\n  x = 1;\n  y = x;\n  y = 1;\nend M;\n",
                     "2 equations for 1 unknown around `x`", "the model has 3 equations for 2 unknowns")
        self.refused("model M\n  Real x, y;\nequation\n  x + y = 2;\n  2*x + 2*y = 4;\n  x = 1;\nend M;\n",
                     "3 equations for 2 unknowns around `x`, `y`", "the model has 3 equations for 2 unknowns")

    def test_no_equation_without_an_unknown_is_dropped(self):
        for equation in ("noEvent(x) = x", "x - x = 0", "0*x = 0", "zeros(2) = zeros(2)", "time = 3", "b = b",
                         "true = false", "if b then 0 = 0; end if", "for i in 1:2 loop i = i; end for"):
            with self.subTest(equation=equation):
                self.refused(f"model M\n  parameter Boolean b = true;\n  Real x = 1;\nequation\n  {equation};\nend M;\n",
                             "m.mo:5:", "[structure.no-unknowns]")
        self.refused("model M\n  Real x(start = 1);\ninitial equation\n  3 = 4;\nequation\n  der(x) = -x;\nend M;\n",
                     "m.mo:4:3", "this equation can never hold")
        self.refused("model M\n  Real x = x;\nend M;\n", "m.mo:2:8", "[structure.no-unknowns]")

    def test_streams_connections_and_foreign_code_are_named(self):
        self.refused("connector C\n  stream Real h;\nend C;\nmodel M\n  stream Real h;\n  Real a = inStream(h);\nequation\n"
                     "  connect(h, h);\nend M;\n", "kind `connector` are not supported yet",
                     "the prefix `stream` is not supported yet", "`inStream` is not supported yet",
                     "connect-equations are not supported yet")
        self.refused("model M\n  Real x = hold(previous(sample(time, Clock(0.1))));\nend M;\n", "`hold` is not supported yet")
        self.refused('function f\n  input Real x;\n  output Real y;\nexternal "C" y = sin(x);\nend f;\nmodel M\n'
                     "  Real x = f(1);\nend M;\n", "classes of kind `function` are not supported yet")


class Numbers(CliTest):
    def ends(self, text, *says, stop="1"):
        self.write("m.mo", text)
        result = self.run_program("simulate", "m.mo", "--stop", stop, "--output", "a.csv")
        self.assertEqual(result.returncode, 1, result.stderr)
        for words in says:
            self.assertIn(words, result.stderr)

    def test_an_equation_that_is_singular_at_one_time(self):
        self.ends("model M\n  Real x(start = 1, fixed = true), y;\nequation\n  der(x) = -x;\n"
                  "  (time - 0.5)*y = sin(time - 0.5);\nend M;\n",
                  "m.mo:5:3", "at t = 0.5, the equation for `y` is singular", "residual 0")
        self.assertAlmostEqual(self.rows("a.csv")[1][-1][0], 0.498)

    def test_a_loop_that_one_value_of_a_parameter_makes_singular(self):
        text = "model M\n  parameter Real a = {};\n  Real y, z;\nequation\n  y + a*z = 1 + time;\n  y + z = 1 + time;\nend M;\n"
        self.ends(text.format(1), "the loop of 2 equations around `z` is singular", "`z` is not determined")
        self.write("m.mo", text.format(2))
        self.assertAlmostEqual(self.json_of("simulate", "m.mo")["final"]["y"], 2)

    def test_a_solution_that_ceases_to_exist(self):
        self.ends("model M\n  Real y(start = 1);\nequation\n  y^2 = 1 - time;\nend M;\n", "m.mo:4:3",
                  "the equation for `y` does not converge (residual ", stop="2")
        self.assertLessEqual(self.rows("a.csv")[1][-1][0], 1)

    def test_only_the_branch_that_is_taken_is_evaluated(self):
        self.write("m.mo", "model M\n  parameter Integer p = 0;\n  parameter Real q = if p > 0 then 1/p else 5;\n"
                           "  Real x(start = 1, fixed = true), y, z;\n  Boolean b;\nequation\n  der(x) = -1;\n"
                           "  y = noEvent(if x > 0 then sqrt(x) else 0);\n  z = if p > 0 then log(p - 1) else 2;\n"
                           "  b = x > 0 and sqrt(x) > 0.5;\nend M;\n")
        final = self.json_of("simulate", "m.mo", "--stop", "2")["final"]
        self.assertEqual((final["q"], final["y"], final["z"], final["b"]), (5, 0, 2, 0))

    def test_powers_and_logarithms_outside_of_their_domain(self):
        self.ends("model M\n  Real x = -8 - time, y = x^(1/3);\nend M;\n", "`y` is not a number in `y = x^", "where x = -8")
        self.ends("model M\n  Real y = log(time);\nend M;\n", "`y` is minus infinite in `y = log(time)`, where time = 0")
        self.ends("model M\n  parameter Real p = (-8)^(1/3);\nend M;\n", "m.mo:2:22", "the value of `p` is not a number")
        self.write("m.mo", "model M\n  parameter Real p = 0;\n  Real y = p^p;\nend M;\n")
        self.assertEqual(self.json_of("simulate", "m.mo")["final"]["y"], 1)  # as pow of C

    def test_start_values_that_a_constraint_contradicts(self):
        self.ends("model M\n  Real x(start = 1, fixed = true), y(start = 5, fixed = true), z;\nequation\n  der(x) = -z;\n"
                  "  x + y = 3;\n  der(y) = z;\nend M;\n", "1 initial condition too many", "beside this one",
                  "remove `fixed = true` of")

    def test_steps_below_the_resolution_of_time(self):
        for words in (["--set", "k=1e9", "--method", "radau5"], ["--method", "rk4", "--step", "1e-9"]):
            result = self.run_program("simulate", "decay.mo", "--start", "1e9", "--stop", "1000000001", *words)
            self.assertEqual(result.returncode, 1)
            self.assertIn("the time has no resolution at t = 1000000000", result.stderr)


class Files(CliTest):
    def test_rights_are_asked_for_before_the_run(self):
        try:
            usable = self.run_program("--version", preexec_fn=somebody_else).returncode == 0
        except OSError:
            usable = False
        if not usable:
            self.skipTest("the program is in a folder that only root may enter")
        self.write("secret.mo", "model M end M;")
        (self.folder / "secret.mo").chmod(0)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.fails(1, "check", "secret.mo", preexec_fn=somebody_else, says=["`secret.mo`", "Permission denied", "[io]"])
        for option, name in (("--output", "a.csv"), ("--report", "a.html"), ("--events", "e.csv")):
            self.fails(1, "simulate", "decay.mo", "--stop", "1e300", option, name, preexec_fn=somebody_else,
                       says=[f"cannot write `{name}`: Permission denied", "[io]"])

    def test_a_disk_that_is_full_at_any_byte(self):
        whole = self.succeeds("simulate", "decay.mo", "--output", "-").stdout
        self.write("a.csv", "old")
        for limit in (0, 1, 100, 4095, 4096, 20_000, 32_000):
            with self.subTest(limit=limit):
                self.fails(1, "simulate", "decay.mo", "--output", "a.csv", says=f"after {limit} bytes, cannot write `a.csv`",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                part = self.folder / "a.csv.part"
                if limit < 30:  # not one row
                    self.assertFalse(part.exists())
                else:
                    left = part.read_text()
                    self.assertTrue(whole.startswith(left) and left.endswith("\n"))
                    self.assertLess(len(whole[len(left):].split("\n")[0]) + len(left), limit + 100)
                    part.unlink()
        self.assertEqual((self.folder / "a.csv").read_text(), "old")

    @unittest.skipUnless(has_filters(), "needs seccomp")
    def test_errors_at_the_end_of_a_file_count(self):
        self.write("a.csv", "old")
        for call, error, words in ((FSYNC, EIO, "Input/output error"), (RENAME, EACCES, "Permission denied")):
            self.fails(1, "simulate", "decay.mo", "--output", "a.csv", preexec_fn=refusing((call, {}, error)),
                       says=["cannot write `a.csv`", words, "[io]"])
        self.assertEqual((self.folder / "a.csv").read_text(), "old")
        self.assertEqual(self.files(), ["a.csv", "a.csv.part", "decay.mo"])  # all rows are there
        self.assertEqual(self.succeeds("repair", "a.csv.part").stdout, "a.csv.part: 501 rows until t = 1 s\n")

    def test_runs_that_write_to_one_name(self):
        runs = [subprocess.Popen([PROGRAM, "simulate", "decay.mo", "--set", f"k={k}", "--output", "same.csv"],
                                 cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for k in range(4)]
        said = [run.communicate(timeout=60)[1] for run in runs]
        for run, words in zip(runs, said):
            self.assertIn((run.returncode, "another run is writing it" in words), ((0, False), (1, True)))
        self.assertIn(0, [run.returncode for run in runs])
        self.assertEqual(self.files(), ["decay.mo", "same.csv"])
        written = (self.folder / "same.csv").read_text()
        alone = []
        for k in range(4):
            self.succeeds("simulate", "decay.mo", "--set", f"k={k}", "--output", "one.csv")
            alone.append((self.folder / "one.csv").read_text())
        self.assertIn(written, alone)

    def test_links_are_replaced_and_not_followed(self):
        (self.folder / "elsewhere").mkdir()
        self.write("elsewhere/kept.csv", "kept")
        (self.folder / "a.csv").symlink_to("elsewhere/kept.csv")
        (self.folder / "loop.csv").symlink_to("loop.csv")
        (self.folder / "loop.mo").symlink_to("loop.mo")
        for name in ("a.csv", "loop.csv"):
            self.succeeds("simulate", "decay.mo", "--output", name)
            self.assertFalse((self.folder / name).is_symlink())
        self.assertEqual((self.folder / "elsewhere/kept.csv").read_text(), "kept")
        self.fails(1, "check", "loop.mo", says="Too many levels of symbolic links")

    def test_names_that_are_too_long_for_the_disk(self):
        for name in ("x"*252 + ".csv", "y"*4096 + "/a.csv", "/".join(["z"*200]*25) + "/a.csv"):
            self.fails(1, "simulate", "decay.mo", "--output", name, says="File name too long")
            self.fails(1, "check", name, says="File name too long")


class Streams(CliTest):
    def test_the_exit_code_is_right_whatever_is_closed(self):
        commands = {"check decay.mo": 0, "simulate decay.mo": 0, "--help": 0, "--version": 0, "check missing.mo": 1,
                    "simulate decay.mo --stop x": 2, "": 2}
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            for command, code in commands.items():
                with self.subTest(closed=closed, command=command):
                    result = subprocess.run(["bash", "-c", f"exec '{PROGRAM}' {command} {closed}"], cwd=self.folder,
                                            capture_output=True, timeout=20)
                    self.assertEqual(result.returncode, code)

    def test_numbers_of_threads_that_are_none(self):
        for text in ("abc", "0", "1e9", "-1", ""):
            self.succeeds("simulate", "decay.mo", env=environment(OMP_NUM_THREADS=text))


class Resources(CliTest):
    @unittest.skipIf(is_sanitized(), "the check of virtual calls opens a pipe")
    def test_one_descriptor_for_each_file_besides_the_standard_streams_is_enough(self):
        files = ["--output", "a.csv", "--output", "a.mat", "--report", "a.html"]
        self.succeeds("simulate", "decay.mo", *files,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
        self.assertEqual(self.files(), ["a.csv", "a.html", "a.mat", "decay.mo"])
        self.fails(1, "simulate", "decay.mo", *files, says="cannot write `a.mat`: Too many open files",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))

    def test_a_run_that_was_stopped_for_a_while_goes_on(self):
        self.write("slow.mo", "model S\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = cos(1000*time);\nend S;\n")
        process = subprocess.Popen([PROGRAM, "simulate", "slow.mo", "--stop", "1000", "--max-steps", "1000000000"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual((process.returncode, said), (0, ""))

    @unittest.skipUnless(has_filters(), "needs seccomp")
    def test_a_host_that_lets_no_code_be_written(self):
        no_code = refusing((MPROTECT, {2: PROT_EXEC}, EACCES), (MMAP, {2: PROT_EXEC, 3: MAP_ANONYMOUS}, EACCES))
        self.fails(1, "simulate", "decay.mo", "--output", "a.csv", preexec_fn=no_code,
                   says=["cannot generate code", "Permission denied"])
        self.assertEqual(self.files(), ["decay.mo"])
        self.succeeds("check", "decay.mo", preexec_fn=no_code)


if __name__ == "__main__":
    main()
