#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what each pass is worth: it switches off, one at a time, each pass that runs by default, and switches on each
one that does not.

    bazel build -c opt //tools:ptxmir //bench:compare_executed
    bench/pass_effects.py                                            # tests/corpus
    bench/pass_effects.py --budgets=default,32 --only=peephole-opt,machine-cse DIR

The passes and the flags that switch them are those of `ptxmir --print-passes`. The table has a row for each of them, with
ratios of the result with the pass to that without it, over the kernels of all files: less than 1 means that the pass
saves something. Registers, machine code, executed instructions and compile time (of the whole compilation) are geometric
means over kernels (files, for time), and spill bytes are of bytes + 4, as in bench/registers.py. A second table names
the kernels that a pass costs most. The last lines compare the instructions executed by default with those of llc's code.

With --alone, passes are also switched on one at a time where all others that can be switched are off.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

from registers.cache import Cache, default_folder, file_hash
from registers.compilers import NO_LIMIT, Ptxmir
from registers.harness import Harness, Tools
from registers.inputs import find_inputs
from registers.processes import Runner, find_tool
from registers.progress import Progress
from registers.ptxas import Occupancy, Ptxas
from registers.summary import geometric_mean

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFAULT = "default"
LEAST = "least"
_PASS = re.compile(r"^ +\d+  (\S+) .*\n +to switch (on|off): (.*)$", re.MULTILINE)
_LLC_END = "stack-frame-layout"  # the last pass before llc's printer


def switchable_passes(text):
    """Returns (name, "on" or "off", flags) of each pass in the output of --print-passes. Passes that stand in several
    places and have one switch are listed once."""
    passes = {}
    for name, direction, flags in _PASS.findall(text):
        passes.setdefault(name.split(",")[0], (direction, shlex.split(flags)))
    return [(name, *of) for name, of in passes.items()]


def option_sets(passes, alone):
    """Returns {name of the set: flags} and the comparisons as (pass, state, set with it, set without it)."""
    sets, comparisons = {DEFAULT: ["-O2"]}, []
    for name, direction, flags in passes:
        changed = f"{name} {direction}"
        sets[changed] = ["-O2", *flags]
        pair = (DEFAULT, changed) if direction == "off" else (changed, DEFAULT)
        comparisons.append((name, "on" if direction == "off" else "off", *pair))
    if alone:
        by_default = [(name, flags) for name, direction, flags in passes if direction == "off"]
        sets[LEAST] = ["-O2", *(flag for _, flags in by_default for flag in flags)]
        for name, flags in by_default:
            others = [flag for other, of in by_default if other != name for flag in of if flag not in flags]
            sets[name + " alone"] = ["-O2", *others]
            comparisons.append((name, "alone", name + " alone", LEAST))
    return sets, comparisons


class Effects:
    """The figures of a run, by option set and budget."""

    def __init__(self, run):
        self._run = run
        self._by_setting = {}
        for row in run.rows:
            if row["ptxmir"] and "registers" in row["ptxmir"]:
                key = row["options"], row["budget"]
                self._by_setting.setdefault(key, {})[row["file"], row["kernel"]] = row["ptxmir"]

    def pairs(self, with_pass, without, budget, figure):
        """Returns [(kernel, value with, value without)] of the kernels that have the figure in both."""
        ours, theirs = (self._by_setting.get((name, budget), {}) for name in (with_pass, without))
        return [(kernel, ours[kernel][figure], theirs[kernel][figure]) for kernel in ours
                if kernel in theirs and figure in ours[kernel] and figure in theirs[kernel]]

    def mean(self, with_pass, without, budget, figure, plus=0):
        return geometric_mean([(a + plus) / (b + plus) for _, a, b in self.pairs(with_pass, without, budget, figure)
                               if a + plus > 0 and b + plus > 0])

    def time(self, with_pass, without):
        ours, theirs = (self._run.seconds.get(("ptxmir", name, NO_LIMIT), {}) for name in (with_pass, without))
        files = [file for file in ours if theirs.get(file)]
        total = sum(theirs[file] for file in files)
        return sum(ours[file] for file in files) / total if total else None

    def worst(self, with_pass, without, budget, figure):
        """Returns the kernel that the pass costs most, with its ratio, or None if it costs none anything."""
        pairs = [(a / b, kernel) for kernel, a, b in self.pairs(with_pass, without, budget, figure) if b > 0]
        ratio, kernel = max(pairs, default=(0, None))
        return (kernel, ratio) if ratio > 1 else None


def _row(effects, comparison, budgets):
    name, state, with_pass, without = comparison
    row = {"pass": name, "state": state, "executed": effects.mean(with_pass, without, budgets[0], "executed")}
    for budget in budgets:
        registers = effects.pairs(with_pass, without, budget, "registers")
        row[f"registers {budget}"] = effects.mean(with_pass, without, budget, "registers")
        row[f"spills {budget}"] = effects.mean(with_pass, without, budget, "spill_bytes", plus=4)
        row[f"fewer {budget}"] = sum(a < b for _, a, b in registers)
        row[f"more {budget}"] = sum(a > b for _, a, b in registers)
    row["code"] = effects.mean(with_pass, without, budgets[0], "code_bytes")
    row["time"] = effects.time(with_pass, without)
    row["worst registers"] = effects.worst(with_pass, without, budgets[0], "registers")
    row["worst executed"] = effects.worst(with_pass, without, budgets[0], "executed")
    return row


def _print_table(rows, budgets):
    columns = ["executed"]
    for budget in budgets:
        columns += [f"registers {budget}", f"fewer {budget}", f"more {budget}", f"spills {budget}"]
    columns += ["code", "time"]
    width = max(len(row["pass"]) for row in rows) + 2
    print("pass".ljust(width) + "default  " + "  ".join(columns))
    for row in rows:
        cells = []
        for column in columns:
            value = row[column]
            text = "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
            cells.append(text.rjust(len(column)))
        print(row["pass"].ljust(width) + row["state"].ljust(9) + "  ".join(cells))
    print("\nkernels that a pass costs most")
    for row in rows:
        for figure in ("registers", "executed"):
            if (worst := row["worst " + figure]) is not None:
                (file, kernel), ratio = worst
                print(f"  {row['pass']}: {figure} x {ratio:.3f} in {file} {kernel}")


def _executed(source, llc, arguments, runner, cache):
    """Returns {kernel: (instructions executed by the code of llc -O2, by that of ptxmir -O2)}, on the same inputs."""
    target = ["-mcpu=" + source.sm] + (["-mattr=" + source.attributes] if source.attributes else [])

    def make():
        with runner.folder() as folder:
            versions = []
            for name, tool in (("llc", llc), ("ptxmir", arguments.ptxmir)):
                versions.append(folder.path(name + ".mir"))
                outcome = runner.run([tool, "-O2", *target, "-start-after=" + source.stage, "-stop-after=" + _LLC_END,
                                      source.path, "-o", versions[-1]])
                if not outcome.ok:
                    return {}, outcome.is_final
            outcome = runner.run([arguments.compare_executed, *versions])
            lines = [line.split(" ", 4) for line in outcome.stdout.splitlines()]
            return {name: (int(before), int(after)) for before, after, _, _, name in lines}, outcome.is_final

    key = ["executed", file_hash(llc), file_hash(arguments.ptxmir), file_hash(arguments.compare_executed), *target]
    return cache.get([*key, source.hash()], make)


def _compare_with_llc(inputs, llc, arguments, runner, cache):
    """Prints and returns how many instructions are executed by default for each one that llc's code executes."""
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda source: _executed(source, llc, arguments, runner, cache), inputs))
    ratios = sorted((ours / theirs, f"{source.name} {kernel}")
                    for source, kernels in zip(inputs, found) for kernel, (theirs, ours) in kernels.items() if theirs)
    if not ratios:
        return None
    above = [entry for entry in reversed(ratios) if entry[0] > 1.02]
    mean = geometric_mean([ratio for ratio, _ in ratios])
    print(f"\nexecuted, to llc's code: {mean:.4f} over {len(ratios)} kernels; {len(above)} above 1.02")
    for ratio, name in above[:20]:
        print(f"  {ratio:.3f}  {name}")
    return {"geomean": mean, "kernels": len(ratios), "above": len(above), "most": ratios[-1][0]}


def _parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*", metavar="DIR or FILE.mir", default=[os.path.join(ROOT, "tests/corpus")])
    parser.add_argument("--budgets", default="default,32,40,64", metavar="R,R")
    parser.add_argument("--only", default="", metavar="PASS,PASS", help="only these passes")
    parser.add_argument("--alone", action="store_true", help="also switch passes on alone")
    parser.add_argument("--sm", help="GPU (default: what each file was made for)")
    parser.add_argument("--mattr", help="PTX version, '+ptx88' (default: what each file was made for)")
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    parser.add_argument("--compare-executed", default=os.path.join(ROOT, "bazel-bin/bench/compare_executed"))
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--llc", default="llc-22", help="'none': do not compare with it")
    parser.add_argument("--cache", default=default_folder(), metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N")
    return parser


def main():
    arguments = _parser().parse_args()
    ptxas = find_tool(arguments.ptxas)
    if ptxas is None or not os.access(arguments.ptxmir, os.X_OK):
        print("pass_effects.py: needs ptxas, and a ptxmir: bazel build -c opt //tools:ptxmir", file=sys.stderr)
        return 2
    runner, cache = Runner(timeout=600), Cache(arguments.cache or None)
    text = subprocess.run([arguments.ptxmir, "--print-passes"], check=True, capture_output=True, text=True).stdout
    only = arguments.only.split(",") if arguments.only else []
    passes = [entry for entry in switchable_passes(text) if not only or entry[0] in only]
    unknown = set(only) - {name for name, _, _ in passes}
    if unknown:
        print("pass_effects.py: nothing switches " + ", ".join(sorted(unknown)), file=sys.stderr)
        return 2
    sets, comparisons = option_sets(passes, arguments.alone)
    budgets = arguments.budgets.split(",")
    inputs = find_inputs(arguments.places, arguments.sm, arguments.mattr)
    ptxmir = Ptxmir(arguments.ptxmir, runner, cache, count_executed=True)
    tools = Tools(ptxmir, Ptxas(ptxas, [], False, runner, cache), Occupancy(ptxmir, runner, cache))
    run = Harness(tools, sets, budgets, keep_reports=False).run(inputs, arguments.jobs, Progress())
    effects = Effects(run)
    rows = [_row(effects, comparison, budgets) for comparison in comparisons]
    _print_table(rows, budgets)
    for failure in run.failures:
        print(f"failed: {failure['file']}, {failure['options']}, {failure['budget']}: {failure['error']}")
    llc = find_tool(arguments.llc)
    to_llc = _compare_with_llc(inputs, llc, arguments, runner, cache) if llc is not None else None
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"passes": rows, "to_llc": to_llc}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
