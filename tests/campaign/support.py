"""What the campaigns share: running the program, seeds, shrinking, and what is written about a finding."""

import csv
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

HANG = 20.0  # seconds after which a run counts as hung; models of a campaign take well under a second


@dataclasses.dataclass
class Run:
    """What one call of the program gave back."""

    code: int | None  # None: it hung
    stdout: str
    stderr: str

    def told(self):
        """The JSON object on stdout, or an empty one."""
        try:
            return json.loads(self.stdout)
        except ValueError:
            return {}

    def reason(self):
        """One line on how the run ended, for tables and messages."""
        if self.code is None:
            return f"did not end within {HANG:g} s"
        if self.code < 0:
            return f"died of signal {-self.code}"
        told = self.told()
        words = told.get("reason") or told.get("message") or self.stderr.strip().split("\n")[0]
        return f"exit {self.code}: {words}" if self.code else "finished"


class Program:
    """The program under test, in a folder of its own and without a cache."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.temporary = tempfile.TemporaryDirectory(prefix="campaign-")
        self.folder = pathlib.Path(self.temporary.name)
        self.environment = dict(os.environ, DAEDALUS_CACHE="")
        self.calls = 0

    def run(self, *arguments, timeout=HANG):
        self.calls += 1
        try:
            done = subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return Run(None, "", "")
        return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def simulate(self, text, *arguments):
        """Runs a model's text; gives the run and the rows of its results by column (None: no file)."""
        (self.folder / "model.mo").write_text(text)
        results = self.folder / "results.csv"
        results.unlink(missing_ok=True)
        run = self.run("simulate", "model.mo", "--output", "results.csv", "--json", *arguments)
        return run, columns(results) if results.exists() else None


def columns(path):
    """A CSV file of numbers as {name: [value, ...]}."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [float(row[place]) for row in rows] for place, name in enumerate(header)}


class Campaign:
    """One kind of random case. A case is plain data; everything else follows from it.

    prepare(program)        once, before all cases
    case(rng, index)        the case; the same for the same state of rng
    check(program, case)    None, or one line on what is wrong
    smaller(case)           simpler cases to try in its place, the boldest first
    text(case)              the model, as it is kept for a finding
    kind(message)           what a smaller case must have in common with the first one
    group(case)             under what it is counted in a table
    """

    name = ""
    suffix = "mo"  # of the file that a finding is kept in

    def prepare(self, program):
        pass

    def smaller(self, case):
        return ()

    def kind(self, message):
        return message.split(":")[0]

    def group(self, case):
        return ""

    def shrunk(self, program, case, message, until):
        """The simplest case found that still fails in the same way, and its message."""
        found = True
        while found:
            found = False
            for candidate in self.smaller(case):
                if time.monotonic() > until:
                    return case, message
                told = self.check(program, candidate)
                if told and self.kind(told) == self.kind(message):
                    case, message, found = candidate, told, True
                    break
        return case, message


def run_campaign(campaign, program, folder, seed, seconds, first=0, cases=None, most_findings=10):
    """Cases from `first` on until the time is up; gives the number of findings."""
    start = time.monotonic()
    findings, index = 0, first
    while (cases is None or index < first + cases) and findings < most_findings and time.monotonic() - start < seconds:
        case = campaign.case(random.Random(f"{campaign.name} {seed} {index}"), index)
        message = campaign.check(program, case)
        if message:
            findings += 1
            case, message = campaign.shrunk(program, case, message, time.monotonic() + min(30.0, seconds))
            place = kept(campaign, case, message, folder, seed, index)
            print(f"{campaign.name}: seed {seed}, case {index}: {message}\n  {place}", flush=True)
        index += 1
    print(f"{campaign.name}: seed {seed}, cases {first} to {index - 1}: {findings} finding{'s' * (findings != 1)}, "
          f"{program.calls} runs in {time.monotonic() - start:.0f} s", flush=True)
    return findings


def kept(campaign, case, message, folder, seed, index):
    """Writes the failing model with what is wrong with it."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{campaign.name}-{seed}-{index}.{campaign.suffix}"
    says = "\n".join(f"// {line}" for line in message.split("\n"))
    place.write_text(f"{says}\n// ./dev campaign {campaign.name} --seed {seed} --case {index}\n"
                     f"// {json.dumps(case, default=str)[:2000]}\n{campaign.text(case)}")
    return place
