#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the copies that are left after register coalescing by ptxmir and by llc-22, from the same MIR.

    bazel build -c opt //tools:ptxmir
    bench/copies.py                       # tests/corpus
    bench/copies.py --show FILE.mir ...   # also each function in which ptxmir has more

The input of PHI elimination is the same for both: the MIR of ptxmir before processimpdefs. The script counts COPYs,
and moves of constants, because both coalescers replace some copies by such moves; so the sum is what to compare.
"Executed" counts all thread instructions at the end of register coalescing, in the interpreter on generated inputs. The
code is otherwise the same, so the difference is copies and constants. Kernels that the interpreter cannot decide are
left out. The exit status is 1 if the total of copies and constants exceeds llc's.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXMIR = os.path.join(ROOT, "bazel-bin/tools/ptxmir")
LLC_FLAGS = ["-mtriple=nvptx64-nvidia-cuda", "-start-before=processimpdefs", "-stop-after=register-coalescer"]

COPY = re.compile(r"\s+(?:dead )?%\S+ = COPY %")
CONSTANT = re.compile(r"\s+(?:dead )?%\S+ = MOV_\w+_(?:i|sym)\b")
Counts = collections.namedtuple("Counts", "copies constants")


def count(path):
    """Returns the numbers of copies and moves of constants of each function of a MIR file."""
    counts = {}
    function = None
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("name:"):
                function = line.split()[1]
                counts[function] = Counts(0, 0)
            elif function and COPY.match(line):
                counts[function] = counts[function]._replace(copies=counts[function].copies + 1)
            elif function and CONSTANT.match(line):
                counts[function] = counts[function]._replace(constants=counts[function].constants + 1)
    return counts


def executed(ptxmir, path):
    """Returns the thread instructions executed by each kernel, except kernels that the interpreter cannot decide."""
    report = path + ".json"
    result = subprocess.run(
        [ptxmir, "-start-after=register-coalescer", "-count-executed", "-pressure-report=" + report, path, "-o",
         os.devnull], capture_output=True)
    if result.returncode != 0:
        return {}
    with open(report) as text:
        functions = json.load(text)["functions"]
    return {f["name"]: f["executed"]["input"] for f in functions if f.get("executed") and not f["executed"]["undecided"]}


def compare(path, arguments, folder):
    """Returns [(function, our counts, llc's, our executed or None, llc's)], or None if a tool rejects it."""
    name = os.path.join(folder, os.path.basename(path))
    start, ours, theirs = name + ".start.mir", name + ".ours.mir", name + ".llc.mir"
    if subprocess.run([arguments.ptxmir, "-stop-before=processimpdefs", path, "-o", start],
                      capture_output=True).returncode != 0:
        return None
    subprocess.run([arguments.ptxmir, *arguments.ptxmir_options.split(), "-start-before=processimpdefs",
                    "-stop-after=register-coalescer", start, "-o", ours], check=True)
    if subprocess.run([arguments.llc, *LLC_FLAGS, start, "-o", theirs], capture_output=True).returncode != 0:
        return None
    our_counts, their_counts = count(ours), count(theirs)
    ran = [{}, {}] if arguments.static else [executed(arguments.ptxmir, ours), executed(arguments.ptxmir, theirs)]
    return [(function, our_counts[function], their_counts[function], ran[0].get(function), ran[1].get(function))
            for function in our_counts if function in their_counts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--ptxmir", default=PTXMIR)
    parser.add_argument("--ptxmir-options", default="")
    parser.add_argument("--llc", default="llc-22")
    parser.add_argument("--show", action="store_true", help="functions in which ptxmir has more")
    parser.add_argument("--static", action="store_true", help="execute nothing")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if shutil.which(arguments.llc) is None:
        sys.exit(f"{arguments.llc} is not installed (./setup --peers)")
    files = arguments.files or sorted(glob.glob(os.path.join(ROOT, "tests/corpus/*.mir")))
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, functions in zip(files, pool.map(lambda path: compare(path, arguments, folder), files)):
            if functions is None:
                totals["refused"] += 1
                continue
            for function, ours, theirs, we_ran, they_ran in functions:
                totals.update({"functions": 1, "our copies": ours.copies, "their copies": theirs.copies,
                               "our constants": ours.constants, "their constants": theirs.constants})
                totals["fewer"] += sum(ours) < sum(theirs)
                totals["more"] += sum(ours) > sum(theirs)
                if we_ran is not None and they_ran is not None:
                    totals.update({"kernels": 1, "we ran": we_ran, "they ran": they_ran})
                    totals["ran fewer"] += we_ran < they_ran
                    totals["ran more"] += we_ran > they_ran
                if arguments.show and (sum(ours) > sum(theirs) or (we_ran or 0) > (they_ran or we_ran or 0)):
                    print(f"{os.path.basename(path)} {function}: {ours} {we_ran}, llc {theirs} {they_ran}")
    print(f"{len(files) - totals['refused']} files, {totals['functions']} functions; {totals['refused']} files refused")
    print(f"{'':<24}{'ptxmir':>12}{'llc':>12}")
    our_sum = totals["our copies"] + totals["our constants"]
    their_sum = totals["their copies"] + totals["their constants"]
    for title, ours, theirs in (("copies", totals["our copies"], totals["their copies"]),
                                ("moves of constants", totals["our constants"], totals["their constants"]),
                                ("sum", our_sum, their_sum), ("executed in all", totals["we ran"], totals["they ran"])):
        print(f"{title:<24}{ours:>12,}{theirs:>12,}")
    print(f"sum: fewer in {totals['fewer']} functions, more in {totals['more']}; executed: fewer in "
          f"{totals['ran fewer']} kernels, more in {totals['ran more']} of {totals['kernels']}")
    sys.exit(our_sum > their_sum)


if __name__ == "__main__":
    main()
