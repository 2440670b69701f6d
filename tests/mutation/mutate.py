"""Makes small deliberate mistakes in our own sources, one at a time, and sees whether the tests notice.

A mistake is a comparison that is off by its border or turned round, a sign, a number off by one, a condition that is
turned round, or a statement that is left out. Each is made in a copy of the tree, which is built, and the tests of the
folder are run: those beside its sources first, then those of other folders that use it. A mistake that does not compile
does not count. Those that no test notices are listed with their place at the end; the file of survivors that are known
to change nothing (tests/mutation/equivalent.txt) is left out of the count.

Usage: mutate.py ROOT FOLDER [--count N] [--seed S] [--list] [--tests TARGET,...]
"""

import argparse
import dataclasses
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

# Test executables of other folders that exercise the sources of one; the folder's own come first.
RELATED = {
    "expr": ["codegen_test", "property_test"],
    "modelica": ["structure_test", "models_test"],
    "structure": ["models_test", "property_test", "engine_test"],
    "codegen": ["engine_test", "discrete_loops_test", "event_faults_test"],
    "steps": ["inlining_test", "engine_test"],
    "integrate": ["engine_test", "convergence_test"],
    "hybrid": ["event_faults_test", "hybrid_examples_test", "discrete_loops_test"],
    "engine": ["hybrid_examples_test"],
    "methods": ["convergence_test", "integrate_test"],
}
TEST_TIMEOUT_S = 200
MEMORY_LIMIT = 8 << 30  # bytes: a loop that does not end may allocate

# What is replaced by what: comparisons, signs, logic, numbers.
REPLACEMENTS = [
    (r"(?<![<>=\-])<(?![<=])(?=\s)", "<="), (r"<=(?!>)(?=\s)", "<"),
    (r"(?<![<>=\-])(?<=\s)>(?![>=])(?=\s)", ">="), (r"(?<=\s)>=(?=\s)", ">"),
    (r"(?<=\s)==(?=\s)", "!="), (r"(?<=\s)!=(?=\s)", "=="),
    (r"(?<=\s)\+(?=\s)", "-"), (r"(?<=[\w)\]] )-(?=\s)", "+"),
    (r"(?<=\s)&&(?=\s)", "||"), (r"(?<=\s)\|\|(?=\s)", "&&"),
    (r"(?<![\w.\-])(\d+)(?![\w.])", lambda m: str(int(m.group(1)) + 1)),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[(\s])!(?=[\w(])", ""),
    (r"\bstd::max\b", "std::min"), (r"\bstd::min\b", "std::max"),
]
# A statement on a line of its own that can be left out: a call, an assignment or a step of a counter.
STATEMENT = re.compile(r"^\s+(?:\+\+|--)?[A-Za-z_][\w:.\->\[\]()*]*\s*(?:=|\+=|-=|\*=|\|=|&=|\(|\+\+|--).*;\s*$")
NOT_A_STATEMENT = re.compile(r"^\s*(?:return|const|static|using|constexpr|auto|if|for|while|throw|DAEDALUS_CHECK|"
                             r"assert|case|else|do|struct|class|friend|template|typedef)\b")
# Declarations: a type, then a name.
DECLARATION = re.compile(r"^\s*[A-Za-z_][\w:<>,*& ]*\s[&*]?[A-Za-z_]\w*\s*(?:=|\{|;|\()")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: pathlib.Path  # relative to the root
    line: int  # from 1
    before: str
    after: str

    def __str__(self):
        after = self.after.strip() or "(left out)"
        return f"{self.path}:{self.line}: {self.before.strip()}  ->  {after}"


def code_of(line):
    """The line without its comment; none where it is no code that can be changed."""
    code = line.split("//", 1)[0]
    if not code.strip() or code.lstrip().startswith(("#", "*")) or '"' in code:
        return None
    return code


def mutants_of(root, path):
    mutants = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        code = code_of(line)
        if code is None or "template" in code or "static_assert" in code:
            continue
        for pattern, replacement in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                new = replacement if isinstance(replacement, str) else replacement(match)
                changed = code[:match.start()] + new + code[match.end():]
                mutants.append(Mutant(path.relative_to(root), number, line, changed))
        is_statement = STATEMENT.match(code) and not NOT_A_STATEMENT.match(code) and ".reserve(" not in code
        if is_statement and not (DECLARATION.match(code) and not re.match(r"^\s+[\w.\[\]>-]+\s*[+\-*|&]?=", code)):
            mutants.append(Mutant(path.relative_to(root), number, line, ""))
    return mutants


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


class Workshop:
    """A copy of the tree with a build of its own."""

    def __init__(self, root):
        self.root = root
        self.copy = root / "build-mutate" / "tree"
        self.build = root / "build-mutate" / "build"

    def prepare(self, targets):
        self.copy.mkdir(parents=True, exist_ok=True)
        files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                               capture_output=True, text=True, check=True).stdout.split("\n")
        for name in filter(None, files):
            source, target = self.root / name, self.copy / name
            if not source.is_file():
                continue
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        os.environ["CCACHE_BASEDIR"] = str(self.copy)  # what was compiled elsewhere is not compiled again
        os.environ["CCACHE_NOHASHDIR"] = "1"
        subprocess.run(["cmake", "-S", self.copy, "-B", self.build, "-G", "Ninja", "-DDAEDALUS_TESTS=ON",
                        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", self.build, "--quiet", *targets], check=True)
        for target in targets:
            if not self.passes(target):
                sys.exit(f"mutate: {target} fails without any mistake")

    def passes(self, target):
        try:
            done = subprocess.run([self.build / target, "--gtest_brief=1", "--gtest_fail_fast"], cwd=self.build,
                                  capture_output=True, timeout=TEST_TIMEOUT_S, preexec_fn=limit_memory)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def try_mutant(self, mutant, targets):
        """not built, noticed (by whom) or survived"""
        file = self.copy / mutant.path
        original = file.read_text()
        lines = original.split("\n")
        lines[mutant.line - 1] = mutant.after
        try:
            file.write_text("\n".join(lines))
            for target in targets:
                built = subprocess.run(["ninja", "-C", self.build, "--quiet", target], capture_output=True)
                if built.returncode != 0:
                    return "not built", ""
                if not self.passes(target):
                    return "noticed", target
            return "survived", ""
        finally:
            file.write_text(original)


def known_equivalents(root):
    file = root / "tests" / "mutation" / "equivalent.txt"
    return {line.split(" # ")[0].strip() for line in file.read_text().split("\n")} if file.exists() else set()


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n")[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", help="a folder of src/, or a file in one")
    parser.add_argument("--count", type=int, default=30, help="mistakes that are tried (default: 30)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--list", action="store_true", help="show them, try none")
    parser.add_argument("--tests", help="test executables to run, in place of those that belong to the folder")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    place = root / "src" / arguments.folder
    files = [place] if place.is_file() else sorted(place.rglob("*.cpp"))
    files = [file for file in files if not file.name.endswith("_test.cpp")]
    if not files:
        sys.exit(f"mutate: there are no sources in src/{arguments.folder}")
    layer = arguments.folder.split("/")[0]
    targets = arguments.tests.split(",") if arguments.tests else [f"{layer}_test", *RELATED.get(layer, [])]

    equivalent = known_equivalents(root)
    candidates = [mutant for file in files for mutant in mutants_of(root, file) if str(mutant) not in equivalent]
    chosen = random.Random(arguments.seed).sample(candidates, min(len(candidates), 3 * arguments.count))
    print(f"{len(candidates)} mistakes can be made in src/{arguments.folder}; seed {arguments.seed}", flush=True)
    if arguments.list:
        print("\n".join(str(mutant) for mutant in chosen[:arguments.count]))
        return
    workshop = Workshop(root)
    workshop.prepare(targets)
    counts = {"noticed": 0, "survived": 0, "not built": 0}
    survivors = []
    for mutant in chosen:
        if counts["noticed"] + counts["survived"] == arguments.count:
            break
        begin = time.monotonic()
        verdict, by = workshop.try_mutant(mutant, targets)
        counts[verdict] += 1
        if verdict == "survived":
            survivors.append(mutant)
        print(f"{verdict}{' by ' + by if by else ''} ({time.monotonic() - begin:.0f} s): {mutant}", flush=True)
    tried = counts["noticed"] + counts["survived"]
    print(f"\n{counts['noticed']} of {tried} noticed ({100 * counts['noticed'] / max(tried, 1):.0f} %), "
          f"{counts['not built']} did not compile")
    for mutant in survivors:
        print(f"  survived: {mutant}")


if __name__ == "__main__":
    main()
