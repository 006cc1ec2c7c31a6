#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how time and memory of ptxmir grow with the size of a single function, for several shapes of code.

    bazel build -c opt //tools:ptxmir //bench:generate_mir
    bench/scaling.py [--level=2]

Each line is a shape: seconds of the processor at each size (the least of several runs, start-up included), the slope
between the first and the last size on logarithmic scales, where 1 is linear, and peak memory by instruction at the
largest size.
"""

import argparse
import json
import math
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHAPES = ("segments", "one-block", "small-blocks", "loop-nest")


def run(command):
    """Returns the CPU seconds and the peak resident bytes of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"scaling: {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    parser.add_argument("--generate", default=os.path.join(ROOT, "bazel-bin/bench/generate_mir"))
    parser.add_argument("--level", type=int, default=2, choices=range(4))
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    results = {"sizes": sizes, "shapes": {}}
    print(f"{'shape':<14}" + "".join(f"{size:>12}" for size in sizes) + f"{'slope':>8}{'B/instr':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            seconds, memory = [], 0
            for size in sizes:
                path = os.path.join(folder, "function.mir")
                with open(path, "wb") as out:
                    subprocess.run([args.generate, str(size), "1", "1", shape], stdout=out, check=True)
                figures = [run([args.ptxmir, f"-O{args.level}", "-j1", path, "-o", os.devnull])
                           for _ in range(args.runs)]
                seconds.append(min(figure[0] for figure in figures))
                memory = max(figure[1] for figure in figures) / size
            results["shapes"][shape] = {"seconds": seconds, "bytes_per_instruction": memory}
            slope = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
            print(f"{shape:<14}" + "".join(f"{second:>12.3f}" for second in seconds) + f"{slope:>8.2f}{memory:>10.0f}",
                  flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
