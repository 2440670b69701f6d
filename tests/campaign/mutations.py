"""Mutations of every model of the repository: whatever the text says, the program answers properly.

It ends with 0, 1 or 2 in time; what it refuses it refuses with a place (file:line:column) and without generated names or internal
errors; what it simulates has finite numbers only.
"""

import math
import pathlib
import re

import support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = sorted(path for folder in ("examples", "tests/models", "tests/diagnostics") for path in (ROOT / folder).rglob("*.mo"))
LARGEST = 6000  # characters of a text: larger ones take long to analyse and show nothing more
TOKEN = re.compile(r"\s+|//[^\n]*|[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|<=|>=|==|<>|:=|\.[-+*/^]|.", re.S)
OPERATORS = ["+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "<>", "=", ":=", "and", "or", "not", ".*", ",", ";", ":", "(", ")"]
WORDS = ["time", "der", "pre", "if", "then", "else", "end", "when", "for", "loop", "in", "equation", "algorithm", "initial", "Real",
         "Integer", "Boolean", "parameter", "constant", "discrete", "sample", "reinit", "edge", "noEvent", "sqrt", "log", "true", "model",
         "x", "fixed", "start", "size", "sum", "each", "elsewhen", "terminate", "assert", "smooth", "StateSelect", "\"text\""]
NUMBERS = ["0", "1", "-1", "1e300", "1e-300", "1e999", "3.5", "0.1", "2147483648", "9007199254740993", "7", "1000", "-0.0"]
PLACE = re.compile(r"model\.mo:\d+:\d+: (?:error|warning)")
# What a run may report without a position: messages about the whole run, or the options
UNPLACED = re.compile(r"\[(?:step-too-small|step-limit|newton|initial|usage|event|domain|solve|model|run|structure|nonfinite|time)[a-z.-]*\]")
GENERATED = re.compile(r"\$\w+")


class Mutations(support.Campaign):
    name = "mutations"

    def case(self, rng, index):
        source = rng.choice([path for path in SOURCES if path.stat().st_size < LARGEST])
        text = source.read_bytes().decode(errors="replace")
        tokens = TOKEN.findall(text)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            tokens = mutated(tokens, rng)
        return {"source": str(source.relative_to(ROOT)), "tokens": tokens, "stop": rng.choice(["0.01", "1"])}

    def text(self, case):
        return "".join(case["tokens"])

    def group(self, case):
        return case["source"].split("/")[0]

    def kind(self, message):
        return message.split(",")[0]

    def check(self, program, case):
        (program.folder / "results.csv").unlink(missing_ok=True)
        (program.folder / "model.mo").write_text(self.text(case))
        run = program.run("simulate", "model.mo", "--output", "results.csv", "--stop", case["stop"], "--max-steps", "20000",
                          "--intervals", "50")
        return wrong_ending(run) or (wrong_results(program.folder / "results.csv") if run.code == 0 else None)

    def smaller(self, case):
        """Without whole lines, then without single tokens."""
        tokens = case["tokens"]
        size = len(tokens) // 2
        while size >= 1:
            for begin in range(0, len(tokens), size):
                yield dict(case, tokens=tokens[:begin] + tokens[begin + size:])
            size //= 2


def mutated(tokens, rng):
    places = [k for k, token in enumerate(tokens) if token.strip()]
    if not places:
        return tokens
    at, result = rng.choice(places), list(tokens)
    way = rng.choice(["delete", "double", "swap", "replace", "number", "name", "insert", "truncate", "move"])
    if way == "delete":
        del result[at:at + rng.choice([1, 1, 1, 5])]
    elif way == "double":
        end = at + rng.choice([1, 1, 8])
        result[at:at] = result[at:end] + [" "]
    elif way == "swap":
        other = rng.choice(places)
        result[at], result[other] = result[other], result[at]
    elif way == "replace":
        result[at] = rng.choice(OPERATORS + WORDS)
    elif way == "number":
        numbers = [k for k in places if tokens[k][0].isdigit()]
        if numbers:
            result[rng.choice(numbers)] = rng.choice(NUMBERS)
    elif way == "name":
        names = [k for k in places if tokens[k][0].isalpha()]
        if names:
            result[rng.choice(names)] = tokens[rng.choice(names)]
    elif way == "insert":
        result[at:at] = [" ", rng.choice(OPERATORS + WORDS + NUMBERS), " "]
    elif way == "truncate":
        result = result[:at]
    else:
        moved = result[at:at + rng.randint(1, 12)]
        del result[at:at + len(moved)]
        to = rng.randrange(len(result) + 1)
        result[to:to] = moved
    return result


def wrong_ending(run):
    said = run.stdout + run.stderr
    if run.code is None or run.code not in (0, 1, 2):
        return f"bad ending, {run.reason()}"
    if "internal" in said.lower() and "internal-" not in said:
        return f"an internal error, {run.reason()}"
    if found := GENERATED.search(run.stderr):
        return f"a generated name, {found.group()} in: {run.stderr.strip()[:300]}"
    if run.code == 1 and not PLACE.search(run.stderr) and not UNPLACED.search(run.stderr):
        return f"an error without a place, {run.stderr.strip()[:300] or 'nothing said'}"
    if run.code == 2:
        return f"called wrong usage, {run.stderr.strip()[:300]}"
    return None


def wrong_results(path):
    for name, values in support.columns(path).items():
        if not all(map(math.isfinite, values)):
            return f"not a finite number, in `{name}`"
    return None
