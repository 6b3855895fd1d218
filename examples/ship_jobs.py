#!/usr/bin/env python3
"""Checks a program by processes that share nothing but files: one `sleave explore-job` per job, several at a time.

    examples/ship_jobs.py [--processes N] [--executions N] PROGRAM.bc [-- CLANG FLAGS]

A job is plain data, so the same works across machines: copy the program and the job there, and the result back.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sleave", default="sleave")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--executions", type=int, default=10000, help="that one job does, at most")
    parser.add_argument("program")
    parser.add_argument("clang_flags", nargs="*")
    options = parser.parse_args()
    program = [options.program, "--", *options.clang_flags]

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        first = folder / "0.json"
        subprocess.run([options.sleave, "check", "--all", "--job", first, *program], check=True)

        def run(number):
            result = folder / f"{number}.result.json"
            command = [options.sleave, "explore-job", folder / f"{number}.json", "-o", result]
            command += ["--quiet", "--executions", str(options.executions), *program]
            code = subprocess.run(command).returncode
            if code not in (0, 5, 10):
                raise SystemExit(f"sleave explore-job failed with exit code {code}")
            return json.loads(result.read_text())

        # What is found before a search starts over is void: results of an older round do not count.
        round_, jobs, executions, faults, gave_up = 0, 1, 0, {}, set()
        with ThreadPoolExecutor(options.processes) as pool:
            running = {pool.submit(run, 0): round_}
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    if running.pop(future) != round_:
                        continue
                    if result["starts_over"]:
                        round_, executions, faults, gave_up = round_ + 1, 0, {}, set()
                    executions += result["runs"]["complete"]
                    faults |= {(f["property"], f["location"]): f for f in result["faults"]}
                    if result["verdict"] == "unknown":
                        gave_up.add(result["reason"])
                    for job in result["leftover"]:
                        (folder / f"{jobs}.json").write_text(json.dumps(job))
                        running[pool.submit(run, jobs)] = round_
                        jobs += 1

    for (property_, location) in sorted(faults):
        print(f"{location}: {property_}")
    print(f"{executions} executions in {jobs} jobs")
    verdict = "bug" if faults else f"unknown ({', '.join(sorted(gave_up))})" if gave_up else "safe"
    print(f"verdict: {verdict}")
    sys.exit(10 if faults else 5 if gave_up else 0)


if __name__ == "__main__":
    main()
