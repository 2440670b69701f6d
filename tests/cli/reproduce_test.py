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
        self.assertEqual(names, ["treeaporn-5.1", "gear-1", "hermann-systems", "modrio-25"])

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

    def test_gear_has_two_lines_for_each_row(self):
        result = self.succeeds("reproduce", "gear-1")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)
        lines = [line.split() for line in result.stdout.splitlines() if " published " in line or " ours " in line]
        self.assertEqual(len(lines), 20)
        for published, ours in zip(lines[::2], lines[1::2]):
            self.assertLessEqual(float(ours[1]), float(published[3]))  # error
            self.assertLessEqual(int(ours[7]), int(published[9]))  # evaluations
        rows = self.json_of("reproduce", "gear-1")["rows"]
        self.assertEqual([row["published"]["steps"] for row in rows], [41, 55, 70, 85, 137, 168, 214, 305, 379, 530])

    def test_modrio_is_drawn(self):
        self.succeeds("reproduce", "modrio-25", "--plot", "steps.svg")
        self.assertIn("steps to the plateau", (self.folder / "steps.svg").read_text())
        own, helped = self.json_of("reproduce", "modrio-25")["runs"]
        self.assertLess(2 * helped["steps_to_plateau"], own["steps_to_plateau"])
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

    def test_regression_formulas(self):
        result = self.succeeds("reproduce", "hermann-systems")
        self.assertEqual(result.stderr, "")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 102)
        value = self.json_of("reproduce", "hermann-systems")
        rows = {(row["system"], row["algorithm"]): row for row in value["rows"]}
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[1, "BDF6"]["published_operations"], 59026)
        for row in rows.values():
            with self.subTest((row["system"], row["algorithm"])):
                self.assertTrue(row["ours"]["finished"])
                self.assertLess(row["ours"]["error"], 2e-3 if row["system"] == 2 else 1e-4)
                self.assertIn(f"{row['published_operations']:>10}", result.stdout)
                self.assertIn(f"{row['published_operations']:>10}", PAGE.read_text())


if __name__ == "__main__":
    main()
