"""What mistakes are made of a piece of code.

Usage: mutate_test.py
"""

import pathlib
import tempfile
import unittest

import mutate


def changes(code):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "sample.cpp")
        path.write_text(code)
        return [mutant.after.strip() for mutant in mutate.mutants_of(pathlib.Path(folder), path)]


class Mutants(unittest.TestCase):
    def test_comparisons_signs_and_numbers(self):
        self.assertEqual(changes("  if (a < b + 1) return c;"),
                         ["if (a <= b + 1) return c;", "if (a < b - 1) return c;", "if (a < b + 2) return c;"])

    def test_logic_is_turned_round(self):
        self.assertEqual(changes("  return !a && b == c;"),
                         ["return !a && b != c;", "return !a || b == c;", "return a && b == c;"])

    def test_statements_are_left_out(self):
        self.assertIn("", changes("  last_ = first;"))
        self.assertIn("", changes("  values.clear();"))
        self.assertNotIn("", changes("  const double last = first;"))
        self.assertNotIn("", changes("  return last;"))
        self.assertNotIn("", changes("  values.reserve(count);"))

    def test_comments_strings_includes_and_exponents_stay(self):
        for code in ["// a < b", '#include "a/b.hpp"', '  say("a < b");', "constexpr double tiny = 1e-3;"]:
            with self.subTest(code=code):
                self.assertEqual(changes(code), [])


if __name__ == "__main__":
    unittest.main()
