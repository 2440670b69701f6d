"""Reads the C++ sources with clang-tidy, all at first and then those whose text, headers included, has changed.

    lint.py BUILD CLANG_TIDY [FILE...]

BUILD has a compile_commands.json; what has been read without a finding is remembered in BUILD/lint.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where the path-sensitive analysis finds nothing more: the macros of the tests take most of its time.
ANALYSIS_IS_LEFT_OUT = re.compile(r"_test\.cpp$")
# How many states of a function's paths are examined: a fifth of the default takes a third of the time.
LESS_ANALYSIS = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=40000")]


def is_test(file):
    return ANALYSIS_IS_LEFT_OUT.search(file) is not None


def is_ours(file, build):
    return file.endswith(".cpp") and build not in pathlib.Path(file).parents


def key(command, checks, version):
    """Of all that clang-tidy sees: the preprocessed text with its comments, which may hold a NOLINT.

    Where the tree stands does not count: a clone of it may share BUILD/lint.
    """
    arguments = shlex.split(command["command"])
    output = arguments.index("-o")
    preprocess = [*arguments[:output], *arguments[output + 2:], "-E", "-C"]
    text = subprocess.run(preprocess, cwd=command["directory"], capture_output=True, check=False).stdout
    config = (ROOT / ".clang-tidy").read_bytes()
    options = " ".join([version, checks, *LESS_ANALYSIS, command["file"]])
    seen = b"\0".join([config, options.encode(), text])
    return hashlib.sha256(seen.replace(str(ROOT).encode(), b"")).hexdigest()


def read(command, clang_tidy, version, build):
    """What clang-tidy says about one source; nothing where that is clean."""
    checks = "--checks=-clang-analyzer-*" if is_test(command["file"]) else "--checks="
    known = build / "lint" / key(command, checks, version)
    if known.exists():
        return ""
    run = subprocess.run([clang_tidy, "-p", build, "--quiet", "--warnings-as-errors=*", checks, *LESS_ANALYSIS, command["file"]],
                         capture_output=True, text=True, check=False)
    if run.returncode == 0:
        known.touch()
        return ""
    return run.stdout or run.stderr


def main():
    build, clang_tidy, *wanted = sys.argv[1:]
    build = pathlib.Path(build).resolve()
    (build / "lint").mkdir(exist_ok=True)
    database = json.loads((build / "compile_commands.json").read_text())
    commands = {command["file"]: command for command in database if is_ours(command["file"], build)}
    files = [str((ROOT / name).resolve()) for name in wanted]
    missing = [name for name in files if name not in commands]
    if missing:
        sys.exit(f"lint: not in {build}/compile_commands.json: {' '.join(missing)}")
    version = subprocess.run([clang_tidy, "--version"], capture_output=True, text=True, check=True).stdout
    found = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reading = lambda name: read(commands[name], clang_tidy, version, build)
        for said in pool.map(reading, files or sorted(commands, key=is_test)):
            if said and said not in found:
                found.add(said)
                print(said, flush=True)
    if found:
        sys.exit(1)
    print(f"lint: nothing to say about {len(files or commands)} sources")


if __name__ == "__main__":
    main()
