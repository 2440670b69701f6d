"""campaign.py PROGRAM [NAME] [--seed S] [--time T]: random tests of the whole program, see docs/campaigns.md."""

import argparse
import json
import pathlib
import random
import sys
import time

import automata
import crossings
import interpreter
import methods
import mutations
import support
import switches
import undefined

CAMPAIGNS = {campaign.name: campaign for campaign in (
    interpreter.Interpreter(), undefined.Undefined(), automata.Automata(), crossings.Crossings(), switches.Switches(),
    mutations.Mutations(), methods.Methods())}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev campaign", description="Random tests of the whole program.")
    parser.add_argument("program")
    parser.add_argument("name", nargs="?", choices=list(CAMPAIGNS), help="one campaign; all of them share the time otherwise")
    parser.add_argument("--seed", default=None, help="what the cases are drawn from (default: the clock)")
    parser.add_argument("--time", type=float, default=60.0, help="seconds in all (default: 60)")
    parser.add_argument("--cases", type=int, help="end after so many cases of each campaign")
    parser.add_argument("--first", type=int, default=0, help="the first case (default: 0)")
    parser.add_argument("--case", type=int, help="only this case")
    parser.add_argument("--show", action="store_true", help="write the model of --case, do not run it")
    parser.add_argument("--table", action="store_true", help="run all cases, tell each; no shrinking")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/campaign"), help="for failing models")
    return parser.parse_args()


def table(campaign, program, seed, seconds, first, cases):
    """One line for each case, then how often each kind of case ended in which way: a view of what fails today."""
    start, failed, index, endings = time.monotonic(), 0, first, {}
    while index < first + cases and time.monotonic() - start < seconds:
        case = campaign.case(random.Random(f"{campaign.name} {seed} {index}"), index)
        message = campaign.check(program, case)
        failed += message is not None
        print(f"{index:4d} {json.dumps(case)} | {message or 'ok'}", flush=True)
        ending = campaign.kind(message) if message else "ok"
        counts = endings.setdefault(campaign.group(case), {})
        counts[ending] = counts.get(ending, 0) + 1
        index += 1
    for group, counts in sorted(endings.items()):
        print(f"{group:40s} " + ", ".join(f"{count} {ending}" for ending, count in sorted(counts.items())))
    print(f"{index - first} cases, {failed} failed")
    return failed


def main():
    given = arguments()
    seed = given.seed if given.seed is not None else str(int(time.time()))
    program = support.Program(given.program)
    chosen = [CAMPAIGNS[given.name]] if given.name else list(CAMPAIGNS.values())
    findings = 0
    for campaign in chosen:
        campaign.prepare(program)
        if given.show:
            case = campaign.case(random.Random(f"{campaign.name} {seed} {given.case}"), given.case)
            print(f"// {json.dumps(case, default=str)}\n{campaign.text(case)}")
        elif given.table:
            findings += table(campaign, program, seed, given.time, given.first, given.cases or 500)
        else:
            first, count = (given.case, 1) if given.case is not None else (given.first, given.cases)
            findings += support.run_campaign(campaign, program, given.folder, seed, given.time / len(chosen), first, count)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
