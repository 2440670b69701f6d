"""daedalus reproduce: its list, its table and its JSON; docs/reproductions.md holds what it prints.

Usage: reproduce_test.py PROGRAM
"""

import pathlib
import re

from support import CliTest, main

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
ROW = re.compile(r"^[A-E]  +\de-\d\d ")


def rows_of(text):
    """(set, algorithm, published steps) and the step counts of ours, for every line of the table."""
    for line in text.splitlines():
        if ROW.match(line):
            yield (line[0], line[10:22].strip(), int(line[24:30])), [
                int(cell) for cell in (line[38:44], line[62:68], line[86:92]) if cell.strip()]


class Reproduce(CliTest):
    def test_without_a_name_it_lists_the_tables(self):
        self.assertIn("treeaporn-5.1", self.succeeds("reproduce").stdout)
        names = [entry["name"] for entry in self.json_of("reproduce")["reproductions"]]
        self.assertEqual(names, ["treeaporn-5.1", "gear-1", "hermann-systems", "modrio-25",
                                 *(f"cameron-{table}" for table in range(1, 8))])

    def test_an_unknown_table(self):
        self.fails(2, "reproduce", "treeaporn-5.2",
                   says=["there is no table `treeaporn-5.2`", "did you mean `treeaporn-5.1`?",
                         "[usage.unknown-reproduction]"])
        self.assertEqual(self.json_of("reproduce", "x", code=2)["reason"], "usage.unknown-reproduction")

    def test_the_table_has_every_run_and_fits_a_terminal(self):
        result = self.succeeds("reproduce", "treeaporn-5.1")
        self.assertEqual(result.stderr, "")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        rows = dict(rows_of(result.stdout))
        self.assertEqual(len(rows), 35)
        self.assertEqual(rows["A", "Rad5", 63250][0], 63250)
        self.assertEqual(rows["A", "ode15s", 86], [])
        self.assertIn("do not measure the methods", result.stdout)
        self.assertIn("estimate is filtered by (I - h gamma J)^-1", result.stdout)
        self.assertIn('"the alternate error method allows more aggressive step sizes" comes out on no set',
                      result.stdout)

    def test_json_has_the_same_runs(self):
        value = self.json_of("reproduce", "treeaporn-5.1")
        self.assertEqual((value["name"], value["norm"], value["controller"]), ("treeaporn-5.1", "euclidean", "thesis"))
        rows = {(row["set"], row["algorithm"]): row for row in value["rows"]}
        self.assertEqual(len(rows), 35)
        self.assertIsNone(rows["A", "ode15s"]["method"])
        self.assertIsNone(rows["A", "Rad3"]["listing"])
        rad5 = rows["A", "Rad5"]
        self.assertEqual((rad5["published"], rad5["listing"]["steps"]), ({"steps": 63250, "cpu_s": 4.68}, 63250))
        self.assertLessEqual(rad5["listing"]["fewest_steps"], 63250)
        for field in ("steps", "cpu_s", "error", "relative_error"):
            self.assertGreater(rad5["converged"][field], 0)
        self.assertIsNone(rad5["unfiltered"])
        embedded, alternate = rows["C", "HW-SDIRK"], rows["C", "HW-SDIRK alt"]
        self.assertLess(embedded["converged"]["steps"], embedded["unfiltered"]["steps"])
        self.assertGreater(alternate["converged"]["steps"], embedded["unfiltered"]["steps"])

    def test_gear_has_three_lines_for_each_row_and_the_runs_with_adams(self):
        result = self.succeeds("reproduce", "gear-1")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        lines = [line[12:].split() for line in result.stdout.splitlines()
                 if re.match(r"^.{12}(published|gear     |bdf tuned) +\d", line)]
        self.assertEqual(len(lines), 30)
        for published, same, tuned in zip(lines[::3], lines[1::3], lines[2::3]):
            self.assertLess(int(same[6]), int(published[6]))  # steps, at the same parameter
            self.assertLessEqual(float(tuned[2]), float(published[1]))  # error
            self.assertLessEqual(int(tuned[8]), int(published[7]))  # evaluations
        self.assertIn('published are "from 3 to 10 million equation evaluations"', result.stdout)
        self.assertRegex(result.stdout, r"eps 1e-08: 2\.4\d million evaluations")
        value = self.json_of("reproduce", "gear-1")
        self.assertEqual([row["published"]["steps"] for row in value["rows"]],
                         [41, 55, 70, 85, 137, 168, 214, 305, 379, 530])
        self.assertEqual([run["epsilon"] for run in value["adams"]["runs"]], [1e-4, 1e-8])

    def test_modrio_is_drawn_and_judged_by_the_time_of_the_plateau(self):
        result = self.succeeds("reproduce", "modrio-25", "--plot", "steps.svg")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        self.assertIn("rtol 1e-06: with the implicit start the plateau comes no sooner", result.stdout)
        self.assertIn("steps to the plateau", (self.folder / "steps.svg").read_text())
        value = self.json_of("reproduce", "modrio-25")
        self.assertEqual([(one["from_the_start"], one["sooner"]) for one in value["verdicts"]],
                         [(False, True), (False, False)])
        euler, implicit = value["runs"][4:6]
        self.assertEqual((euler["start"], implicit["start"]), ("explicit Euler", "DIRK of order 3"))
        self.assertGreater(implicit["time_to_plateau"], euler["time_to_plateau"])
        self.assertAlmostEqual(sum(step["h"] for step in euler["step_sizes"]), 20, places=6)
        self.fails(2, "reproduce", "gear-1", "--plot", "steps.svg", says=["`gear-1` is a table", "[usage.option]"])
        self.fails(2, "reproduce", "modrio-25", "--plot", "steps.png", says=["its name must end in .svg"])

    def test_the_page_shows_what_is_printed(self):
        printed = dict(rows_of(self.succeeds("reproduce", "treeaporn-5.1").stdout))
        page = dict(rows_of(PAGE.read_text()))
        self.assertEqual(page.keys(), printed.keys())
        for key, counts in printed.items():
            with self.subTest(key):
                self.assertEqual(len(page[key]), len(counts))
                for ours, shown in zip(counts, page[key]):
                    self.assertAlmostEqual(ours, shown, delta=2 + 0.02 * shown)  # another libm rounds differently

    def test_error_constants_and_regions_are_printed_and_drawn(self):
        result = self.succeeds("reproduce", "cameron-1", "--plot", "regions.svg")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 102)
        self.assertIn("explicit, order 3: stable to -2.5127 on the real axis, 1.7321 on the imaginary one", result.stdout)
        self.assertIn("order 3, to -2.51", (self.folder / "regions.svg").read_text())
        value = self.json_of("reproduce", "cameron-1")
        self.assertEqual([row["published"]["E2"] for row in value["constants"]], [1.1, 1.0, 2.5, None])
        self.assertEqual([region["order"] for region in value["regions"]], [1, 2, 3])

    def test_tables_of_cameron_and_gani_are_on_the_page_as_printed(self):
        page = PAGE.read_text()
        for table in range(2, 8):
            with self.subTest(table=table):
                result = self.succeeds("reproduce", f"cameron-{table}")
                self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
                value = self.json_of("reproduce", f"cameron-{table}")
                for row in value["rows"]:
                    if "NS" in result.stdout:
                        published = row["published"]
                        text = f"{published['steps']:>5} {published['evaluations']:>6} {published['jacobians']:>5}"
                        self.assertIn(text, result.stdout)
                        self.assertIn(text, page)
        switches = self.json_of("reproduce", "cameron-3")["rows"][0]["ours"]["switches"]
        self.assertEqual((switches[0]["from"], switches[0]["to"], switches[0]["lambda"]), (None, "erk32", None))
        self.assertEqual((switches[1]["from"], switches[1]["reason"]), ("erk32", "stability"))
        self.assertEqual(len(self.json_of("reproduce", "cameron-6")["rows"]), 13)
        column = self.json_of("reproduce", "cameron-7")
        self.assertEqual((column["system"], len(column["rows"])), ("cameron-5-distillation", 11))
        self.assertEqual([row["published"]["t"] for row in column["rows"] if row["is_switch"]], [0.037])
        self.assertIn("The model is ours", page)

    def test_regression_formulas(self):
        result = self.succeeds("reproduce", "hermann-systems")
        self.assertEqual(result.stderr, "")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 102)
        value = self.json_of("reproduce", "hermann-systems")
        rows = {(row["system"], row["algorithm"], row["tolerance"]): row for row in value["rows"]}
        self.assertEqual(len(rows), 20)
        self.assertEqual(rows[1, "BDF6", 1e-3]["published_operations"], 59026)
        self.assertIsNone(rows[1, "BDF6", 1e-6]["published_operations"])
        self.assertEqual(rows[1, "RBDF71", 0.05]["ours"]["formula_steps"], 0)
        self.assertFalse(rows[1, "RBDF71", 0.05]["thesis"]["finished"])
        self.assertTrue(rows[1, "RBDF71", 0.05]["thesis_option_2"]["finished"])
        self.assertIsNone(rows[1, "BDF6", 1e-3]["thesis_option_2"])
        for key, row in rows.items():
            with self.subTest(key):
                self.assertTrue(row["ours"]["finished"])
                self.assertLess(row["ours"]["error"], 2e-3 if row["system"] == 2 else 1e-4)
                if row["published_operations"] is None:
                    continue
                self.assertIn(f"{row['published_operations']:>9}", result.stdout)
                self.assertIn(f"{row['published_operations']:>9}", PAGE.read_text())


if __name__ == "__main__":
    main()
