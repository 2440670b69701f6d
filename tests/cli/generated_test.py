"""daedalus simulate --inline and --real-time: steps by code that is generated for model and method together.

Usage: generated_test.py PROGRAM
"""

import math

from support import CliTest, main


class Generated(CliTest):
    def test_says_that_steps_were_generated(self):
        for words in (("--inline",), ("--inline", "on"), ("--inline=on",)):
            with self.subTest(words=words):
                run = self.json_of("simulate", "decay.mo", *words)
                self.assertIs(run["inlined"], True)
                self.assertEqual(run["handed_back"], 0)
                self.assertGreater(run["phases_s"]["inline"], 0)
        self.assertIn("  run     rodas4, inlined: finished at t = 1 s\n",
                      self.succeeds("simulate", "decay.mo", "--inline", "--method", "rodas4").stdout)

    def test_says_how_generated_steps_find_their_stages(self):
        radau5 = ("simulate", "decay.mo", "--inline", "--method", "radau5")
        self.assertEqual(self.json_of(*radau5)["step_form"], "torn")
        self.assertIn("  run     radau5, inlined and torn: finished at t = 1 s\n",
                      self.succeeds(*radau5).stdout)
        run = self.json_of("simulate", "decay.mo", "--inline", "--method", "radau")
        self.assertEqual(run["step_form"], "state space")
        self.assertNotIn("step_form", self.json_of("simulate", "decay.mo", "--inline", "off"))

    # `auto` takes generated steps at once where the model is small, other methods after a while.
    def test_small_models_have_generated_steps_from_the_start(self):
        self.assertIs(self.json_of("simulate", "decay.mo")["inlined"], True)
        many = "model M\n  Real x[30](each start = 1, each fixed = true);\nequation\n  der(x) = -x;\nend M;\n"
        self.write("many.mo", many)
        self.assertIs(self.json_of("simulate", "many.mo")["inlined"], False)

    def test_short_runs_with_a_method_are_left_to_the_library(self):
        for words in ((), ("--inline", "off"), ("--inline", "auto")):
            with self.subTest(words=words):
                run = self.json_of("simulate", "decay.mo", "--method", "radau5", *words)
                self.assertIs(run["inlined"], False)
                self.assertEqual(run["handed_back"], 0)
                self.assertNotIn("inline", run["phases_s"])
        self.assertNotIn("inlined", self.succeeds("simulate", "decay.mo", "--method", "radau5").stdout)

    def test_results_are_those_of_the_library_to_the_tolerance(self):
        for method in ("radau5", "radau", "hw-sdirk4", "rodas4", "dopri5", "radau5-two-step"):
            with self.subTest(method=method):
                self.succeeds("simulate", "decay.mo", "--inline", "--method", method, "--rtol", "1e-9", "--output",
                              "inlined.csv")
                header, rows = self.rows("inlined.csv")
                self.assertEqual(len(rows), 501)
                for row in rows:
                    self.assertAlmostEqual(row[header.index("x")], math.exp(-row[0]), delta=2e-8)
                    self.assertAlmostEqual(row[header.index("y")], 2 * math.exp(-row[0]), delta=4e-8)

    # `auto` changes after as many steps as generating code is worth.
    def test_long_runs_change(self):
        run = self.json_of("simulate", "decay.mo", "--method", "dopri5", "--max-step", "5e-6", "--inline", "auto",
                           "--intervals", "1")
        self.assertIs(run["inlined"], True)
        self.assertGreater(run["steps"], 190_000)
        self.assertIs(self.json_of("simulate", "decay.mo", "--method", "dopri5", "--max-step", "5e-6", "--inline", "off",
                                   "--intervals", "1")["inlined"], False)

    def test_times_fixed_steps(self):
        for words, rate in ((("--real-time",), 1), (("--real-time", "0.001"), 0.001)):
            with self.subTest(words=words):
                timing = self.json_of("simulate", "decay.mo", "--inline", "--step", "0.01", *words)["real_time"]
                self.assertEqual(timing["rate"], rate)
                self.assertAlmostEqual(timing["deadline_s"], 0.01 / rate, delta=1e-12 / rate)
                self.assertEqual(timing["steps"], 100)
                self.assertLessEqual(timing["missed"], 100)
                self.assertGreater(timing["mean_s"], 0)
                self.assertGreaterEqual(timing["longest_s"], timing["mean_s"])
        text = self.succeeds("simulate", "decay.mo", "--step", "0.01", "--real-time", "1e12").stdout
        self.assertRegex(text, r"  time    longest step .*, mean .*; 100 of 100 missed their ")
        self.assertNotIn("real_time", self.json_of("simulate", "decay.mo", "--step", "0.01"))

    # After an option without its argument, a model is not that argument.
    def test_words_are_optional(self):
        self.assertIs(self.json_of("simulate", "--inline", "on", "decay.mo")["inlined"], True)
        self.assertIs(self.json_of("simulate", "--inline", "--stop", "1", "decay.mo")["inlined"], True)

    def test_wrong_usage(self):
        self.fails(2, "simulate", "decay.mo", "--inline", "maybe", says=("[usage]", "--inline", "maybe", "on", "off", "auto"))
        self.fails(2, "simulate", "decay.mo", "--real-time",
                   says=("[usage.option]", "real-time needs a fixed step", "--step"))
        self.fails(2, "simulate", "decay.mo", "--step", "0.1", "--real-time", "0",
                   says=("[usage.option]", "real-time = 0 is not positive"))
        self.fails(2, "simulate", "decay.mo", "--step", "0.1", "--real-time", "fast", says="--real-time")
        self.fails(2, "linearize", "decay.mo", "--inline", says="`linearize` has no option `--inline`")
        self.fails(2, "linearize", "decay.mo", "--real-time", says="`linearize` has no option `--real-time`")

    def test_a_model_without_states_has_no_steps(self):
        self.write("algebraic.mo", "model A\n  Real x;\nequation\n  x = time;\nend A;\n")
        self.fails(1, "simulate", "algebraic.mo", "--inline",
                   says=("[unsupported.inline]", "a model without states has no steps", "leave `--inline` out"))
        self.assertEqual(self.json_of("simulate", "algebraic.mo", "--inline", code=1)["reason"], "unsupported.inline")
        for words in ((), ("--inline", "auto"), ("--inline", "off")):
            self.assertIs(self.json_of("simulate", "algebraic.mo", *words)["inlined"], False)

    def test_help(self):
        text = " ".join(self.succeeds("simulate", "--help").stdout.split())
        self.assertIn("--inline WHEN:{on,off,auto} steps by code that is generated for model and method together: on, off, or auto", text)
        self.assertIn("--real-time RATE", text)
        self.assertNotIn("--inline", self.succeeds("linearize", "--help").stdout)


if __name__ == "__main__":
    main()
