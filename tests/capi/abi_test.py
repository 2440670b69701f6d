"""The binary interface of C programs against abi.txt: exported functions, declarations, sizes, places and values.

Usage: abi_test.py HEADER LIBRARY ABI_PROGRAM GOLDEN [--write]

A line that is new is an addition: write the file again. A line that changes or goes breaks programs that exist.
"""

import difflib
import pathlib
import re
import subprocess
import sys


def declarations(header):
    """One line for each declaration, without comments."""
    text = re.sub(r"//.*|^\s*#.*", "", header.read_text(), flags=re.MULTILINE)
    text = text.replace('extern "C" {', "")
    depth, current, found = 0, "", []
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            break  # the end of extern "C"
        current += character
        if character == ";" and depth == 0:
            found.append("declaration " + " ".join(current.split()))
            current = ""
    return found


def functions(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = sorted(line.split()[-1] for line in listed.splitlines() if re.search(r" [A-Za-z] daedalus_\w+$", line))
    return ["function " + name for name in names]


def main():
    header, library, program, golden = map(pathlib.Path, sys.argv[1:5])
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    exported = functions(library)
    declared = declarations(header)
    actual = exported + declared + printed
    if "--write" in sys.argv[5:]:
        golden.write_text("\n".join(actual) + "\n")
        return 0
    wrong = list(difflib.unified_diff(golden.read_text().splitlines(), actual, "abi.txt", "now", lineterm="", n=0))
    for name in (line.removeprefix("function ") for line in exported):
        if not any(re.search(rf"\b{name}\(", line) for line in declared):
            wrong.append(f"{name} is exported, but not declared in the header")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
