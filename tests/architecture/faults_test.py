"""Reads docs/faults.md: every fault has its line, and every test that is named there exists.

Usage: faults_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path()

# How many faults each group has.
GROUPS = {"M": 18, "N": 20, "E": 16, "F": 16, "C": 14, "R": 12}
ROW = re.compile(r"^\| ([A-Z]\d+) \|(.*)\|$", re.MULTILINE)
TEST = re.compile(r"`((?:src|tests)/[\w./-]+)(?:: ([\w., ]+))?`")


def page():
    return (ROOT / "docs/faults.md").read_text()


def tests_of_the_page():
    """(file, name or nothing) for every test in the tables."""
    for _, cells in ROW.findall(page()):
        for file, names in TEST.findall(cells):
            for name in re.split(r",\s*", names) if names else [""]:
                yield file, name


def defines(text, suffix, name):
    if suffix == ".py":
        return re.search(rf"^\s*def {re.escape(name)}\(", text, re.MULTILINE)
    if suffix == ".cpp":
        suite, _, test = name.partition(".")
        return re.search(rf"^TEST(_F|_P)?\({re.escape(suite)},\s*{re.escape(test)}\)", text, re.MULTILINE)
    return re.search(rf"\b{re.escape(name)}\b", text)


class Faults(unittest.TestCase):
    def test_every_fault_has_one_line(self):
        expected = [f"{group}{number}" for group, count in GROUPS.items() for number in range(1, count + 1)]
        self.assertEqual([name for name, _ in ROW.findall(page())], expected)

    def test_every_line_is_whole(self):
        for name, cells in ROW.findall(page()):
            with self.subTest(fault=name):
                self.assertEqual(len(re.split(r"(?<!\\)\|", cells)), 3, "the fault, the answer, the tests")

    def test_every_line_names_a_test_or_says_that_there_is_none(self):
        for name, cells in ROW.findall(page()):
            with self.subTest(fault=name):
                self.assertTrue(TEST.search(cells) or "not tested:" in cells or "later work" in cells)

    def test_every_test_exists(self):
        found = list(tests_of_the_page())
        self.assertGreater(len(found), 100)
        for file, name in found:
            with self.subTest(file=file, name=name):
                path = ROOT / file
                self.assertTrue(path.is_file(), "no such file")
                if name:
                    self.assertTrue(defines(path.read_text(), path.suffix, name), "no such test")


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
