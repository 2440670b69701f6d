"""--set: each setting does what was meant, or the program says that it cannot.

Usage: settings_test.py PROGRAM
"""

import resource

from support import CliTest, is_sanitized, main

# Start values of every kind, and what decides instead of them.
STARTS = """model M
  parameter Real p = 2*q;
  parameter Real q = 1;
  Real free(start = 1);
  Real fixed_one(start = 1, fixed = true);
  Real given(start = 1);
  Real steady(start = 1);
  Real same(start = 1);
  Real computed(start = 1);
  Real root(start = 1);
  Real pair1(start = 1), pair2(start = 2);
  discrete Integer counter(start = 0);
  discrete Integer told(start = 0);
  Boolean high(start = false);
  Real linked1(start = 1, fixed = true), linked2(start = 5), force;
initial equation
  given = 7;
  der(steady) = 0;
  told = 3;
equation
  der(free) = -free;
  der(fixed_one) = -p*fixed_one;
  der(given) = 0;
  der(steady) = 2 - steady;
  same = free;
  computed = 2*free;
  root^3 + root = 10*(1 + time);
  pair1 + pair2 = 3;
  pair1 - pair2 = free;
  when sample(0.5, 1) then
    counter = pre(counter) + 1;
    told = pre(told) + 1;
  end when;
  high = free > 0.5;
  der(linked1) = force - linked1;
  der(linked2) = -force;
  linked2 = linked1 - 1;
end M;
"""


class Effects(CliTest):
    def setUp(self):
        super().setUp()
        self.write("m.mo", STARTS)

    def line_of(self, text):
        return STARTS.split("\n").index(text) + 1

    def decides(self, name, value, expected):
        result = self.succeeds("simulate", "m.mo", "--set", f"{name}={value}", "--stop", "0", "--output", "a.csv")
        self.assertNotIn("set-", result.stderr)
        header, rows = self.rows("a.csv")
        self.assertAlmostEqual(rows[0][header.index(name)], expected, places=9)

    def is_refused(self, name, equation, hint="", value=4):
        self.fails(1, "simulate", "m.mo", "--set", f"{name}={value}",
                   says=[f"m.mo:{self.line_of(equation)}:3: error: `{name}` = {value} has no effect",
                         "[initial.set-without-effect]", hint])

    def test_start_values_that_decide(self):
        self.decides("free", 4, 4)
        self.decides("fixed_one", 4, 4)
        self.decides("linked1", 4, 4)

    def test_a_parameter_bound_in_the_text_takes_the_value(self):
        final = self.json_of("simulate", "m.mo", "--set", "p=5")["final"]
        self.assertEqual((final["p"], final["q"]), (5, 1))

    def test_a_discrete_variable_starts_with_it(self):
        self.assertEqual(self.json_of("simulate", "m.mo", "--set", "counter=4")["final"]["counter"], 5)

    def test_initial_equations_override(self):
        self.is_refused("given", "  given = 7;", "leave the setting out, or change this equation")
        self.is_refused("steady", "  der(steady) = 0;")
        self.is_refused("told", "  told = 3;")

    def test_equations_override(self):
        self.is_refused("computed", "  computed = 2*free;")
        self.is_refused("high", "  high = free > 0.5;", value="true")
        self.is_refused("linked2", "  linked2 = linked1 - 1;")

    def test_an_alias_with_a_start_value_of_its_own(self):
        self.is_refused("same", "  same = free;", "set `free`, which it is equal to")

    def test_a_linear_loop_has_no_guesses(self):
        result = self.fails(1, "simulate", "m.mo", "--set", "pair1=4", says="has no effect: this equation decides")
        self.assertIn("pair", result.stderr)

    def test_a_guess_is_told_and_the_run_goes_on(self):
        result = self.succeeds("simulate", "m.mo", "--set", "root=3")
        line = self.line_of("  root^3 + root = 10*(1 + time);")
        self.assertIn(f"m.mo:{line}:3: warning: `root` = 3 is only a guess", result.stderr)
        self.assertIn("[initial.set-guess]", result.stderr)
        self.assertIn("is only a guess", self.json_of("simulate", "m.mo", "--set", "root=3")["warnings"][0])

    def test_an_alias_passes_its_start_value_on(self):
        self.write("m.mo", "model M\n  Real x;\n  Real y(start = 1);\nequation\n  der(x) = -x;\n  y = -x;\nend M;\n")
        self.decides("y", 4, 4)

    def test_elements_of_one_array_have_start_values_of_their_own(self):
        self.write("m.mo", "model M\n  Real x[2](each start = 1);\nequation\n  der(x[1]) = -x[1];\n  x[2] = x[1];\n"
                           "end M;\n")
        self.decides("x[1]", 4, 4)
        self.fails(1, "simulate", "m.mo", "--set", "x[2]=4", says=["m.mo:5:3", "has no effect", "set `x[1]`"])

    def test_states_that_may_change_are_guesses(self):
        self.write("m.mo", "model M\n  Real x(start = 0.6), y(start = 0.8), v(start = 0), w(start = 0), f;\nequation\n"
                           "  der(x) = v;\n  der(y) = w;\n  der(v) = f*x;\n  der(w) = f*y - 1;\n  x^2 + y^2 = 1;\nend M;\n")
        result = self.run_program("simulate", "m.mo", "--set", "x=0.8")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_mode_that_is_searched_for_is_a_guess(self):
        self.write("m.mo", "model M\n  Real s, v, i;\n  Boolean off(start = false);\nequation\n  off = s < 0;\n"
                           "  v = s*(if off then 1 else 1e-3);\n  i = s*(if off then 1e-3 else 1);\n"
                           "  v + i = sin(10*time) + 0.5;\nend M;\n")
        self.assertIn("`off` = true is only a guess",
                      self.succeeds("simulate", "m.mo", "--set", "off=true").stderr)

    def test_linearize_and_explain_say_so_too(self):
        for command in ("linearize", "explain", "check"):
            self.fails(1, command, "m.mo", "--set", "given=4", says="[initial.set-without-effect]")


class Names(CliTest):
    def test_time_is_not_set_but_started(self):
        result = self.fails(2, "simulate", "decay.mo", "--set", "time=3", says=["the time of the run", "--start"])
        self.assertNotIn("did you mean", result.stderr)

    def test_start_values_out_of_range(self):
        self.write("m.mo", "model M\n  Real x(start = 1, min = 0, fixed = true);\nequation\n  der(x) = -x;\nend M;\n")
        self.fails(1, "simulate", "m.mo", "--set", "x=-1",
                   says=["m.mo:2:8", "the start value -1 of `x` is below its minimum of 0", "[model.out-of-range]"])


class Many(CliTest):
    ARRAY = "model M\n  parameter Integer n = 20000;\n  Real x[n](each start = 1);\nequation\n  der(x) = -x;\nend M;\n"

    @staticmethod
    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    def test_20_000_settings(self):
        self.write("m.mo", self.ARRAY)
        settings = [word for i in range(1, 20001) for word in ("--set", f"x[{i}]={i}")]
        options = {} if is_sanitized() else {"preexec_fn": self.little_memory}
        final = self.json_of("simulate", "m.mo", *settings, "--stop", "0", "--variables", "x[1],x[20000]", timeout=60,
                             **options)["final"]
        self.assertEqual(final, {"x[1]": 1, "x[20000]": 20000})

    def test_100_000_options(self):
        settings = [word for _ in range(50_000) for word in ("--set", "k=2")]
        self.fails(2, "simulate", "decay.mo", *settings, says="it is set more than once", timeout=60)

    def test_the_report_has_each_setting_once(self):
        self.succeeds("simulate", "decay.mo", "--set", "k=2", "--set", "x=3", "--inline", "--report", "r.html")
        self.assertIn("daedalus simulate decay.mo --set k=2 --set x=3 --inline --report r.html",
                      (self.folder / "r.html").read_text())


if __name__ == "__main__":
    main()
