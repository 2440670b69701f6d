"""No run takes many more instructions than it did: instructions_test.py VALGRIND PROGRAM [--print]

bounds.json has the instructions of each run of PROGRAM. They differ a little between hosts: libraries choose code by the CPU, and
generated code is made for it. So 5 % more are allowed, and 10 % in generated code. --print writes what they are now, for bounds.json: where a change makes a run faster, or slower for a
reason that its commit tells.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BOUNDS = pathlib.Path(__file__).with_name("bounds.json")


def instructions(valgrind, program):
    """By the name of a run."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DAEDALUS_CACHE": ""}
        subprocess.run([valgrind, "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=counts", program], cwd=folder,
                       check=True, stderr=subprocess.PIPE, env=environment)
        counts = {}
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            if name:
                counts[name[1]] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
        return counts


def allowed(name):
    return 1.1 if name.endswith("generated") else 1.05


def main():
    counts = instructions(*sys.argv[1:3])
    if sys.argv[3:] == ["--print"]:
        print(json.dumps(dict(sorted(counts.items())), indent=2))
        return 0
    bounds = json.loads(BOUNDS.read_text())
    if set(bounds) != set(counts):
        print(f"runs without a bound, or bounds without a run: {sorted(set(bounds) ^ set(counts))}")
        return 1
    failed = 0
    for name, bound in bounds.items():
        ratio = counts[name]/bound
        too_many = ratio > allowed(name)
        failed += too_many
        print(f"{name:32s} {counts[name]:12d} instructions, {100*(ratio - 1):+.1f} %{' TOO MANY' if too_many else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
