"""Makes small deliberate mistakes in our own sources, one at a time, and sees whether the tests notice.

A mistake is a comparison that is off by its border or turned round, a sign, a number off by one, a logical operator, a negation
that is dropped, min for max, or a statement that is left out (mistakes.py). All that are chosen are compiled into one library, in
a copy of the tree, each behind a switch that an environment variable sets; the test programs of the ordinary build load that
library. Each test is first run by itself without any mistake: that tells its time and which mistakes it reaches. Then each
mistake is made in turn and only the tests that reach it are run, those beside the source and quick ones first, until one fails,
crashes, or takes ten times as long. What does not compile (constant expressions) is dropped. What no test notices is listed at the end. An index that leaves
its vector ends the run, as it does in `./dev asan`.
tests/mutation/equivalent.txt lists survivors that change nothing, `FILE FUNCTION: BEFORE -> AFTER # REASON`, which are not tried.
`./dev mutate deliberate` makes the mistakes of tests/mutation/deliberate.txt, which tests did not notice once.

Usage: mutate.py ROOT [FOLDER...] [--count N] [--seed S] [--list] [--only TEXT] [--tests PROGRAM,...] [--jobs N]
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import mistakes

# Test programs of other folders that exercise the sources of one; the folder's own comes first.
RELATED = {
    "base": ["expr_test", "modelica_test"],
    "capi": ["capi_solve_test", "capi_errors_test"],
    "codegen": ["engine_test", "inlining_test"],
    "runtime": ["engine_test", "discrete_loops_test", "event_faults_test", "inlining_test"],
    "engine": ["hybrid_examples_test", "models_test", "event_faults_test", "taylor_method_test"],
    "expr": ["codegen_test", "property_test"],
    "hybrid": ["event_faults_test", "hybrid_examples_test", "discrete_loops_test", "crossings_test", "surfaces_test"],
    "integrate": ["engine_test", "convergence_test", "taylor_method_test", "capi_test"],
    "linalg": ["integrate_test", "structure_test", "engine_test"],
    "methods": ["convergence_test", "integrate_test"],
    "model": ["structure_test", "modelica_test"],
    "modelica": ["structure_test", "engine_test", "models_test", "event_faults_test"],
    "solution": ["engine_test", "integrate_test"],
    "steps": ["inlining_test", "torn_test", "engine_test", "taylor_method_test"],
    "structure": ["models_test", "property_test", "engine_test", "torn_test", "discrete_loops_test"],
    "system": ["integrate_test", "engine_test"],
}
LEAST_PER_FOLDER = 20
SPARE = 1.4  # this many times more are chosen than are tried, as some do not compile and some change nothing
PATIENCE_S = 60  # tests that take longer in total are not run for a mistake; quick ones come first
MEMORY_LIMIT = 8 << 30  # bytes: a loop that does not end may allocate
CHUNKS = [8, 40, 200]  # tests that are run between two looks at the result; the last size repeats


@dataclasses.dataclass(frozen=True)
class Place:
    path: str  # relative to the root
    mistake: mistakes.Mistake

    def __str__(self):
        return f"{self.path}:{self.mistake.line}: {self.change}"

    @property
    def own_program(self):
        return self.path.split("/")[1] + "_test"

    @property
    def change(self):
        return f"{self.mistake.before}  ->  {self.mistake.after or '(left out)'}"

    @property
    def key(self):
        """Without the number of the line, which changes often."""
        return f"{self.path} {self.mistake.function}: {' '.join(self.change.split())}"


@dataclasses.dataclass(frozen=True)
class Test:
    program: str
    name: str  # empty: the whole program, which does not use GoogleTest
    seconds: float = 0.0
    reached: frozenset = frozenset()


def known_equivalents(text):
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    return {" ".join(line.split(" # ")[0].split()) for line in lines}


def deliberate(root, text):
    """The places of mistakes `FILE: BEFORE -> AFTER`, where BEFORE is an expression or a statement that the file has once."""
    places = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        path, change = line.split(": ", 1)
        before, after = change.split(" -> ")
        source = (root / path).read_text()
        if source.count(before) != 1:
            sys.exit(f"mutate: {path} has `{before}` {source.count(before)} times")
        begin = source.index(before)
        extent = (begin, begin + len(before))
        is_left_out = after == "(left out)"
        number = source.count("\n", 0, begin) + 1
        places.append(Place(path, mistakes.Mistake(number, "", before, "" if is_left_out else after, extent, extent,
                                                   None if is_left_out else after)))
    return places


def choose(places, count, generator):
    """So many places, none within another."""
    chosen = []
    taken = collections.defaultdict(list)
    for place in generator.sample(places, len(places)):
        if len(chosen) == count:
            break
        begin, end = place.mistake.extent
        if all(end <= other_begin or other_end <= begin for other_begin, other_end in taken[place.path]):
            taken[place.path].append((begin, end))
            chosen.append(place)
    return chosen


def shares(sizes, count):
    """The count split over the folders by size, with at least LEAST_PER_FOLDER each where there are so many."""
    least = {folder: min(size, LEAST_PER_FOLDER, count // len(sizes)) for folder, size in sizes.items()}
    rest = count - sum(least.values())
    total = sum(sizes.values())
    return {folder: min(size, least[folder] + round(rest * size / total)) for folder, size in sizes.items()}


def chunks(tests, own):
    """The tests of the folder's own program first, then quick ones, in chunks that grow, each the tests of one program; no
    more than PATIENCE_S in all."""
    ordered = sorted(tests, key=lambda test: (test.program != own, test.seconds))
    begin, spent, number = 0, 0.0, 0
    while begin < len(ordered) and spent < PATIENCE_S:
        size = CHUNKS[min(number, len(CHUNKS) - 1)]
        by_program = collections.defaultdict(list)
        for test in ordered[begin:begin + size]:
            if spent < PATIENCE_S:
                by_program[test.program].append(test)
            spent += test.seconds
        yield from by_program.values()
        begin, number = begin + size, number + 1


def faulty(output, copy, lines):
    """The numbers of the mistakes that the compiler's messages point at, where `lines` says on which lines they stand."""
    found = set()
    for path in {path for path, _ in lines.values()}:
        here = {number: where for number, (other, where) in lines.items() if other == path}
        name = re.escape(str(copy / path)) + "|" + re.escape("../" + path)
        errors = {int(line) for line in re.findall(rf"(?:{name}):(\d+):\d+: (?:fatal )?error", output)}
        mentioned = {int(line) for line in re.findall(rf"(?:{name}):(\d+):", output)}
        has_failed = f"{path}.o" in "\n".join(line for line in output.split("\n") if line.startswith("FAILED"))
        blamed = {number for number, where in here.items() if errors & set(where)}
        if has_failed and not blamed:
            blamed = {number for number, where in here.items() if mentioned & set(where)} or set(here)
        found |= blamed
    return found


class Workshop:
    """A copy of the tree whose library contains all mistakes."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs
        self.tests_build = root / "build"
        self.copy = root / "build-mutate"
        self.build = self.copy / "build"  # inside the tree like the ordinary one, so that ccache knows its sources

    def build_tests(self, programs):
        subprocess.run(["ninja", "-C", self.tests_build, f"-j{self.jobs}", "--quiet", *programs], check=True)

    def copy_tree(self):
        """Copies all but the sources of the library, whose names it returns."""
        files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                               capture_output=True, text=True, check=True).stdout.split("\n")
        names = [name for name in files if name and (self.root / name).is_file()]
        sources = [name for name in names if name.startswith("src/") and name.endswith(".cpp")]
        for name in set(names) - set(sources):
            self.write(name, (self.root / name).read_bytes())
        support = "src/base/mutant.cpp"
        self.write(support, (self.root / "tests" / "mutation" / "mutant.cpp").read_bytes())
        for old in (self.copy / "src").rglob("*.cpp"):
            if str(old.relative_to(self.copy)) not in [*sources, support]:
                old.unlink()
        return sources

    def write(self, name, content):
        target = self.copy / name
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def compile(self, numbered):
        """Builds the library with the mistakes, given as {number: place}; returns the numbers that compile."""
        names = self.copy_tree()
        environment = dict(os.environ, CCACHE_BASEDIR=str(self.copy), CCACHE_NOHASHDIR="1")
        numbered = dict(numbered)
        while True:
            lines = self.write_switches(names, numbered)
            paths = " ".join(sorted({f'"{self.copy / place.path}"' for place in numbered.values()}))
            self.write("mutation.cmake", (
                f'set_source_files_properties({paths} PROPERTIES COMPILE_OPTIONS '
                f'"-w;-O2;-D_GLIBCXX_ASSERTIONS;-Wno-narrowing;-include;{self.copy}/tests/mutation/mutant.hpp")\n').encode())
            subprocess.run(["cmake", "-S", self.copy, "-B", self.build, "-G", "Ninja", "-DDAEDALUS_TESTS=OFF",
                            "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", f"-DCMAKE_PROJECT_INCLUDE={self.copy}/mutation.cmake"],
                           check=True, stdout=subprocess.DEVNULL, env=environment)
            done = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", "-k0", "daedalus"], capture_output=True,
                                  text=True, env=environment)
            if done.returncode == 0:
                return set(numbered)
            dropped = faulty(done.stdout, self.copy, lines)
            if not dropped:
                sys.exit(f"mutate: the library does not build\n{done.stdout[-5000:]}")
            for number in dropped:
                del numbered[number]

    def write_switches(self, names, numbered):
        by_path = collections.defaultdict(dict)
        for number, place in numbered.items():
            by_path[place.path][number] = place.mistake
        lines = {}
        for path in names:
            text = (self.root / path).read_text()
            if path in by_path:
                text, where = mistakes.with_switches(text, by_path[path])
                lines |= {number: (path, span) for number, span in where.items()}
            self.write(path, text.encode())
        return lines

    def run(self, program, names, limit_s, **variables):
        """Runs tests in a folder of their own, with a cache of their own; true where they pass within the time limit."""
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            environment = dict(os.environ, LD_LIBRARY_PATH=str(self.build), DAEDALUS_CACHE=folder + "/cache", TMPDIR=folder,
                               **variables)
            options = ["--gtest_filter=" + ":".join(names), "--gtest_brief=1", "--gtest_fail_fast"] if names != [""] else []
            try:
                done = subprocess.run([self.tests_build / program, *options], cwd=folder, capture_output=True,
                                      timeout=limit_s, env=environment, preexec_fn=limit_memory)
            except subprocess.TimeoutExpired:
                return False
            return done.returncode == 0

    def names(self, program):
        if program.startswith("capi_") and program != "capi_test":
            return [""]  # in C
        listed = subprocess.run([self.tests_build / program, "--gtest_list_tests"], capture_output=True, text=True,
                                check=True).stdout
        return names_in(listed)

    def measure(self, test):
        """The test with its time and what it reaches; none where it fails without any mistake."""
        with tempfile.NamedTemporaryFile(prefix="mutate-") as file:
            begin = time.monotonic()
            if not self.run(test.program, [test.name], 600, DAEDALUS_REACHED=file.name):
                return None
            seconds = time.monotonic() - begin
            return dataclasses.replace(test, seconds=seconds, reached=frozenset(int(line) for line in file))

    def noticed_by(self, number, place, tests):
        """The first program whose tests notice the mistake; none where no test does."""
        for chunk in chunks(tests, place.own_program):
            usual_s = sum(test.seconds for test in chunk)
            names = [test.name for test in chunk]
            if not self.run(chunk[0].program, names, 10 + 10 * usual_s, DAEDALUS_MUTANT=str(number)):
                return chunk[0].program
        return None


def names_in(listed):
    """The tests' names in what --gtest_list_tests prints."""
    names, suite = [], ""
    for line in listed.split("\n"):
        word = line.split("#")[0].strip()
        if line.startswith("  ") and not word.startswith("DISABLED_"):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def sources(root, folder):
    place = root / "src" / folder
    files = [place] if place.is_file() else sorted(place.rglob("*.cpp"))
    files = [file for file in files if not file.name.endswith("_test.cpp")]
    if not files:
        sys.exit(f"mutate: there are no sources in src/{folder}")
    return files


def candidates(root, folders):
    return {folder: [Place(str(file.relative_to(root)), mistake) for file in sources(root, folder)
                     for mistake in mistakes.mistakes_of(file.read_text())] for folder in folders}


def related_programs(folders):
    layers = [folder.split("/")[0] for folder in folders]
    return list(dict.fromkeys(program for layer in layers for program in [f"{layer}_test", *RELATED.get(layer, [])]))


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n")[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", help="folders of src/, or files in them (default: all that have tests)")
    parser.add_argument("--count", type=int, default=50, help="mistakes that are tried in all (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--list", action="store_true", help="show them, try none")
    parser.add_argument("--only", default="", help="try only the mistakes whose text contains this")
    parser.add_argument("--tests", help="test programs to run, in place of those that belong to the folders")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args(command_line)


def selection(root, arguments):
    """The places to compile by folder, in the order in which they are tried, and how many of each are."""
    if arguments.folders == ["deliberate"]:
        places = deliberate(root, (root / "tests" / "mutation" / "deliberate.txt").read_text())
        by_folder = collections.defaultdict(list)
        for place in places:
            by_folder[place.path.split("/")[1]].append(place)
        return by_folder, {folder: len(here) for folder, here in by_folder.items()}
    possible = candidates(root, arguments.folders or sorted(RELATED))
    sizes = {folder: len(places) for folder, places in possible.items()}
    print(f"{sum(sizes.values())} mistakes can be made; seed {arguments.seed}", flush=True)
    wanted = shares(sizes, arguments.count)
    generator = random.Random(arguments.seed)
    chosen = {folder: choose(places, round(SPARE * wanted[folder]), generator) for folder, places in possible.items()}
    equivalent = known_equivalents((root / "tests" / "mutation" / "equivalent.txt").read_text())
    return {folder: [place for place in places if place.key not in equivalent] for folder, places in chosen.items()}, wanted


def main():
    arguments = arguments_of(sys.argv[1:])
    root = arguments.root.resolve()
    chosen, wanted = selection(root, arguments)
    if arguments.list:
        print("\n".join(str(place) for folder, places in chosen.items() for place in places[:wanted[folder]]))
        return
    programs = arguments.tests.split(",") if arguments.tests else related_programs(chosen)
    workshop = Workshop(root, arguments.jobs)
    workshop.build_tests(programs)
    numbered = dict(enumerate((place for places in chosen.values() for place in places), 1))
    compiled = workshop.compile(numbered)
    print(f"{len(numbered) - len(compiled)} of {len(numbered)} do not compile", flush=True)
    tried = {}
    for folder, places in chosen.items():
        here = [number for number in sorted(compiled) if numbered[number] in places][:wanted[folder]]
        tried |= {number: numbered[number] for number in here if arguments.only in str(numbered[number])}
    survivors = try_all(workshop, programs, tried)
    noticed = len(tried) - len(survivors)
    print(f"\n{noticed} of {len(tried)} noticed ({100 * noticed / max(len(tried), 1):.0f} %)")
    for folder, places in chosen.items():
        here = {number for number, place in tried.items() if place in places}
        print(f"  {folder}: {len(here - survivors.keys())} of {len(here)}")
    for place, why in survivors.values():
        print(f"  survived, {why}: {place}")


def try_all(workshop, programs, numbered):
    """The survivors of the mistakes {number: place}, as {number: (place, why)}."""
    with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
        alone = [Test(program, name) for program in programs for name in workshop.names(program)]
        measured = list(pool.map(workshop.measure, alone))
        for test, result in zip(alone, measured):
            if result is None:
                print(f"left out, fails without any mistake: {test.program} {test.name}", flush=True)
        tests = [test for test in measured if test is not None]
        print(f"{len(tests)} tests, {sum(test.seconds for test in tests):.0f} s", flush=True)
        reaching = {number: [test for test in tests if number in test.reached] for number in numbered}
        verdicts = pool.map(lambda number: workshop.noticed_by(number, numbered[number], reaching[number]), numbered)
        survivors = {}
        for number, by in zip(numbered, verdicts):
            verdict = f"noticed by {by}" if by else f"survived {len(reaching[number])} tests"
            print(f"{verdict}: {numbered[number]}", flush=True)
            if not by:
                survivors[number] = (numbered[number], f"reached by {len(reaching[number])} tests")
    return survivors


if __name__ == "__main__":
    main()
