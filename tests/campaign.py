#!/usr/bin/env python3
"""Compares what Sleave says of random programs with what can go wrong with them, as the oracle crate has enumerated it.

    cargo build --release -p cli && cargo build --release -p oracle --example tiny
    tests/campaign.py FAMILY FIRST..LAST [--jobs 2] [--configuration NAME]... [--limit SECONDS] [--keep FOLDER]

Families: waiting, locks, heap, bytes, trees, races, memory, lifetimes, mixed. Every configuration of `configurations.txt` is compared, in processes of
their own, so that a search that hangs or dies is one difference and no more. Each difference is printed as

    SEED FILE | right: WHAT CAN HAPPEN | CONFIGURATION | said: VERDICT

and its program is kept. `unknown` is no difference; how often it was said, and why, is counted at the end. What is said is right if it
is `safe` and nothing that was asked for can happen, or a bug of a kind that can. Exits with 1 if there are differences.
`crates/cli/tests/tiny.rs` does the same in one process and much faster.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# How the reference calls what Sleave reports.
KINDS = {"assertion": "Assertion", "memory": "Memory", "lock misuse": "LockMisuse", "deadlock": "Stuck", "race": "Race"}


def configurations(wanted):
    found = {}
    for line in (ROOT / "tests/configurations.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, flags = line.split("|")
            found[name.strip()] = flags.split()
    for name in wanted:
        if name not in found:
            sys.exit(f"no configuration called {name}; there are: {', '.join(found)}")
    return {name: flags for name, flags in found.items() if not wanted or name in wanted}


def asked(flags):
    """The kinds of failures that a configuration looks for."""
    if "--property" not in flags:
        return set(KINDS.values()) - {"Race"}
    names = flags[flags.index("--property") + 1].split(",")
    return {KINDS[name.replace("-", " ")] for name in names}


def say(sleave, file, flags, limit, memory):
    """The verdict, in a word or two. A process that does not end in time, or is killed, is a verdict of its own."""
    command = [sleave, "check", "--quiet", "--no-witness", "--time-limit", str(limit), "--memory-limit", str(memory), *flags, file]
    most = memory * 3 << 20

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (most + (4 << 30), most + (4 << 30)))

    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=6 * limit + 30, preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return "hang"
    found = re.search(r"verdict: (.*)", done.stdout)
    if found and done.returncode in (0, 5, 10):
        return found[1]
    error = (done.stderr.strip().splitlines() or ["nothing"])[0]
    return f"exit {done.returncode}: {error}"


def judge(said, can, looked_for):
    """None if it is right, else what is wrong with it; whether it is undecided."""
    if said.startswith("unknown"):
        return None, True
    kind = re.match(r"bug \((.*)\)", said)
    if kind:
        kinds = {KINDS.get(name.strip(), name) for name in kind[1].split(",")}
        return (None if kinds <= can & looked_for else "impossible"), False
    if said == "safe":
        return ("missed" if can & looked_for else None), False
    return "fault", False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family")
    parser.add_argument("seeds", help="FIRST..LAST")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--configuration", action="append", default=[])
    parser.add_argument("--limit", type=int, default=10, help="seconds for one search")
    parser.add_argument("--memory", type=int, default=1000, help="megabytes for one search")
    parser.add_argument("--keep", default=None, help="where programs are kept that differ")
    parser.add_argument("--sleave", default=str(ROOT / "target/release/sleave"))
    parser.add_argument("--oracle", default=str(ROOT / "target/release/examples/tiny"))
    options = parser.parse_args()
    searches = configurations(options.configuration)
    if options.family == "races":
        searches = {f"{name} race": [*flags, "--property", "race"] for name, flags in searches.items()
                    if not {"--prune", "--commute", "--observers", "--property"} & set(flags)}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign."))
    keep = pathlib.Path(options.keep) if options.keep else folder / "differences"
    keep.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([options.oracle, options.family, options.seeds, str(folder)], capture_output=True, text=True, check=True)
    programs = [line.split() for line in listed.stdout.splitlines()]
    undecided, differences, decided = collections.Counter(), collections.Counter(), 0

    def search(task):
        (name, *words), configuration = task
        flags = searches[configuration]
        said = say(options.sleave, str(folder / name), flags, options.limit, options.memory)
        can = {word for word in words if word in KINDS.values()}
        return name, words, configuration, said, *judge(said, can, asked(flags))

    tasks = [(program, configuration) for program in programs for configuration in searches]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, words, configuration, said, wrong, open_ in pool.map(search, tasks):
            if open_:
                undecided[configuration, said] += 1
            else:
                decided += 1
            if wrong:
                differences[configuration, wrong] += 1
                text = (folder / name).read_text()
                (keep / name).write_text(text)
                print(f"{name} | right: {' '.join(words[:-1]) or 'safe'} | {configuration} | said: {said} ({wrong})", flush=True)
    print(f"{len(programs)} programs, {len(tasks)} searches, {decided} decided, {sum(differences.values())} differences (programs in {keep})")
    for (configuration, wrong), count in sorted(differences.items()):
        print(f"  {count} {wrong} by {configuration}")
    for (configuration, said), count in undecided.most_common(30):
        print(f"  {count} {said} by {configuration}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
