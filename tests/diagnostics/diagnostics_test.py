"""Runs every model of this folder and compares what the program says with the golden text beside it.

A model may name the command in its first line (`// daedalus: simulate --stop 2`); without one it is checked.
UPDATE_GOLDEN=1 rewrites the golden texts; look at the difference before you commit it.
Usage: diagnostics_test.py PROGRAM
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = ""
COMMAND_MARK = "// daedalus: "

MODEL = b"model M\n  Real x(start = 1);\nequation\n  der(x) = -x;\nend M;\n"

# Bytes that no editor would keep in a model file, with the golden text's name.
GENERATED = {
    "nul_byte": MODEL.replace(b"-x", b"-\0x"),
    "utf16_little_endian": b"\xff\xfe" + MODEL.decode().encode("utf-16-le"),
    "utf16_big_endian": b"\xfe\xff" + MODEL.decode().encode("utf-16-be"),
    "utf16_without_mark": MODEL.decode().encode("utf-16-le"),
    "latin1": MODEL.replace(b"model M\n", "model M \"Höhe\"\n".encode("latin-1")),
    "utf8_cut_short": MODEL + "// größe".encode()[:-3] + b"\xc3",
}


def command_of(text):
    first = text.split("\n", 1)[0]
    return shlex.split(first[len(COMMAND_MARK):]) if first.startswith(COMMAND_MARK) else ["check"]


def run(folder, file, command):
    return subprocess.run([PROGRAM, command[0], file, *command[1:]], cwd=folder, capture_output=True, timeout=20,
                          stdin=subprocess.DEVNULL)


def without_rounding(text):
    """What a run says, with its numbers to three digits and without those that are rounding errors."""
    def shorter(match):
        value = float(match.group())
        return "0" if abs(value) < 1e-12 else f"{value:.3g}"

    text = re.sub(r"with step [-+.\de]+", "with step h", text)
    return re.sub(r"-?\d+\.\d{3,}(e[-+]\d+)?|-?\d(\.\d+)?e[-+]\d+", shorter, text)


class Diagnostics(unittest.TestCase):
    maxDiff = None

    def compare(self, golden, result, shorten=lambda text: text):
        self.assertIn(result.returncode, (0, 1), result.stderr)
        said = shorten(result.stderr.decode())
        if os.environ.get("UPDATE_GOLDEN"):
            golden.write_text(said)
        self.assertEqual(golden.read_text(), said)

    def test_every_model_of_the_folder(self):
        models = sorted(HERE.glob("*.mo"))
        self.assertGreater(len(models), 30)
        for model in models:
            with self.subTest(model=model.stem):
                command = command_of(model.read_text())
                result = run(HERE, model.name, command)
                unchanged = command[0] == "check"
                self.compare(model.with_suffix(".txt"), result, str if unchanged else without_rounding)
                self.assertTrue(result.stderr, "a model of this folder has something to say")

    def test_files_in_a_wrong_encoding(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in GENERATED.items():
                with self.subTest(model=name):
                    pathlib.Path(folder, name + ".mo").write_bytes(content)
                    result = run(folder, name + ".mo", ["check"])
                    self.compare(HERE / f"encoding_{name}.txt", result)
                    self.assertEqual(result.returncode, 1)

    def test_every_golden_has_its_model(self):
        known = {model.stem for model in HERE.glob("*.mo")} | {f"encoding_{name}" for name in GENERATED}
        self.assertEqual({golden.stem for golden in HERE.glob("*.txt")} - known - {"CMakeLists"}, set())


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
