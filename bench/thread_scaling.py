#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ptxmir on one module with -j1, -j2 ... alternately, and checks that the output is the same.

    bazel build -c opt //tools:ptxmir //bench:generate_mir
    bench/thread_scaling.py [--threads 1,2] [--runs 10] [FILE.mir]

Without a file, it uses a generated module of 2,000 functions with 500 instructions each. The figures are the minimum
wall-clock time of the runs, so run it on an idle machine. Reading and printing are not parallel, but overlap with
passes. So the speed-up comes closer to the number of threads if passes do more work. Verification after every pass
simulates that.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXMIR = os.path.join(ROOT, "bazel-bin/tools/ptxmir")
GENERATE = os.path.join(ROOT, "bazel-bin/bench/generate_mir")


def run(command):
    """Returns the wall-clock seconds of a process that must succeed."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--functions", type=int, default=2000)
    parser.add_argument("--json", metavar="FILE", help="write the seconds by options and number of threads")
    arguments = parser.parse_args()
    threads = [int(count) for count in arguments.threads.split(",")]

    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file
        if path is None:
            path = os.path.join(folder, "generated.mir")
            with open(path, "wb") as out:
                subprocess.run([GENERATE, str(500 * arguments.functions), str(arguments.functions)], stdout=out,
                               check=True)
        seconds = {}
        print(f"{'options':<32}" + "".join(f"{'-j' + str(count):>10}" for count in threads) + f"{'speed-up':>10}")
        for options in (["-O0"], ["-O2"], ["-O2", "-verify-machineinstrs"]):
            outputs = {count: os.path.join(folder, f"{count}.ptx") for count in threads}
            best = dict.fromkeys(threads, float("inf"))
            for _ in range(arguments.runs):
                for count in threads:
                    command = [PTXMIR, *options, f"-j{count}", path, "-o", outputs[count]]
                    best[count] = min(best[count], run(command))
            contents = {open(output, "rb").read() for output in outputs.values()}
            if len(contents) != 1:
                sys.exit("the output depends on the number of threads")
            seconds[" ".join(options)] = [best[count] for count in threads]
            row = "".join(f"{best[count]:>9.3f}s" for count in threads)
            print(f"{' '.join(options):<32}{row}{best[threads[0]] / best[threads[-1]]:>9.2f}x")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(seconds, file)


if __name__ == "__main__":
    main()
