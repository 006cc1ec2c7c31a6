#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Measures what -autotune=ptxas costs: runs of ptxas for each kernel, and the processor time outside of ptxas. With
--exhaustive, also whether it chooses what asking ptxas about every version chooses.

    bazel build -c opt //tools:ptxmir
    bench/autotune.py --exhaustive                       # tests/corpus, no limit of registers
    bench/autotune.py --budgets=default,32 FILE.mir ...
"""

import argparse
import collections
import glob
import os
import re
import statistics
import subprocess
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_KERNEL = re.compile(r"^  (\S+): '([^']*)', (.*?)(?:; 'default': .*?)?; asked about (\d+) of (\d+) versions$",
                     re.MULTILINE)
_TIME = re.compile(r"processor time: ptxas ([\d.]+) s, the rest ([\d.]+) s")


class Tuned:
    """What the tuner says of one file: kernels as {name: (set, figures, asked, versions)}, and seconds."""

    def __init__(self, ptxmir, file, budget, is_exhaustive):
        command = [ptxmir, "-O2", "-j1", "-autotune=ptxas", "-autotune-cache=", "-stats", file, "-o", os.devnull]
        if budget != "default":
            command.append(f"-maxreg={budget}")
        if is_exhaustive:
            command.append("-autotune-exhaustive")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        times = _TIME.search(result.stderr)
        self.is_ok = result.returncode == 0 and times is not None
        if not self.is_ok:
            return
        self.kernels = {name: (of, figures, int(asked), int(versions))
                        for name, of, figures, asked, versions in _KERNEL.findall(result.stderr)}
        self.ptxas_seconds, self.rest_seconds = float(times[1]), float(times[2])


def _print_table(budget, tuned, exhaustive, num_refused):
    kernels = [kernel for file in tuned.values() for kernel in file.kernels.values()]
    asked = [kernel[2] for kernel in kernels]
    versions = [kernel[3] for kernel in kernels]
    ptxas = sum(file.ptxas_seconds for file in tuned.values())
    rest = sum(file.rest_seconds for file in tuned.values())
    print(f"registers: {budget}; {len(kernels)} kernels in {len(tuned)} files ({num_refused} left out)")
    print(f"  versions of a kernel:     median {statistics.median(versions):g}, mean {statistics.mean(versions):.2f}")
    print(f"  runs of ptxas, a kernel:  median {statistics.median(asked):g}, mean {statistics.mean(asked):.2f}, "
          f"most {max(asked)}")
    print(f"  processor time:           {ptxas:.1f} s ptxas, {rest:.1f} s the rest ({100 * rest / (ptxas + rest):.1f} %)")
    chosen = collections.Counter(kernel[0] for kernel in kernels)
    print("  chosen:                   " + ", ".join(f"{name} {count}" for name, count in chosen.most_common()))
    if not exhaustive:
        return
    different = [f"{os.path.basename(path)} {name}" for path, file in exhaustive.items()
                 for name, kernel in file.kernels.items() if kernel[0] != tuned[path].kernels[name][0]]
    ptxas_all = sum(file.ptxas_seconds for file in exhaustive.values())
    print(f"  exhaustive:               {ptxas_all:.1f} s ptxas; {len(different)} kernels are given another set")
    for name in different:
        print(f"    {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.mir")
    parser.add_argument("--budgets", default="default", metavar="R,R", help="-maxreg; 'default': none")
    parser.add_argument("--exhaustive", action="store_true", help="also ask about every version, and compare")
    parser.add_argument("--ptxmir", default=os.path.join(_ROOT, "bazel-bin/tools/ptxmir"))
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(_ROOT, "tests/corpus/*.mir")))
    for budget in options.budgets.split(","):
        tuned, exhaustive, num_refused = {}, {}, 0
        for path in files:
            result = Tuned(options.ptxmir, path, budget, is_exhaustive=False)
            if not result.is_ok:
                num_refused += 1
                continue
            tuned[path] = result
            if options.exhaustive:
                exhaustive[path] = Tuned(options.ptxmir, path, budget, is_exhaustive=True)
        if not tuned:
            print(f"registers: {budget}: nothing was compiled; is ptxas there?", file=sys.stderr)
            return 1
        _print_table(budget, tuned, exhaustive, num_refused)
    return 0


if __name__ == "__main__":
    sys.exit(main())
