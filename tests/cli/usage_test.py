"""Wrong usage: exit code 2, the reason and the nearest right thing; --json always gives one object.

Usage: usage_test.py PROGRAM
"""

from support import CliTest, main


class Commands(CliTest):
    def test_no_command_lists_the_commands(self):
        self.fails(2, says=["no command given", "[usage]", "simulate, resume, check, explain, linearize, methods", "--help"])

    def test_a_misspelt_command_gets_the_nearest_one(self):
        self.fails(2, "simulte", "decay.mo", says=["there is no command `simulte`", "did you mean `simulate`?"])

    def test_a_foreign_command_gets_the_list(self):
        self.fails(2, "frobnicate", says=["there is no command `frobnicate`", "the commands are simulate"])

    def test_an_option_before_the_command(self):
        self.fails(2, "--colour", "check", "decay.mo", says=["`--colour` stands before the command"])
        self.fails(2, "--colour", says=["there is no option `--colour`"])

    def test_help(self):
        self.assertIn("simulate", self.succeeds("--help").stdout)
        for command in ("simulate", "check", "explain", "methods"):
            result = self.succeeds(command, "--help")
            self.assertIn("--json", result.stdout)
            self.assertEqual(result.stderr, "")

    def test_version(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^daedalus \d+\.\d+\.\d+\n$")


class Options(CliTest):
    def test_a_missing_file(self):
        for command in ("simulate", "check", "explain"):
            self.fails(2, command, says=["no model file given", f"daedalus {command} MODEL.mo"])

    def test_a_misspelt_option_gets_the_nearest_one(self):
        self.fails(2, "simulate", "decay.mo", "--stpo", "3", says=["no option `--stpo`", "did you mean `--stop`?"])
        self.fails(2, "simulate", "decay.mo", "--rtoll=3", says=["no option `--rtoll`", "did you mean `--rtol`?"])
        self.fails(2, "check", "decay.mo", "--modle", "X", says=["no option `--modle`", "did you mean `--model`?"])

    def test_an_option_of_another_command(self):
        self.fails(2, "explain", "decay.mo", "--stop", "3", says=["`explain` has no option `--stop`"])

    def test_one_argument_too_many(self):
        self.fails(2, "simulate", "decay.mo", "other.mo", says=["`other.mo` is one too many"])

    def test_an_option_without_its_value(self):
        for option in ("--stop", "--model", "--set", "--output", "--method", "--intervals", "--variables"):
            with self.subTest(option=option):
                self.fails(2, "simulate", "decay.mo", option, says=[f"`{option}` needs a value"])

    def test_times_that_are_one_as_numbers(self):
        for start, stop in (("1e16", "10000000000000001"), ("1e10", "10000000000.0000001"), ("1e16", "1e16")):
            with self.subTest(start=start, stop=stop):
                self.fails(2, "simulate", "decay.mo", "--start", start, "--stop", stop, says=["start at 0"])

    def test_an_empty_value(self):
        self.fails(2, "simulate", "decay.mo", "--stop=", says=["--stop"])
        self.fails(2, "simulate", "decay.mo", "--stop", "", says=["--stop"])
        self.fails(2, "simulate", "decay.mo", "--output", "", says=["--output"])
        self.fails(2, "simulate", "decay.mo", "--variables", "", says=["--variables"])
        self.fails(2, "simulate", "decay.mo", "--report", "", says=["--report"])
        self.fails(2, "simulate", "decay.mo", "--model", "", says=["--model"])
        self.fails(2, "simulate", "decay.mo", "--method", "", says=["--method"])

    def test_an_option_given_twice(self):
        self.fails(2, "simulate", "decay.mo", "--stop", "1", "--stop", "2", says=["`--stop` is given more than once"])
        self.fails(2, "check", "decay.mo", "--model", "A", "--model", "B", says=["`--model` is given more than once"])

    def test_what_is_not_a_number(self):
        for text in ("nan", "inf", "-inf", "1e400", "1,5", "0x10", "10s", "ten", "1.2.3", "--", "1e", " 1", "1 "):
            with self.subTest(text=text):
                self.fails(2, "simulate", "decay.mo", f"--stop={text}", says=["--stop", "1.5e-3"])

    def test_numbers_in_every_accepted_form(self):
        for text in ("2", "2.0", "2e0", "0.2e1", "+2", "2."):
            with self.subTest(text=text):
                self.assertEqual(self.json_of("simulate", "decay.mo", f"--stop={text}")["t_end"], 2.0)

    def test_counts(self):
        for text in ("-3", "1.5", "1e3", "ten", "99999999999999999999999", ""):
            with self.subTest(text=text):
                self.fails(2, "simulate", "decay.mo", f"--intervals={text}", says=["--intervals"])
        self.fails(2, "simulate", "decay.mo", "--intervals", "0", says=["intervals = 0", "[usage.option]"])
        self.fails(2, "simulate", "decay.mo", "--intervals", "999999999", says=["more than the limit"])
        self.fails(2, "simulate", "decay.mo", "--max-steps", "0", says=["max-steps = 0"])

    def test_tolerances(self):
        for text in ("0", "-1e-6", "2"):
            self.fails(2, "simulate", "decay.mo", f"--rtol={text}", says=["rtol = ", "between 0 and 1"])
        self.fails(2, "simulate", "decay.mo", "--rtol", "1e-20", says=["rtol = 1e-20", "take at least"])
        self.fails(2, "simulate", "decay.mo", "--atol=-1", says=["atol = -1 is negative"])

    def test_times(self):
        self.fails(2, "simulate", "decay.mo", "--stop=-1", says=["stop = -1 lies before start = 0"])
        self.fails(2, "simulate", "decay.mo", "--start", "1e16", "--stop", "10000000000000002", says="no resolution")
        self.fails(2, "simulate", "decay.mo", "--interval", "0", says=["interval = 0 is not positive"])
        self.fails(2, "simulate", "decay.mo", "--max-step=-1", says=["max-step = -1 is not positive"])

    def test_contradictions_quote_both(self):
        self.fails(2, "simulate", "decay.mo", "--intervals", "10", "--interval", "0.1",
                   says=["intervals = 10 and interval = 0.1 contradict each other"])

    def test_unknown_methods(self):
        self.fails(2, "simulate", "decay.mo", "--method", "raddau5",
                   says=["there is no method `raddau5`", "did you mean `radau5`, `radau`", "[usage.unknown-method]"])
        self.fails(2, "methods", "eulr", says=["there is no method `eulr`", "did you mean `euler`", "`daedalus methods` lists all"])

    def test_names_that_other_tools_have_for_a_method(self):
        result = self.succeeds("simulate", "decay.mo", "--method", "ODE45")
        self.assertIn("  run     dopri5 (`ODE45`): finished", result.stdout)
        self.assertIn("  run     radau5: finished", self.succeeds("simulate", "decay.mo", "--method", "radau5").stdout)
        for command in (["simulate", "decay.mo"], ["problems", "hires"]):
            self.assertEqual(self.json_of(*command, "--method", "CVODE")["method"], "bdf")
        self.assertEqual(self.json_of("methods", "RK45")["name"], "dopri5")

    def test_unknown_norms_and_controllers_get_the_list(self):
        for command in (["simulate", "decay.mo"], ["problems", "hires"]):
            self.fails(2, *command, "--norm", "l2",
                       says=["--norm", "there is no norm `l2`; the choices are rms, max, euclidean", "[usage]"])
            self.fails(2, *command, "--controller", "pid",
                       says=["--controller", "no controller `pid`; the choices are auto, predictive, pi, thesis"])

    def test_unknown_ways_through_events_get_the_list(self):
        self.fails(2, "simulate", "decay.mo", "--zeno", "regularise",
                   says=["--zeno", "no way through accumulating events `regularise`; the choices are stop, regularize"])
        self.fails(2, "simulate", "decay.mo", "--chattering", "slide",
                   says=["--chattering", "no way through chattering `slide`; the choices are stop, sliding"])

    def test_error_control_that_cannot_act(self):
        self.fails(2, "simulate", "decay.mo", "--step", "0.1", "--controller", "pi",
                   says=["step = 0.1 and controller = pi contradict each other", "a fixed step is not controlled"])
        self.fails(2, "simulate", "decay.mo", "--atol", "0", "--norm", "euclidean",
                   says=["atol = 0 and norm = euclidean contradict each other", "[usage.option]"])


class Settings(CliTest):
    def refused(self, setting, *says):
        self.fails(2, "simulate", "decay.mo", "--set", setting, says=["[usage.set]", *says])

    def test_what_cannot_be_set(self):
        self.refused("kk=2", "cannot set `kk`", "no such name", "did you mean `k`?")
        self.refused("f=3", "cannot set `f`", "final")
        self.refused("c=3", "cannot set `c`", "constant")
        self.refused("y=3", "cannot set `y`", "computed by the model's equations")
        self.refused("time=3", "cannot set `time`")
        self.refused("der(x)=3", "cannot set `der(x)`")

    def test_values_of_the_wrong_type(self):
        self.refused("n=2.5", "it is Integer", "a whole number")
        self.refused("on=1", "it is Boolean", "true or false")
        for text in ("nan", "1e400", "1,5", "0x10", "true", ""):
            self.refused(f"k={text}", "it is Real", "1.5e-3")

    def test_a_name_set_twice(self):
        self.fails(2, "simulate", "decay.mo", "--set", "k=1", "--set", "k=2", says=["`k`", "set more than once"])

    def test_what_is_no_setting(self):
        for text in ("k", "=3"):
            self.fails(2, "simulate", "decay.mo", "--set", text, says=["--set", "NAME=VALUE"])

    def test_a_value_out_of_range_is_the_models_to_refuse(self):
        self.fails(1, "simulate", "decay.mo", "--set", "k=-1",
                   says=["decay.mo:2:18", "`k` = -1 is below its minimum of 0", "[model.out-of-range]"])

    def test_what_can_be_set(self):
        final = self.json_of("simulate", "decay.mo", "--set", "k=0", "--set", "x=5", "--set", "n=7", "--set",
                             "on=false")["final"]
        self.assertEqual((final["x"], final["y"], final["n"], final["on"]), (5.0, 10.0, 7, 0))

    def test_check_and_explain_take_settings_too(self):
        self.fails(1, "check", "decay.mo", "--set", "k=-1", says="minimum")
        self.succeeds("explain", "decay.mo", "--set", "k=2")


class Json(CliTest):
    def test_every_error_is_one_object_too(self):
        self.write("wrong.mo", "model W\n  Real x;\nequation\n  x = yy;\nend W;\n")
        self.write("bad.mo", "model B\n  Real x(start = -1, fixed = true);\nequation\n  der(x) = log(x);\nend B;\n")
        for code, arguments in ((2, ["simulate", "decay.mo", "--stop", "10s"]),
                                (2, ["simulate", "decay.mo", "--stpo", "1"]),
                                (2, ["simulate"]), (2, ["frobnicate"]), (2, []),
                                (2, ["simulate", "decay.mo", "--set", "zz=1"]),
                                (2, ["simulate", "decay.mo", "--variables", "zz"]),
                                (2, ["simulate", "decay.mo", "--output", "a.xyz"]),
                                (2, ["methods", "eulr"]),
                                (1, ["simulate", "missing.mo"]),
                                (1, ["simulate", "decay.mo", "--output", "missing/a.csv"]),
                                (1, ["check", "wrong.mo"]), (1, ["explain", "wrong.mo"]), (1, ["simulate", "wrong.mo"]),
                                (1, ["check", "decay.mo", "--model", "X"]),
                                (1, ["simulate", "bad.mo"])):
            with self.subTest(arguments=arguments):
                value = self.json_of(*arguments, code=code)
                self.assertEqual(value["status"], "failed")
                self.assertTrue(value["message"])
                self.assertTrue(value["reason"])

    def test_diagnostics_have_their_places(self):
        self.write("wrong.mo", "model W\n  Real x;\nequation\n  x = yy;\nend W;\n")
        value = self.json_of("check", "wrong.mo", code=1)
        self.assertEqual(value["reason"], "lookup.unknown-name")
        self.assertEqual({key: value["diagnostics"][0][key] for key in ("code", "file", "line", "column", "severity")},
                         {"code": "lookup.unknown-name", "file": "wrong.mo", "line": 4, "column": 7,
                          "severity": "error"})


if __name__ == "__main__":
    main()
