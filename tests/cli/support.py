"""What the tests of the command line share: running the program in a folder of its own."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""

os.environ.setdefault("DAEDALUS_CACHE", "")  # tests leave nothing in the home folder

DECAY = """model Decay "a decay"
  parameter Real k(min = 0) = 1;
  final parameter Real f = 2;
  constant Real c = 3;
  parameter Integer n = 2;
  parameter Boolean on = true;
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -k*x;
  y = 2*x;
end Decay;
"""


class CliTest(unittest.TestCase):
    """Each test has an empty folder with the model decay.mo, and runs the program there."""

    maxDiff = None

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.write("decay.mo", DECAY)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def run_program(self, *arguments, timeout=20, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, timeout=timeout, text=True, errors="replace",
                              **options)

    def succeeds(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def fails(self, code, *arguments, says=(), **options):
        """The exit code, the words on stderr, and nothing on stdout."""
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, result.stderr)
        self.assertEqual(result.stdout, "")
        return result

    def json_of(self, *arguments, code=0, **options):
        """The one JSON object on stdout, whatever happened."""
        result = self.run_program(*arguments, "--json", **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        value = json.loads(result.stdout)
        self.assertIsInstance(value, dict)
        return value

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            header, *rows = csv.reader(file)
        return header, [[float(cell) for cell in row] for row in rows]


def environment(**changes):
    """The environment with changes; None takes a variable out."""
    result = dict(os.environ)
    for name, value in changes.items():
        result.pop(name, None)
        if value is not None:
            result[name] = value
    return result


def is_sanitized():
    """Address sanitizers reserve terabytes of addresses: limits on memory mean nothing to them."""
    return b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()


def main():
    unittest.main()
