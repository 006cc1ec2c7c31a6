#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures pipeliner: how good its schedules are, what they cost in registers, and why loops are refused.

    bazel build //tools:ptxmir
    bench/pipelining.py                           # tests/corpus
    bench/pipelining.py --flag=-pipeliner-max-mii=1000 FILE.mir ...

The figures come from the pass's own remarks. Cycles per iteration are those of the machine model, for the warps that the
registers of the function allow (passes/pipeliner/kernel_cycles.h). Registers are those that are live in the loop. The
exit status is 1 if fewer than 97 % of the schedules reach the least interval, the level of the paper on swing modulo
scheduling.
"""

import argparse
import collections
import glob
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARGUMENT = re.compile(r"^\s+- (\w+):\s+'?([^'\n]*)'?$", re.MULTILINE)


def remarks(ptxmir, path, flags):
    """Returns the remarks of the pass as (kind, arguments), where arguments is a list of (key, value)."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "remarks.yaml")
        subprocess.run([ptxmir, "-O2", "-enable-pipeliner", *flags, "-pass-remarks-output=" + file,
                        "-pass-remarks-filter=pipeliner", path, "-o", os.devnull], check=True,
                       capture_output=True)
        with open(file, encoding="utf-8") as text:
            for document in re.split(r"^--- ", text.read(), flags=re.MULTILINE)[1:]:
                yield document.split(None, 1)[0], ARGUMENT.findall(document)


def reason_of(arguments):
    """Returns the reason for a refusal, without its numbers."""
    return re.sub(r"\d+(\.\d+)?", "N", dict(arguments).get("Reason", "?"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="MIR files; default: tests/corpus")
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    parser.add_argument("--flag", action="append", default=[], help="an option for ptxmir; may be given several times")
    arguments = parser.parse_args()
    pipelined, refused = [], collections.Counter()
    for path in arguments.files or sorted(glob.glob(os.path.join(ROOT, "tests/corpus/*.mir"))):
        for kind, values in remarks(arguments.ptxmir, path, arguments.flag):
            if kind == "!Passed":
                pipelined.append({key: float(value) for key, value in values if key != "String"})
            else:
                refused[reason_of(values)] += 1
    if not pipelined:
        print("no loop was pipelined")
        return 1
    count = len(pipelined)
    at_minimum = sum(loop["II"] == loop["MII"] for loop in pipelined)
    speedup = math.exp(sum(math.log(loop["OldCycles"] / loop["Cycles"]) for loop in pipelined) / count)
    print(f"loops pipelined                        {count}")
    print(f"  with II = MII                        {at_minimum} ({100 * at_minimum / count:.1f} %)")
    print(f"  mean II / MII                        {sum(loop['II'] / loop['MII'] for loop in pipelined) / count:.3f}")
    print(f"  cycles before / after, geomean       {speedup:.2f}")
    print(f"  stages, mean                         {sum(loop['Stages'] for loop in pipelined) / count:.2f}")
    more = sum(loop["Registers"] - loop["OldRegisters"] for loop in pipelined) / count
    print(f"  registers more in the loop, mean     {more:.1f}")
    print(f"loops refused                          {sum(refused.values())}")
    for reason, number in sorted(refused.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {number:4d}  {reason}")
    return int(at_minimum < 0.97 * count)


if __name__ == "__main__":
    sys.exit(main())
