"""What a run gives: JSON, summary, files, the output grid, the other commands.

Usage: run_test.py PROGRAM
"""

import math
import os
import resource
import subprocess
import unittest

from support import DECAY, CliTest, PROGRAM, environment, is_sanitized, main

REQUIRED = {"method", "t_end", "status", "message", "steps", "rejected", "f_evals", "jac_evals", "factorizations",
            "newton_iterations", "events", "switches", "unstable", "compile_s", "solve_s", "final"}

TWO_SPEEDS = """model TwoSpeeds
  parameter Real w = 50, k = 1e-3;
  Real slow(start = 1, fixed = true), fast(start = 0, fixed = true);
equation
  der(slow) = -k*slow;
  der(fast) = w*cos(w*time);
  annotation(experiment(StopTime = 10));
end TwoSpeeds;
"""

PENDULUM = """model Pendulum
  Real x(start = 0.6), y(start = -0.8), vx, vy, F;
equation
  der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
"""


class Simulate(CliTest):
    def test_every_phase_tells_its_time_and_memory(self):
        analysed = ["parse", "flatten", "aliases", "index", "sort", "tear", "initial system", "jacobian",
                    "events"]
        for command, phases in (("check", analysed), ("explain", analysed),
                                ("simulate", analysed + ["compile", "initialise", "inline", "integrate"])):
            told = self.json_of(command, "decay.mo")
            self.assertEqual(list(told["phases_s"]), phases)
            self.assertEqual(list(told["phases_peak_bytes"]), phases)
            self.assertTrue(all(seconds >= 0 for seconds in told["phases_s"].values()))
            peaks = list(told["phases_peak_bytes"].values())
            self.assertEqual(peaks, sorted(peaks))
            self.assertGreater(peaks[0], 1_000_000)

    def test_json_has_what_the_design_promises(self):
        value = self.json_of("simulate", "decay.mo", "--stop", "2")
        self.assertLessEqual(REQUIRED, set(value))
        self.assertEqual((value["status"], value["method"], value["t_end"], value["message"]),
                         ("finished", "auto", 2.0, ""))
        self.assertEqual(value["events"], 0)
        self.assertEqual([(one["from"], one["to"], one["reason"]) for one in value["switches"]], [(None, "dop853", "start")])
        self.assertAlmostEqual(value["final"]["x"], math.exp(-2), delta=1e-6)
        self.assertAlmostEqual(value["final"]["y"], 2*math.exp(-2), delta=2e-6)
        self.assertEqual(value["final"]["k"], 1)

    def test_json_of_a_failed_run_has_them_too(self):
        self.write("blow.mo", "model B\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\nend B;\n")
        value = self.json_of("simulate", "blow.mo", "--stop", "3", code=1)
        self.assertLessEqual(REQUIRED, set(value))
        self.assertEqual((value["status"], value["reason"]), ("failed", "step-too-small"))
        self.assertAlmostEqual(value["t_end"], 1.0, delta=1e-3)

    def test_a_failure_on_the_way_keeps_the_results_until_then(self):
        self.write("root.mo", "model R\n  Real x(start = 1.05, fixed = true);\n  Real y;\nequation\n  der(x) = -1;\n"
                              "  y = sqrt(x);\nend R;\n")
        result = self.run_program("simulate", "root.mo", "--stop", "2", "--interval", "0.1", "--output", "r.csv")
        self.assertEqual(result.returncode, 1)
        self.assertIn("root.mo:6:3: error: at t = 1.1, `y` is not a number in `y = sqrt(x)`", result.stderr)
        rows = self.rows("r.csv")[1]
        self.assertAlmostEqual(rows[-1][0], 1.0)
        self.assertNotIn("nan", (self.folder / "r.csv").read_text())
        value = self.json_of("simulate", "root.mo", "--stop", "2", code=1)
        self.assertEqual((value["reason"], value["file"], value["line"], value["column"]), ("domain", "root.mo", 6, 3))

    def test_linear_systems_can_be_solved_by_iteration(self):
        self.write("rod.mo", "model Rod\n  Real u[40](each start = 1, each fixed = true);\nequation\n"
                             "  for i in 1:40 loop\n    der(u[i]) = 1600*((if i > 1 then u[max(i-1, 1)] else 0) - 2*u[i] + "
                             "(if i < 40 then u[min(i+1, 40)] else 0));\n  end for;\nend Rod;\n")
        run = ("simulate", "rod.mo", "--method", "ndf", "--stop", "0.1")
        krylov = self.json_of(*run, "--linear-solver", "krylov")
        direct = self.json_of(*run)
        self.assertGreater(krylov["linear_iterations"], 0)
        self.assertEqual(krylov["linear_solver"], "krylov")
        self.assertEqual(direct["linear_iterations"], 0)
        self.assertNotIn("linear_solver", direct)
        self.assertAlmostEqual(krylov["final"]["u[20]"], direct["final"]["u[20]"], delta=2e-5)
        self.fails(2, "simulate", "rod.mo", "--method", "radau5", "--linear-solver", "krylov",
                   says=["`radau5` does not solve linear systems by iteration", "bdf, ndf or auto"])
        self.fails(2, *run, "--linear-solver", "gmres", says=["there is no linear solver `gmres`", "auto, direct, krylov"])

    def test_the_summary_names_model_work_and_files(self):
        result = self.succeeds("simulate", "decay.mo", "--output", "a.csv", "--report", "r.html")
        for words in ("Decay: a decay", "2 equations, 1 state, 0 aliases", "auto, inlined: finished at t = 1 s", "dop853 from the start (eigenvalues up to 1 1/s)", "steps", "a.csv", "r.html"):
            self.assertIn(words, result.stdout)
        self.assertEqual(result.stderr, "")

    def test_a_method_that_changes_tells_when_and_why(self):
        self.write("v.mo", "model V\n  Real x(start = 2, fixed = true), v(start = 0, fixed = true);\nequation\n"
                           "  der(x) = v;\n  der(v) = 100*(1 - x^2)*v - x;\nend V;\n")
        run = ["simulate", "v.mo", "--rtol", "1e-3", "--atol", "1e-3", "--method", "vmrk32", "--stop"]
        switches = self.json_of(*run, "100")["switches"]
        self.assertEqual([(one["from"], one["to"], one["reason"]) for one in switches],
                         [(None, "erk32", "start"), ("erk32", "dirk32", "stability"), ("dirk32", "erk32", "accuracy"),
                          ("erk32", "dirk32", "stability")])
        self.assertEqual(list(switches[0]), ["t", "from", "to", "h", "lambda", "reason"])
        self.assertIsNone(switches[0]["lambda"])
        self.assertAlmostEqual(switches[1]["lambda"], 300, delta=5)
        self.assertRegex(self.succeeds(*run, "50").stdout, r"\n  methods erk32 from the start, dirk32 from t = 0\.2\d* s \(stability limited erk32\)\n")
        self.assertRegex(self.succeeds(*run, "500").stdout,
                         r"\n  methods erk32 from the start, then 1\d changes between it and dirk32, the last one at t = 48\d\.\d+ s\n")
        self.assertEqual(self.json_of(*run[:-2], "radau5", "--stop", "1")["switches"], [])
        self.fails(2, *run, "1", "--inline", says=["`vmrk32` changes between two methods", "`erk32` or `dirk32`"])
        self.fails(2, *run, "1", "--step", "0.1", says=["`vmrk32` needs steps of its own choice", "take `erk32` or `dirk32`"])

    def test_unstable_motion_is_told(self):
        self.write("u.mo", "model U\n  Real x(start = 1, fixed = true), s(start = 1, fixed = true);\nequation\n"
                           "  der(x) = 2*x;\n  der(s) = 1e3*(x - s);\nend U;\n")
        run = ["simulate", "u.mo", "--rtol", "1e-3", "--atol", "1e-3", "--stop", "10"]
        (stretch,) = self.json_of(*run, "--method", "vmrk32")["unstable"]
        self.assertEqual(list(stretch), ["since", "seen", "until", "rate", "growth", "states"])
        self.assertEqual((stretch["until"], stretch["states"][0]["name"]), (10, "x"))
        self.assertAlmostEqual(stretch["rate"], 2, places=9)
        self.assertAlmostEqual(stretch["growth"], 2*(10 - stretch["since"]), places=6)
        shown = self.succeeds(*run, "--method", "vmrk32", "--report", "u.html").stdout
        self.assertRegex(shown, r"\n  motion  unstable from t = 0\.\d+ to 10 s: small changes grew at up to 2 1/s, "
                                r"by a factor of \d\.\de\+08, most of `x` \(100 %\)\n")
        self.assertIn("unstable from t = ", (self.folder / "u.html").read_text())
        self.assertEqual(self.json_of(*run, "--method", "radau5")["unstable"], [])

    def test_the_drift_of_constraints_is_reported(self):
        self.write("p.mo", PENDULUM)
        value = self.json_of("simulate", "p.mo", "--stop", "2")
        drift = value["constraint_drift"]
        self.assertLess(drift["largest"], 1e-12)
        self.assertEqual((drift["file"], drift["column"]), ("p.mo", 3))
        self.assertRegex(self.succeeds("simulate", "p.mo").stdout, "drift   .* at t = .* s in `")
        self.assertIsNone(self.json_of("simulate", "decay.mo")["constraint_drift"])

    def test_what_was_assumed_about_the_start_is_told(self):
        self.write("p.mo", PENDULUM)
        notes = self.json_of("simulate", "p.mo", "--stop", "0")["notes"]
        self.assertEqual(len(notes), 2, notes)
        self.assertIn("initial conditions: `x` (to say so, add `fixed = true`)", notes[0])
        self.assertIn("for want of an initial condition: `vx`", notes[1])
        self.assertIn(f"start   {notes[0]}", self.succeeds("simulate", "p.mo", "--stop", "0").stdout)
        self.assertEqual(self.json_of("simulate", "decay.mo")["notes"], [])

    def test_a_failed_start_names_all_places(self):
        self.write("n.mo", "model N\n  Real x(start = 1, fixed = true);\n  Real y(start = 1), z(start = 2);\nequation\n"
                           "  der(x) = -x;\n  y^2 + exp(z) + x = 0;\n  sin(y)*z + z^3 = 3;\nend N;\n")
        value = self.json_of("simulate", "n.mo", code=1)
        self.assertEqual(value["reason"], "initial-newton")
        lines = [detail["line"] for detail in value["details"]]
        self.assertIn(3, lines)
        self.assertTrue(all(detail["file"] == "n.mo" and detail["text"] for detail in value["details"]))

    def test_the_report_shows_the_structure(self):
        self.write("p.mo", PENDULUM)
        self.succeeds("simulate", "p.mo", "--report", "p.html")
        self.assertIn("Sorted into blocks", (self.folder / "p.html").read_text())

    def test_json_says_why_there_was_so_much_work(self):
        self.write("fast.mo", TWO_SPEEDS)
        for method in ("radau5", "esdirk4", "rodas4", "dopri5"):
            value = self.json_of("simulate", "fast.mo", "--method", method, "--variables", "slow")
            self.assertEqual(sum(value["jacobians_by"].values()), value["jac_evals"])
            self.assertEqual(sum(value["factorizations_by"].values()), value["factorizations"])
            self.assertEqual(sum(value["rejected_by"].values()), value["rejected"])
            limited = value["limited_by"]
            self.assertEqual(limited["states"][0]["name"], "fast")
            self.assertGreater(limited["states"][0]["attempts"], 0.9*limited["judged"])
            self.assertEqual(limited["more_states"], 0)
            slices = value["over_time"]
            self.assertLessEqual(len(slices), 20)
            self.assertEqual((slices[0]["begin"], slices[-1]["end"]), (0, 10))
            self.assertEqual(sum(s["steps"] for s in slices), value["steps"])
            self.assertEqual(sum(s["rejected"] for s in slices), value["rejected"])
            half = value["busiest_half"]
            self.assertGreaterEqual(2*(half["steps"] + half["rejected"]), value["steps"] + value["rejected"])

    def test_json_ranks_the_states_and_says_how_many_more_there_are(self):
        size = 25
        names = [f"x{i}" for i in range(size)]
        self.write("many.mo", "model M\n" + "".join(f"  Real {name}(start = 0, fixed = true);\n" for name in names)
                   + "equation\n" + "".join(f"  der(x{i}) = 100*exp(-500*(time - {(i + 1)/(size + 1)})^2)"
                                             f" + sin({i + 1}*time);\n" for i in range(size)) + "end M;\n")
        limited = self.json_of("simulate", "many.mo", "--rtol", "1e-8")["limited_by"]
        counts = [state["attempts"] for state in limited["states"]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(len(counts), 20)
        self.assertGreaterEqual(limited["more_states"], 1)
        self.assertLess(sum(counts), limited["judged"])

    def test_the_summary_says_what_limits_the_steps_only_where_something_does(self):
        self.write("fast.mo", TWO_SPEEDS)
        text = self.succeeds("simulate", "fast.mo").stdout
        self.assertRegex(text, r"limited by `fast` in (9\d|100) % of the attempts")
        self.assertNotIn("where ", text)
        text = self.succeeds("simulate", "fast.mo", "--stop", "1000", "--set", "w=0", "--set", "k=1000").stdout
        self.assertRegex(text, r"where   half of the attempts are in t = 0 to 0\.\d+ s")
        text = self.succeeds("simulate", "decay.mo").stdout
        self.assertNotIn("limited", text)  # by its only state

    def test_a_run_of_no_length_has_no_steps_to_speak_of(self):
        value = self.json_of("simulate", "decay.mo", "--stop", "0")
        self.assertEqual((value["over_time"], value["busiest_half"], value["limited_by"]["states"]), ([], None, []))

    def test_norm_and_controller_are_told_where_they_are_not_the_default(self):
        words = ["simulate", "decay.mo", "--norm", "max", "--controller", "thesis"]
        value = self.json_of(*words)
        self.assertEqual((value["norm"], value["controller"]), ("max", "thesis"))
        self.assertNotIn("norm", self.json_of("simulate", "decay.mo", "--norm", "rms", "--controller", "auto"))
        self.succeeds(*words, "--report", "r.html")
        report = (self.folder / "r.html").read_text()
        for words in ('["norm","max"]', '["controller","thesis"]', "--norm max --controller thesis"):
            self.assertIn(words, report)

    def test_the_experiment_of_the_model_is_honoured(self):
        self.write("e.mo", DECAY.replace("end Decay", "  annotation(experiment(StartTime = 1, StopTime = 3, "
                                                      "Interval = 0.5, Tolerance = 1e-4));\nend Decay"))
        self.succeeds("simulate", "e.mo", "--output", "e.csv")
        self.assertEqual([row[0] for row in self.rows("e.csv")[1]], [1, 1.5, 2, 2.5, 3])
        self.assertEqual(self.json_of("simulate", "e.mo", "--stop", "2")["t_end"], 2)

    def test_an_experiment_that_makes_no_sense_is_refused(self):
        for experiment, says in (("StopTime = -3", "stop = -3 lies before start = 0"),
                                 ("Tolerance = 1000", "rtol = 1000 is not between 0 and 1"),
                                 ("Tolerance = 1e-30", "below what double precision can give"),
                                 ("StartTime = -1.7e308, StopTime = 1.7e308", "is not finite"),
                                 ("Interval = 0", "interval = 0 is not positive"),
                                 ("StopTime = 1/0", "`StopTime` needs a number"),
                                 ("StopTime = k", "`StopTime` needs a number")):
            self.write("e.mo", DECAY.replace("end Decay", f"  annotation(experiment({experiment}));\nend Decay"))
            for command in ("simulate", "check"):
                self.assertRegex(self.fails(1, command, "e.mo", says=says).stderr, r"^e\.mo:\d+:\d+: error: ")
        self.write("e.mo", DECAY.replace("end Decay", "  annotation(experiment(StopTime = 3));\nend Decay"))
        self.fails(2, "simulate", "e.mo", "--start", "4", says="stop = 3 lies before start = 4")

    def test_a_run_that_ends_early_ends_with_the_values_it_got_to(self):
        options = ["--stop", "50", "--intervals", "1", "--method", "dopri5", "--max-steps", "8"]
        self.write("e.mo", DECAY.replace("equation", "  Integer n1(start = 0, fixed = true);\nequation\n"
                                                     "  when time > 0.1 then n1 = 1; end when;"))
        self.write("f.mo", DECAY.replace("equation", "  Integer n1(start = 7, fixed = true);\nequation\n"
                                                     "  when x < 0.5 then n1 = div(1, pre(n1) - 7); end when;"))
        for file in ("decay.mo", "e.mo", "f.mo"):
            run = self.json_of("simulate", file, *options, "--output", "a.csv", code=1)
            self.assertEqual(run["status"], "failed")
            self.assertGreater(run["t_end"], 0.2)
            self.assertAlmostEqual(run["final"]["x"], math.exp(-run["t_end"]), delta=1e-6)
            self.assertEqual(self.rows("a.csv")[1][-1][0], run["t_end"])
        self.assertEqual(run["final"]["n1"], 7)  # from before the event that failed
        run = self.json_of("problems", "robertson", "--method", "dopri5", "--rtol", "1e-3", code=1)
        self.assertEqual(run["reason"], "step-limit")
        self.assertLess(run["final"]["y[0]"], 0.9)
        self.assertAlmostEqual(sum(run["final"].values()), 1, delta=1e-3)

    def test_both_methods_agree(self):
        values = [self.json_of("simulate", "decay.mo", "--method", method)["final"]["x"]
                  for method in ("radau5", "dopri5")]
        self.assertAlmostEqual(values[0], values[1], delta=1e-6)

    def test_two_runs_give_the_same_bytes(self):
        for name in ("a.csv", "b.csv"):
            self.succeeds("simulate", "decay.mo", "--output", name)
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_the_last_model_of_the_file_is_taken(self):
        self.write("two.mo", DECAY.replace("Decay", "First") + DECAY)
        self.assertEqual(self.json_of("simulate", "two.mo")["model"], "Decay")
        self.assertEqual(self.json_of("simulate", "two.mo", "--model", "First")["model"], "First")


class Grid(CliTest):
    def times(self, *arguments):
        self.succeeds("simulate", "decay.mo", "--output", "g.csv", *arguments)
        return [row[0] for row in self.rows("g.csv")[1]]

    def test_an_interval_that_does_not_divide_the_run_ends_exactly_at_stop(self):
        self.assertEqual(self.times("--stop", "1", "--interval", "0.3"), [0, 0.3, 0.6, 3*0.3, 1])
        times = self.times("--stop", "1", "--interval", "0.1")
        self.assertEqual((len(times), times[-1]), (11, 1.0))
        times = self.times("--stop", "1", "--interval", repr(1/3))
        self.assertEqual((len(times), times[-1]), (4, 1.0))

    def test_the_default_is_500_intervals(self):
        self.assertEqual(len(self.times()), 501)

    def test_an_interval_longer_than_the_run(self):
        self.assertEqual(self.times("--stop", "1", "--interval", "7"), [0, 1])

    def test_stop_equal_to_start_is_one_point(self):
        self.assertEqual(self.times("--start", "2", "--stop", "2"), [2])
        self.assertEqual(self.json_of("simulate", "decay.mo", "--stop", "0")["status"], "finished")

    def test_a_start_far_before_zero(self):
        times = self.times("--start", "-1e6", "--stop", "-999999", "--intervals", "4")
        self.assertEqual(times, [-1e6, -999999.75, -999999.5, -999999.25, -999999])


class Files(CliTest):
    def test_every_format(self):
        self.succeeds("simulate", "decay.mo", "--output", "a.csv", "--output", "a.mat", "--output", "a.json",
                      "--report", "a.html")
        self.assertEqual(self.files(), ["a.csv", "a.html", "a.json", "a.mat", "decay.mo"])

    def test_only_the_wanted_variables(self):
        self.succeeds("simulate", "decay.mo", "--variables", "x,der*", "--output", "a.csv")
        self.assertEqual(self.rows("a.csv")[0], ["time", "x", "der(x)"])
        self.assertEqual(set(self.json_of("simulate", "decay.mo", "--variables", "?")["final"]),
                         {"k", "f", "c", "n", "x", "y"})

    def test_the_name_of_an_array_means_its_elements(self):
        self.write("rod.mo", "model R\n  Real T[3](each start = 1), q[2,2];\nequation\n  der(T) = -T;\n"
                             "  q = [T[1], T[2]; T[3], 1];\nend R;\n")
        self.succeeds("simulate", "rod.mo", "--variables", "T,q", "--output", "a.csv")
        self.assertEqual(self.rows("a.csv")[0],
                         ["time", "T[1]", "T[2]", "T[3]", "q[1,1]", "q[1,2]", "q[2,1]", "q[2,2]"])
        self.assertEqual(set(self.json_of("simulate", "rod.mo", "--variables", "der(T)")["final"]),
                         {"der(T[1])", "der(T[2])", "der(T[3])"})
        self.fails(2, "simulate", "rod.mo", "--variables", "T[4]", says="no variable matches `T[4]`")

    @unittest.skipIf(is_sanitized(), "a sanitizer needs all addresses")
    def test_what_is_not_wanted_takes_no_memory(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        # The whole would be 800 MB, which only a .json needs in memory.
        self.write("many.mo", "model M\n  Real x[10000](each start = 1), s = sum(x);\nequation\n  der(x) = -x;\nend M;\n")
        options = ["--intervals", "5000", "--method", "dopri5", "--stop", "1e-3"]
        self.succeeds("simulate", "many.mo", *options, preexec_fn=little_memory, timeout=60)
        for variables, code in ((["--variables", "s"], 0), ([], 1)):
            result = self.run_program("simulate", "many.mo", *options, *variables, "--output", "a.json",
                                      preexec_fn=little_memory, timeout=60)
            self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn("[memory]", result.stderr)

    def test_a_pattern_without_a_match_is_refused_before_the_run(self):
        self.write("slow.mo", DECAY.replace("-k*x", "sin(1e6*time)*x"))
        self.fails(2, "simulate", "slow.mo", "--stop", "1e6", "--variables", "x,zz*", "--output", "a.csv", timeout=5,
                   says=["no variable matches `zz*`", "[usage.variables]"])
        self.fails(2, "simulate", "decay.mo", "--variables", "x,", says="no variable matches ``")
        self.assertEqual(self.files(), ["decay.mo", "slow.mo"])

    def test_names_that_cannot_be_written(self):
        (self.folder / "folder.csv").mkdir()
        self.fails(2, "simulate", "decay.mo", "--output", "a.xyz", says=["format of `a.xyz`", ".csv, .mat, .h5, .hdf5, .jsonl or .json"])
        self.fails(2, "simulate", "decay.mo", "--output", "a", says=["[usage.output]"])
        self.fails(2, "simulate", "decay.mo", "--output", "a.html", says=["--report"])
        self.fails(2, "simulate", "decay.mo", "--report", "a.csv", says=[".html"])
        self.fails(2, "simulate", "decay.mo", "--output", "a.csv", "--output", "a.csv", says=["written twice"])
        self.fails(1, "simulate", "decay.mo", "--output", "missing/a.csv",
                   says=["cannot write `missing/a.csv`", "folder does not exist", "[io]"])
        self.fails(1, "simulate", "decay.mo", "--output", "folder.csv", says=["`folder.csv`: it is a folder"])
        self.fails(1, "simulate", "decay.mo", "--output", "decay.mo/a.csv", says=["cannot write"])
        self.assertEqual(self.files(), ["decay.mo", "folder.csv"])

    def test_output_names_with_spaces_and_quotes(self):
        name = "it's a \"name\".csv"
        self.succeeds("simulate", "decay.mo", "--output", name)
        self.assertIn(name, self.files())

    def test_an_existing_file_is_replaced_only_by_a_whole_one(self):
        self.write("a.csv", "old")
        self.fails(1, "simulate", "missing.mo", "--output", "a.csv", says="missing.mo")
        self.assertEqual((self.folder / "a.csv").read_text(), "old")
        self.succeeds("simulate", "decay.mo", "--output", "a.csv")
        self.assertNotEqual((self.folder / "a.csv").read_text(), "old")

    def test_a_full_disk_behind_stdout_is_an_error(self):
        with open("/dev/full", "w") as full:
            for arguments in (["methods"], ["--version"], ["check", "decay.mo"], ["simulate", "decay.mo", "--json"]):
                result = self.run_program(*arguments, stdout=full)
                self.assertEqual(result.returncode, 1, arguments)
                self.assertIn("cannot write to stdout", result.stderr)

    def test_a_disk_that_is_full_leaves_nothing_half_written(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        self.write("a.csv", "old")
        for name in ("a.csv", "a.mat", "a.json"):
            self.fails(1, "simulate", "decay.mo", "--output", name, preexec_fn=small_files,
                       says=["4096 bytes", f"cannot write `{name}`", "[io]"])
        self.assertEqual((self.folder / "a.csv").read_text(), "old")
        self.assertEqual(self.files(), ["a.csv", "a.csv.part", "a.mat.part", "decay.mo"])
        self.assertTrue((self.folder / "a.csv.part").read_text().endswith("\n"))

    def test_a_reader_that_leaves_ends_it_quietly(self):
        for before in ("", "trap '' PIPE; "):  # whether or not the caller ignores it
            for command in ("simulate decay.mo --json", "simulate decay.mo -o - -o b.csv", "methods"):
                with self.subTest(command=command, before=before):
                    script = f"{before}'{PROGRAM}' {command} | true; exit ${{PIPESTATUS[0]}}"
                    result = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True,
                                            timeout=20)
                    self.assertIn(result.returncode, (0, 141))
                    self.assertEqual(result.stderr, "")
        self.assertEqual(len(self.rows("b.csv")[1]), 501)  # files come first

    def test_results_on_stdout(self):
        table = self.succeeds("simulate", "decay.mo", "--output", "-", "-o", "a.csv").stdout
        self.assertEqual(table, (self.folder / "a.csv").read_text())
        self.fails(2, "simulate", "decay.mo", "-o", "-", "-o", "-", says="written twice")
        value = self.json_of("simulate", "decay.mo", "-o", "-", code=2)
        self.assertEqual((value["status"], value["reason"]), ("failed", "usage.output"))
        with open("/dev/full", "w") as full:
            self.assertEqual(self.run_program("simulate", "decay.mo", "-o", "-", stdout=full).returncode, 1)

    def test_how_long_it_took_only_where_that_is_asked_for(self):
        self.assertNotIn("time    ", self.succeeds("simulate", "decay.mo").stdout)
        self.assertIn("time    parse ", self.succeeds("simulate", "decay.mo", "--verbose").stdout)

    def test_a_full_disk_behind_stderr_changes_no_exit_code(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(self.run_program("check", "none.mo", stderr=full).returncode, 1)

    def test_closed_streams_do_not_reach_the_files(self):
        script = f"exec '{PROGRAM}' simulate decay.mo --output a.csv <&- >&- 2>&-"
        self.assertEqual(subprocess.run(["bash", "-c", script], cwd=self.folder, timeout=20).returncode, 0)
        self.assertTrue((self.folder / "a.csv").read_text().startswith("time,"))
        self.assertNotIn("Decay", (self.folder / "a.csv").read_text())
        for word in ("--version", "--help"):
            script = f"exec '{PROGRAM}' {word} >&-"
            result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20)
            self.assertEqual((result.returncode, result.stderr), (0, ""))


class Environment(CliTest):
    def test_colour_only_on_a_terminal(self):
        self.write("wrong.mo", "model W\n  Real x;\nequation\n  x = yy;\nend W;\n")
        for changes in ({}, {"NO_COLOR": "1"}, {"TERM": None}, {"TERM": "dumb"}, {"TERM": "xterm-256color"}):
            self.assertNotIn("\x1b", self.fails(1, "check", "wrong.mo", env=environment(**changes)).stderr)

    def on_a_terminal(self, **changes):
        self.write("wrong.mo", "model W\n  Real x;\nequation\n  x = yy;\nend W;\n")
        leader, follower = os.openpty()
        try:
            self.run_program("check", "wrong.mo", stderr=follower, env=environment(**changes))
            os.close(follower)
            return os.read(leader, 65536).decode()
        finally:
            os.close(leader)

    def test_colour_on_a_terminal(self):
        self.assertIn("\x1b[", self.on_a_terminal(TERM="xterm", NO_COLOR=None))
        for changes in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
            self.assertNotIn("\x1b[", self.on_a_terminal(**{"NO_COLOR": None, **changes}))

    def test_bare_and_strange_environments(self):
        self.succeeds("simulate", "decay.mo", env={})
        self.succeeds("simulate", "decay.mo", env=environment(HOME=None, TMPDIR="/nonexistent", OMP_NUM_THREADS="abc"))

    def test_a_decimal_comma_changes_nothing(self):
        known = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        comma = next((name for name in known if name.startswith(("de_", "fr_", "nl_"))), "de_DE.UTF-8")
        for name, locale in (("a.csv", "C"), ("b.csv", comma)):
            self.succeeds("simulate", "decay.mo", "--stop", "1.5", "--output", name, env=environment(LC_ALL=locale))
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())


ROD = """model Rod
  parameter Integer n = 3;
  parameter Real k[2] = {1, 2};
  Real x[n](each start = 1, each fixed = true), A[2, n];
equation
  der(x) = -x;
  for i in 1:2 loop
    A[i, :] = k[i]*x;
  end for;
end Rod;
"""


class Arrays(CliTest):
    def setUp(self):
        super().setUp()
        self.write("rod.mo", ROD)

    def test_a_parameter_that_decides_sizes_can_be_set(self):
        result = self.succeeds("check", "rod.mo", "--set", "n=5")
        self.assertIn("15 equations, 15 unknowns, 5 states", result.stdout)
        self.assertIn("note: flattened again with n = 5", result.stderr)
        self.assertEqual(self.succeeds("check", "rod.mo", "--set", "k[2]=5").stderr, "")
        for command in ("check", "explain", "simulate"):
            self.assertEqual(self.json_of(command, "rod.mo", "--set", "n=5")["structural"], {"n": 5})

    def test_a_size_that_does_not_fit_is_refused(self):
        self.assertIn("it is Integer", self.run_program("check", "rod.mo", "--set", "n=2.5").stderr)
        result = self.run_program("check", "rod.mo", "--set", "n=-1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a size is -1 [type.negative-size]", result.stderr)

    def test_elements_are_set_and_selected_by_their_names(self):
        value = self.json_of("simulate", "rod.mo", "--set", "k[2]=10", "--set", "x[3]=2", "--variables", "A[?,3],x[1]")
        self.assertEqual(set(value["final"]), {"A[1,3]", "A[2,3]", "x[1]"})
        self.assertAlmostEqual(value["final"]["A[2,3]"], 20*math.exp(-1), delta=1e-4)
        refused = self.run_program("check", "rod.mo", "--set", "x=1")
        self.assertIn("it is an array; set its elements, like `x[1]`", refused.stderr)


class Inspect(CliTest):
    def test_check(self):
        self.assertEqual(self.succeeds("check", "decay.mo").stdout,
                         "Decay: 2 equations, 2 unknowns, 1 state: can be simulated\n")
        value = self.json_of("check", "decay.mo")
        self.assertEqual((value["status"], value["equations"], value["variables"], value["states"]),
                         ("finished", 2, 2, 1))

    def test_explain(self):
        text = self.succeeds("explain", "decay.mo").stdout
        for words in ("equations", "states: x", "at the start:", "at every time:", "der(x) := -k * x"):
            self.assertIn(words, text)
        value = self.json_of("explain", "decay.mo")
        self.assertLessEqual({"equations", "variables", "states", "aliases", "index", "blocks"}, set(value))
        self.assertEqual(value["states"], ["x"])
        self.assertLessEqual({"size", "linear", "constant_coefficients", "sparse", "tearing", "tearing_variables"},
                             set(value["blocks"][0]))

    def test_explain_shows_aliases_and_loops(self):
        self.write("loop.mo", "model L\n  Real x(start = 1);\n  Real a;\n  Real b;\n  Real c;\nequation\n"
                              "  der(x) = -a;\n  a = -b;\n  b + c = x;\n  b - exp(c) = 1;\nend L;\n")
        value = self.json_of("explain", "loop.mo")
        self.assertEqual(value["aliases"][0]["sign"], -1)
        self.assertEqual(value["index"], 1)
        self.assertEqual(max(block["size"] for block in value["blocks"]), 2)

    def test_fixed_steps(self):
        self.fails(2, "simulate", "decay.mo", "--method", "rk4", says=["fixed step", "[usage.method-needs-step]"])
        self.fails(2, "simulate", "decay.mo", "--step", "0", says="step = 0 is not positive")
        self.fails(2, "simulate", "decay.mo", "--step", "0.1", "--max-step", "1", says="contradict each other")
        for method in ("rk4", "gauss4", "rodas4"):
            value = self.json_of("simulate", "decay.mo", "--method", method, "--step", "0.01", "--stop", "1")
            self.assertEqual((value["status"], value["steps"], value["rejected"]), ("finished", 100, 0))

    def test_methods(self):
        self.assertIn("radau5", self.succeeds("methods").stdout)
        self.assertIn("L-stable", self.succeeds("methods").stdout)
        self.assertIn("stages", self.succeeds("methods", "dopri5").stdout)
        names = [method["name"] for method in self.json_of("methods")["methods"]]
        self.assertLessEqual({"radau5", "dopri5", "esdirk5", "rodas5p", "rk4"}, set(names))
        self.assertEqual(len(names), len(set(names)))
        value = self.json_of("methods", "radau5")
        self.assertEqual((value["order"], value["stages"], value["l_stable"]), (5, 3, True))

    def test_methods_tell_where_regression_formulas_are_unstable(self):
        lines = {line.split()[0]: line for line in self.succeeds("methods").stdout.splitlines()}
        unstable = {name for name, line in lines.items() if " unstable " in line}
        self.assertEqual(unstable, {"rbdf71", "rbdf72", "rbdf73", "rbdf75", "rbdf76", "rbdf78"})
        self.assertIn(" A(16) ", lines["rbdf713"])
        value = self.json_of("methods", "rbdf71")
        [[begin, end]] = value["unstable_on_the_real_axis"]
        self.assertAlmostEqual(begin, -2.395, places=3)
        self.assertAlmostEqual(end, -0.578, places=3)
        self.assertFalse(value["a0_stable"])
        self.assertEqual(value["coefficients"]["hf[k+1]"], "5362296880/12766564859")
        self.assertEqual(self.json_of("methods", "rbdf61")["damping_at_infinity"], "infinite")

    def test_regression_formulas_run_models_also_inlined(self):
        library = self.json_of("simulate", "decay.mo", "--method", "rbdf66")
        inlined = self.json_of("simulate", "decay.mo", "--method", "rbdf66", "--inline")
        self.assertEqual((library["status"], inlined["status"]), ("finished", "finished"))
        self.assertAlmostEqual(library["final"]["x"], inlined["final"]["x"], delta=1e-6)


if __name__ == "__main__":
    main()
