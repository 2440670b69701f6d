"""daedalus compare: result files against each other.

Usage: compare_test.py PROGRAM
"""

import json

from support import CliTest, main

MODEL = """model Decay
  parameter Real k = 1;
  Real x(start = 1, fixed = true), y;
  Boolean low;
equation
  der(x) = -k*x;
  y = 2*x;
  low = x < 0.5;
end Decay;
"""


class Compare(CliTest):
    def simulate(self, name, *arguments):
        self.write("decay.mo", MODEL)
        result = self.run_program("simulate", "decay.mo", "--output", name, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_formats_agree_with_each_other(self):
        names = ["a.csv", "a.mat", "a.json"]
        for name in names:
            self.simulate(name)
        for first in names:
            for second in names:
                result = self.run_program("compare", first, second, "--tube", "0")
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn("inside the tube, 0 not", result.stdout)

    def page(self, name):
        text = (self.folder / name).read_text()
        return json.loads(text.split('<script type="application/json" id="data">')[1].split("</script>")[0])

    def test_a_page_shows_both_curves_at_all_times_of_either(self):
        self.simulate("a.csv", "--stop", "2", "--intervals", "4")
        self.simulate("b.csv", "--stop", "2", "--intervals", "5", "--set", "k=1.1")
        result = self.run_program("compare", "a.csv", "b.csv", "--report", "c.html")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("  wrote   c.html\n", result.stdout)
        page = self.page("c.html")
        self.assertFalse(page["comparison"]["agrees"])
        self.assertEqual(page["command"], "daedalus compare a.csv b.csv --report c.html")
        names = [variable[0] for variable in page["variables"]]
        self.assertEqual(set(names), {f"{name}{other}" for name in ("x", "y", "low", "der(x)") for other in ("", " (b.csv)")})
        # The largest difference first, each variable next to its other curve.
        order = [variable[0] for variable in page["comparison"]["variables"]]
        self.assertEqual(names[::2], order)
        self.assertEqual(names[1::2], [f"{name} (b.csv)" for name in order])
        # Each file has its own grid, and two rows at its event.
        times, (header, rows) = page["time"], self.rows("a.csv")
        self.assertEqual(times, sorted(times))
        for t in (0.4, 0.5, 0.8, 1.2, 1.5, 1.6):
            self.assertEqual(sum(abs(t - other) < 1e-9 for other in times), 1)
        event = next(row[0] for row, after in zip(rows, rows[1:]) if row[0] == after[0])
        self.assertEqual(times.count(event), 2)
        column = page["columns"][page["variables"][names.index("x")][4]]
        for row in rows:
            self.assertAlmostEqual(column[times.index(row[0])], row[header.index("x")], delta=1e-12)
        between = times.index(0.4)  # of the reference's points at 0 and 0.5
        self.assertAlmostEqual(column[between], 0.2 + 0.8*rows[1][header.index("x")], delta=1e-9)
        other = page["columns"][page["variables"][names.index("x (b.csv)")][4]]
        self.assertAlmostEqual(other[between], 2.718281828459045**(-0.44), delta=1e-5)

    def test_pages_of_results_that_agree_and_wrong_names(self):
        self.simulate("a.csv")
        self.assertEqual(self.run_program("compare", "a.csv", "a.csv", "--report", "c.html").returncode, 0)
        self.assertTrue(self.page("c.html")["comparison"]["agrees"])
        self.fails(2, "compare", "a.csv", "a.csv", "--report", "c.csv", says="its name must end in .html")
        self.fails(1, "compare", "a.csv", "a.csv", "--report", "none/c.html", says="its folder does not exist")

    def test_methods_agree_and_other_parameters_do_not(self):
        self.simulate("a.csv")
        self.simulate("b.mat", "--method", "dopri5", "--rtol", "1e-4")
        self.simulate("c.mat", "--set", "k=1.1")
        self.assertEqual(self.run_program("compare", "a.csv", "b.mat").returncode, 0)
        result = self.run_program("compare", "a.csv", "c.mat", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        told = json.loads(result.stdout)
        self.assertFalse(told["agrees"])
        self.assertEqual(told["only_in_other"], ["k"])
        x = next(variable for variable in told["variables"] if variable["name"] == "x")
        # exp(-t) - exp(-1.1 t) grows to t = 1; values within 0.002 of the time are no difference
        self.assertAlmostEqual(x["at"], 1, delta=0.01)
        self.assertAlmostEqual(x["largest"], 0.0350 / 0.6321 - 0.002 * 0.3679 / 0.6321, delta=2e-3)
        self.assertLess(x["leaves"], 0.1)
        self.assertGreater(x["leaves"], 0)

    def test_a_choice_of_variables(self):
        self.simulate("a.csv")
        self.simulate("b.csv", "--set", "k=1.1")
        result = self.run_program("compare", "a.csv", "b.csv", "--variables", "y")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 variable compared", result.stdout)
        self.assertIn("`y` leaves the tube at t = ", result.stdout)
        result = self.run_program("compare", "a.csv", "b.csv", "--variables", "z")
        self.assertEqual(result.returncode, 2)
        self.assertIn("z", result.stderr)

    def test_a_result_that_ends_before_the_other(self):
        self.simulate("a.csv")
        self.simulate("b.csv", "--stop", "0.5")
        result = self.run_program("compare", "a.csv", "b.csv")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.csv ends at t = 1 s, b.csv at t = 0.5 s", result.stdout)

    def test_what_is_no_result(self):
        self.simulate("a.csv")
        for name, text, message in (("b.csv", "time,x\n0,1\n1,x\n", "line 3: `x` of `x` is no number [report.not-a-table]"),
                                    ("b.csv", "time,x\n0,1\n-1,2\n", "time goes back from 0 to -1"),
                                    ("b.csv", "time,x\n0,nan\n", "a value of row 1 is not finite"),
                                    ("b.csv", "time,z\n0,1\n", "no variable in common [report.nothing-in-common]"),
                                    ("b.csv", "time,x\n5,1\n", "no time in common"),
                                    ("b.mat", "abc", "a matrix is cut off"),
                                    ("b.json", "[]", "it is no JSON object")):
            self.write(name, text)
            result = self.run_program("compare", "a.csv", name)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(message, result.stderr)
        self.assertIn("[usage.input]", self.run_program("compare", "a.csv", "a.txt").stderr)
        for arguments in (("a.csv",), (), ("a.csv", "a.txt"), ("a.csv", "a.csv", "--tube", "-1")):
            self.assertEqual(self.run_program("compare", *arguments).returncode, 2, arguments)


if __name__ == "__main__":
    main()
