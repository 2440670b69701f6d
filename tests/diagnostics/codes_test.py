"""Every code that the source can report is reported by a golden text or asserted by a test.

Usage: codes_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path()

# A code stands in the source as a literal of its own: "phase.what-is-wrong", or one of the short ones of an Error.
CODE = re.compile(r'"((?:syntax|lookup|type|unsupported|event|model|structure|initial|usage|codegen|report)\.[a-z-]+)"')
SHORT_CODE = re.compile(r'(?:\{|return \{|Error\{)"(io|memory|internal|usage|checkpoint|run-state)"')
REASON = re.compile(r'case Reason::\w+:\s*return "([a-z-]+)"')

# Codes that no input can trigger: a defect of ours or of the compiler.
BEYOND_INPUT = {"codegen.failed", "internal"}
# Reasons in the vocabulary that the integrators do not report yet.
NOT_GIVEN = {"tolerance-unreachable"}


def is_test(file):
    return file.stem.endswith("_test")


def codes_of_the_source():
    codes = set()
    for file in (ROOT / "src").rglob("*.[ch]pp"):
        if not is_test(file):
            text = file.read_text()
            codes |= set(CODE.findall(text)) | set(SHORT_CODE.findall(text))
    return codes


def reasons_of_the_source():
    return set(REASON.findall((ROOT / "src/solution/outcome.cpp").read_text()))


def text_of_tests():
    """Golden texts name a code in brackets, tests in quotes or brackets."""
    files = [*(ROOT / "tests/diagnostics").glob("*.txt"), *(ROOT / "tests/cli").glob("*_test.py"),
             *(ROOT / "tests/capi").glob("*_test.c"), *(ROOT / "tests/inlining").glob("*_test.cpp"),
             *(ROOT / "tests/state").glob("*_test.cpp"), *(ROOT / "src").rglob("*_test.cpp")]
    return "\n".join(file.read_text() for file in files)


class Codes(unittest.TestCase):
    def test_there_are_codes(self):
        self.assertGreater(len(codes_of_the_source()), 40)
        self.assertGreater(len(reasons_of_the_source()), 8)

    def test_every_code_is_triggered(self):
        tests = text_of_tests()
        silent = {code for code in codes_of_the_source() if f"[{code}]" not in tests and f'"{code}"' not in tests}
        self.assertEqual(silent - BEYOND_INPUT, set())

    def test_every_reason_is_triggered(self):
        tests = text_of_tests()
        integrator_tests = "".join(file.read_text() for folder in ("integrate", "hybrid")
                                   for file in (ROOT / "src" / folder).rglob("*_test.cpp"))
        named = {reason: "Reason::" + reason.title().replace("-", "") for reason in reasons_of_the_source()}
        silent = {reason for reason, name in named.items()
                  if f"[{reason}]" not in tests and f'"{reason}"' not in tests and name not in integrator_tests}
        self.assertEqual(silent - NOT_GIVEN, set())

    def test_the_exceptions_are_still_needed(self):
        self.assertLessEqual(BEYOND_INPUT, codes_of_the_source())
        self.assertLessEqual(NOT_GIVEN, reasons_of_the_source())

    def test_every_cause_has_words_in_the_report(self):
        names = re.findall(r'names = \{(.*?)\};', (ROOT / "src/solution/statistics.cpp").read_text(), re.S)
        page = (ROOT / "web/effort.js").read_text()
        self.assertEqual(len(names), 2)
        for table, causes in zip(("jacobian_words", "factorization_words"), names):
            words = re.search(table + r" = \{(.*?)\n\};", page, re.S).group(1)
            self.assertEqual([name for name in re.findall(r'"(\w+)"', causes) if f"{name}: " not in words], [])


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
