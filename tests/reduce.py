#!/usr/bin/env python3
"""Makes a C program small on which Sleave says something wrong.

    tests/reduce.py FILE --flags "--por none" --flags ""           the two still differ (say safe and bug, or two kinds of bugs)
    tests/reduce.py FILE --flags "" --said "safe" --other "--por none" --expected "bug"
                                                                   the first still says the one, the other the other
    tests/reduce.py FILE --flags "" --said "exit 6"                it still says this

What is said is compared by how it begins: `safe`, `bug`, `bug (deadlock)`, `unknown`, `exit 6`, `hang`. A candidate must compile,
without warnings that the first program does not have. Pieces are left out, from halves down to single lines, then whole blocks in
braces, braces around blocks, and statements within lines, until nothing more can be. The result goes to FILE.small.c, or --output.
Plain delta debugging, in the same spirit as creduce, which is better at it where it is installed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Checker:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="reduce."))
        self.file = self.folder / ("program" + pathlib.Path(options.file).suffix)
        self.output = pathlib.Path(options.output or str(pathlib.Path(options.file).with_suffix(".small.c")))
        self.known = {}
        self.tried = 0

    def say(self, flags):
        command = [self.options.sleave, "check", "--quiet", "--no-witness", "--time-limit", str(self.options.limit),
                   "--memory-limit", "2000", *flags.split(), str(self.file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=4 * self.options.limit + 20)
        except subprocess.TimeoutExpired:
            return "hang"
        found = re.search(r"verdict: (.*)", done.stdout)
        return found[1] if found and done.returncode in (0, 5, 10) else f"exit {done.returncode}"

    def warnings(self, text):
        """What the compiler complains of, or None if it does not compile."""
        self.file.write_text(text)
        done = subprocess.run([*self.options.compiler.split(), "-fsyntax-only", "-Wall", "-Wno-unused", str(self.file)],
                              capture_output=True, text=True)
        return None if done.returncode else set(re.findall(r"\[-W([a-z-]+)", done.stderr))

    def holds(self, text):
        if text in self.known:
            return self.known[text]
        self.tried += 1
        self.known[text] = self.judge(text)
        if self.known[text]:
            # Whoever has no patience finds what there is so far.
            self.output.write_text(text)
        return self.known[text]

    def judge(self, text):
        warnings = self.warnings(text)
        if warnings is None or warnings - self.allowed:
            return False
        options = self.options
        first = self.say(options.flags[0])
        if options.said is not None and not first.startswith(options.said):
            return False
        if options.expected is not None:
            return self.say(options.other).startswith(options.expected)
        if len(options.flags) == 2:
            second = self.say(options.flags[1])
            # What is open differs from nothing.
            return first != second and not first.startswith("unknown") and not second.startswith("unknown")
        return True


def fewer(pieces, join, holds):
    """Leaves out ever smaller runs of pieces, going on behind each that could be left out."""
    size = max(len(pieces) // 2, 1)
    while True:
        at, found = 0, False
        while at < len(pieces):
            candidate = pieces[:at] + pieces[at + size:]
            if candidate and holds(join(candidate)):
                pieces, found = candidate, True
            else:
                at += size
        if size == 1 and not found:
            return pieces
        size = max(size // 2, 1)


def blocks(text):
    """Where each pair of braces is."""
    stack = []
    for at, letter in enumerate(text):
        if letter == "{":
            stack.append(at)
        elif letter == "}" and stack:
            yield stack.pop(), at


def without_blocks(text, holds):
    """Leaves out what is in braces, or the statement in front of them with them, or only the braces."""
    found = True
    while found:
        found = False
        for start, end in sorted(blocks(text), key=lambda pair: pair[0] - pair[1]):
            head = max(text.rfind(mark, 0, start) for mark in (";", "}", "{")) + 1
            candidates = (text[:head] + text[end + 1:], text[:start] + "{}" + text[end + 1:],
                          text[:head] + text[start + 1:end] + text[end + 1:])
            for candidate in candidates:
                if candidate != text and holds(candidate):
                    text, found = candidate, True
                    break
            if found:
                break
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--flags", action="append", required=True)
    parser.add_argument("--said")
    parser.add_argument("--other", default="")
    parser.add_argument("--expected")
    parser.add_argument("--output")
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--sleave", default=str(ROOT / "target/release/sleave"))
    parser.add_argument("--compiler", default="cc -std=gnu11")
    options = parser.parse_args()
    if len(options.flags) > 2 or len(options.flags) == 1 and options.said is None:
        parser.error("give --flags twice, or --said")
    checker = Checker(options)
    text = pathlib.Path(options.file).read_text()
    checker.allowed = checker.warnings(text)
    if checker.allowed is None or not checker.holds(text):
        sys.exit(f"{options.file} does not compile, or does not do what it should keep doing")
    before = None
    while before != text:
        before = text
        lines = fewer(text.split("\n"), "\n".join, checker.holds)
        text = without_blocks("\n".join(lines), checker.holds)
        statements = re.split(r"(?<=;)", text)
        text = "".join(fewer(statements, "".join, checker.holds))
    checker.output.write_text(text)
    print(f"{len(text.splitlines())} lines in {checker.output}, after {checker.tried} candidates")


if __name__ == "__main__":
    main()
