#!/usr/bin/env python3
"""C itself: programs of csmith, whose checksum is computed natively and asserted under Sleave.

    tests/csmith.py [FIRST..LAST] [--jobs 1] [--limit 20] [--keep FOLDER]

Needs `csmith` and its headers, and a C compiler. Of each seed, a small program is made and run; one that does not end in two seconds is
passed over. Its `main` is then replaced such that the checksum that was printed is asserted, and a second time one that it is not: the
first must be `safe`, the second a bug, if they are decided at all. Says how many were, and exits with 1 if one was wrong.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = ("--max-funcs 3 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 4 --max-array-dim 1 --max-array-len-per-dim 4 "
         "--max-struct-fields 4 --no-packed-struct --no-argc --bitfields --unions --no-volatiles").split()


def make(seed, folder, headers):
    """The program and its checksum; None if it takes too long."""
    source = folder / f"csmith_{seed}.c"
    # It leaves a file behind where it runs.
    command = ["csmith", "--seed", str(seed), *SMALL]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    source.write_text(done.stdout)
    binary = source.with_suffix("")
    subprocess.run(["cc", "-O0", "-w", f"-I{headers}", str(source), "-o", str(binary)], check=True)
    try:
        ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=2)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"checksum = ([0-9A-F]+)", ran.stdout)
    return (source, int(found[1], 16)) if found else None


def with_assertion(source, checksum, name):
    """The checksum is asserted where it would be printed."""
    text = source.read_text()
    asserted = f"if ((crc32_context ^ 0xFFFFFFFFUL) != 0x{checksum:X}UL) __assert_fail(\"checksum\", __FILE__, 0, \"main\");"
    declared = "extern void __assert_fail(const char *, const char *, unsigned, const char *);\n"
    text, count = re.subn(r"platform_main_end\(crc32_context \^ 0xFFFFFFFFUL, print_hash_value\);", asserted, text)
    if count != 1:
        sys.exit(f"{source}: a csmith with another main")
    path = source.with_name(name)
    path.write_text(declared + text)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="?", default="0..500")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--keep", default=None)
    parser.add_argument("--headers", default="/usr/include/csmith")
    parser.add_argument("--sleave", default=str(ROOT / "target/release/sleave"))
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(".."))
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="csmith."))
    folder.mkdir(parents=True, exist_ok=True)

    def check(file):
        command = ["nice", "-n", "19", options.sleave, "check", "--quiet", "--no-witness", "--time-limit", str(options.limit),
                   "--memory-limit", "2000", str(file), "--", f"-I{options.headers}", "-w"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=3 * options.limit + 20)
        except subprocess.TimeoutExpired:
            return "hang"
        found = re.search(r"verdict: (.*)", done.stdout)
        return found[1] if found else f"exit {done.returncode}: {done.stderr.strip()[:200]}"

    def one(seed):
        made = make(seed, folder, options.headers)
        if made is None:
            return seed, ("passed over",), False
        source, checksum = made
        right = check(with_assertion(source, checksum, f"right_{seed}.c"))
        wrong = check(with_assertion(source, checksum ^ 1, f"wrong_{seed}.c"))
        differs = not right.startswith(("safe", "unknown")) or not wrong.startswith(("bug (assertion)", "unknown"))
        return seed, (right, wrong), differs

    said, differences = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, verdicts, differs in pool.map(one, range(first, last)):
            said[verdicts] += 1
            if differs:
                differences += 1
                print(f"seed {seed}: the checksum is right: {verdicts[0]}; it is not: {verdicts[-1]}", flush=True)
    for verdicts, count in said.most_common():
        print(f"{count:5} {' / '.join(verdicts)}")
    print(f"{differences} differences in {folder}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
