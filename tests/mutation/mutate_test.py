"""Which mistakes are made of a piece of code, how they are written into one text, and which tests are run for each.

Usage: mutate_test.py
"""

import functools
import pathlib
import random
import subprocess
import tempfile
import unittest

import mistakes
import mutate


def changes(code):
    """What becomes of the expressions and statements of the code."""
    result = []
    for mistake in mistakes.mistakes_of(code):
        begin, end = mistake.extent
        if mistake.new is None:
            result.append("left out: " + code[begin:end])
        else:
            result.append(code[begin:mistake.change[0]] + mistake.new + code[mistake.change[1]:end])
    return result


class Mistakes(unittest.TestCase):
    def test_comparisons_signs_and_numbers(self):
        self.assertEqual(changes("  if (a < b + 1) return c;"), ["a <= b + 1", "a >= b + 1", "b - 1", "2"])

    def test_logic_is_turned_round(self):
        self.assertEqual(changes("  return !a && b == c;"), ["a", "!a || b == c", "b != c"])

    def test_operands_end_where_precedence_says(self):
        self.assertEqual(changes("x = a * b - c[i] - d ? e : f;")[:2], ["a * b + c[i]", "a * b - c[i] + d"])
        self.assertEqual(changes("f(u, a || b && !c.d(), v)"), ["a && b && !c.d()", "b || !c.d()", "c.d()"])
        self.assertEqual(changes("for (int i = n; i >= m; --i)"), ["i > m", "i < m"])

    def test_only_spaced_signs_are_operators(self):
        self.assertEqual(changes("std::vector<std::vector<T>> f(const T& a, T* b, double c = -d);"), [])

    def test_calls_of_min_and_max(self):
        self.assertEqual(changes("return std::max<int>(a, f(b)) * std::min({c, d});"),
                         ["std::min<int>(a, f(b))", "std::max({c, d})"])

    def test_statements_are_left_out(self):
        for statement in ["last_ = first;", "values.clear();", "++count_[i];", "*a = b;", "std::ranges::fill(a[i + j], f());",
                          "x = [&] {\n    return y;\n  }();"]:
            with self.subTest(statement=statement):
                self.assertIn("left out: " + statement, changes("{ if (a) return; " + statement + " }"))
                self.assertIn("left out: " + statement, changes("{ if (a) " + statement + " else return; }"))

    def test_declarations_and_control_stay(self):
        for code in ["const double last = first;", "return last;", "values.reserve(count);", "Type name(a);", "auto [a, b] = c;",
                     "for (T a : b) return;", "DAEDALUS_CHECK(a < b);", "break;", "Type::Type(T a) : b(a) {} int c;"]:
            with self.subTest(code=code):
                self.assertEqual(changes("{ f; " + code + " }"), [])

    def test_comments_strings_includes_and_exponents_stay(self):
        for code in ["// a < b", '#include "a/b.hpp"', 'say("a < b \\" && c");', "x(1e-3, 0x10, 1.5, '1');", "/* 1 + 2 */"]:
            with self.subTest(code=code):
                self.assertEqual(changes(code), [])


SAMPLE = """
#include <algorithm>
#include <optional>
int f(int a, int b) {
  int c = a - b;
  std::optional<double> d;
  if (!d) c *= 3;
  if (a < b && !(a == 5)) c = std::max(a,  // a comment, and a new line
                                       b + 3);
  else c += 7;
  return c;
}
constexpr int e = 4;
"""
PROGRAM = """
#include <cstdlib>
bool daedalus_mutant(int number) { return number == std::atoi(std::getenv("MUTANT")); }
#include "sample.cpp"
int main() { return f(1, 2) * 10 + f(9, 2); }
"""


@functools.cache
def results(code, numbers=(0,)):
    """What the program ends with when the code is its sample, for each number of a mistake."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "sample.cpp").write_text(code)
        pathlib.Path(folder, "main.cpp").write_text(PROGRAM)
        subprocess.run(["c++", "-o", "main", "main.cpp"], cwd=folder, check=True)
        return [subprocess.run([folder + "/main"], env={"MUTANT": str(number)}).returncode for number in numbers]


class Switches(unittest.TestCase):
    def test_each_mistake_is_made_by_its_number_alone(self):
        """Every mistake of the sample, compiled behind its switch, does what the sample with the mistake written out does."""
        for number, mistake in enumerate(mistakes.mistakes_of(SAMPLE.split("constexpr")[0]), 1):
            begin, end = mistake.change
            plain = SAMPLE[:begin] + (";" if mistake.new is None else mistake.new) + SAMPLE[end:]
            switched, lines = mistakes.with_switches(SAMPLE, {number: mistake})
            with self.subTest(mistake=mistake):
                self.assertIn(mistake.line, [*lines[number], mistake.line - 1])
                self.assertEqual(results(switched, (0, number)), results(SAMPLE) + results(plain))

    def test_lines_count_what_the_switches_before_add(self):
        found = {number: mistake for number, mistake in enumerate(mistakes.mistakes_of(SAMPLE))
                 if mistake.before.startswith("c = std::max") or mistake.before.startswith("constexpr")}
        text, lines = mistakes.with_switches(SAMPLE, found)
        for number, span in lines.items():
            self.assertIn(f"daedalus_mutant({number})", text.split("\n")[span[0] - 1])

    def test_what_does_not_compile_is_found_by_its_line(self):
        lines = {1: ("src/a.cpp", range(3, 4)), 2: ("src/a.cpp", range(5, 7)), 3: ("src/b.cpp", range(3, 4))}
        copy = pathlib.Path("/copy")
        self.assertEqual(mutate.faulty("FAILED: x/src/a.cpp.o\n../src/a.cpp:6:2: error: no", copy, lines), {2})
        self.assertEqual(mutate.faulty("FAILED: x/src/a.cpp.o\n/copy/src/a.cpp:3:1:   required from here\n"
                                       "/usr/include/v:1:1: error: no", copy, lines), {1})
        self.assertEqual(mutate.faulty("FAILED: x/src/a.cpp.o\n/usr/include/v:1:1: error: no", copy, lines), {1, 2})


    def test_functions_by_their_layout(self):
        code = ("int f(int a) {\n  if (g(a)) return h(a);\n  std::vector<int> b(a);\n}\nvoid C::k(int a,\n  int b) {\n"
                "  return f(\n}\nclass D {\n  bool m() const {\n    go(1);\n")
        self.assertEqual(mistakes.functions_of(code), ["f"] * 4 + ["k"] * 5 + ["m"] * 3)


class Choice(unittest.TestCase):
    def places(self):
        return [mutate.Place("src/a.cpp", mistake) for mistake in mistakes.mistakes_of(SAMPLE)]

    def test_none_is_within_another(self):
        for seed in range(20):
            chosen = mutate.choose(self.places(), 100, random.Random(seed))
            extents = sorted(place.mistake.extent for place in chosen)
            self.assertTrue(all(one[1] <= next[0] for one, next in zip(extents, extents[1:])), extents)

    def test_small_folders_get_their_least_share(self):
        self.assertEqual(mutate.shares({"small": 100, "large": 900}, 100), {"small": 26, "large": 74})
        self.assertEqual(mutate.shares({"tiny": 3, "large": 97}, 50), {"tiny": 3, "large": 46})

    def test_known_equivalents_are_known_on_another_line(self):
        place = self.places()[0]
        known = mutate.known_equivalents(f"# a comment\n\n{place.key} # it changes nothing\n")
        self.assertEqual(known, {place.key})
        self.assertTrue(place.key.startswith("src/a.cpp f: int c = a - b; -> "), place.key)


    def test_deliberate_mistakes_are_found_by_their_text(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a.cpp").write_text(SAMPLE)
            root = pathlib.Path(folder)
            places = mutate.deliberate(root, "# a comment\na.cpp: a == 5 -> a == b\na.cpp: c += 7; -> (left out)\n")
            self.assertEqual([(place.mistake.line, place.mistake.new) for place in places], [(8, "a == b"), (10, None)])
            text, _ = mistakes.with_switches(SAMPLE, {1: places[0].mistake, 2: places[1].mistake})
            self.assertIn("(::daedalus_mutant(1) ? (a == b) : (a == 5))", text)
            self.assertIn("{ if (!::daedalus_mutant(2)) { c += 7; } }", text)
            with self.assertRaises(SystemExit):
                mutate.deliberate(root, "a.cpp: c -> a\n")


class Tests(unittest.TestCase):
    def test_names_of_google_test(self):
        listed = "Running main() from gtest_main.cc\nOne.\n  a\n  DISABLED_b\nAll/Two.  # TypeParam\n  c/0  # GetParam() = 1\n"
        self.assertEqual(mutate.names_in(listed), ["One.a", "All/Two.c/0"])

    def test_quick_tests_come_first_by_program(self):
        tests = [mutate.Test("slow_test", "a", 3.0)] + [mutate.Test("quick_test", str(i), 0.1) for i in range(8)]
        self.assertEqual([len(chunk) for chunk in mutate.chunks(tests, "other_test")], [8, 1])
        self.assertEqual(list(mutate.chunks(tests, "other_test"))[1][0].name, "a")
        self.assertEqual(next(mutate.chunks(tests, "slow_test"))[0].name, "a")

    def test_patience_ends(self):
        tests = [mutate.Test("a_test", str(i), mutate.PATIENCE_S / 3) for i in range(20)]
        self.assertEqual(sum(len(chunk) for chunk in mutate.chunks(tests, "")), 3)


if __name__ == "__main__":
    unittest.main()
