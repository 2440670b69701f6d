"""The installed headers: only those that users need, each as complete as they include it.

Usage: headers_test.py PREFIX COMPILER SOURCE_FOLDER
"""

import pathlib
import re
import subprocess
import sys
import unittest

PREFIX = COMPILER = ROOT = None
INTERNAL = {"expr", "modelica", "structure", "steps", "runtime", "lab", "problems"}
MOST = 50  # headers; a new one wants a reason


def installed():
    include = PREFIX / "include"
    return sorted(str(file.relative_to(include)) for file in (include / "daedalus").rglob("*.hpp"))


class Headers(unittest.TestCase):
    def test_no_internals_of_the_compiler_are_installed(self):
        folders = {name.split("/")[1] for name in installed()}
        self.assertEqual(folders & INTERNAL, set())
        self.assertIn("daedalus/daedalus.hpp", installed())
        self.assertLessEqual(len(installed()), MOST)

    def test_they_can_be_included_in_any_order(self):
        for names in (installed(), installed()[::-1]):
            source = "".join(f"#include <{name}>\n" for name in names)
            result = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", str(PREFIX / "include"), "-"],
                                    input=source, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_documentation_lists_the_ones_to_include(self):
        page = (ROOT / "docs/architecture.md").read_text()
        section = page[page.index("## The public face"):]
        named = set(re.findall(r"`(daedalus/[\w/]+\.hpp)`", section[:section.index("\n## ", 5)]))
        self.assertGreater(len(named), 8)
        self.assertLessEqual(named, set(installed()))


if __name__ == "__main__":
    PREFIX, COMPILER, ROOT = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    unittest.main()
