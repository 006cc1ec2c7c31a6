#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what kernels compute on a GPU with what they compute in the interpreter.

    bazel build -c opt //tools:ptxmir //tools/run:ptxmir-run && tools/run/build_gpu_run .
    tools/run/compare_with_gpu.py --ptxmir=bazel-bin/tools/ptxmir --ptxmir-run=bazel-bin/tools/run/ptxmir-run \\
        --gpu-run=./ptxmir-gpu-run tests/corpus

Each kernel of the MIR files runs on inputs that ptxmir-run --generate creates. If it succeeds in the interpreter, the
PTX that ptxmir prints at each level runs on the GPU with the same input, and the buffers are compared. Bits that are
undefined in the interpreter may have any value. Two words are near if they are floats (f16, f32 or f64) that differ
only by rounding: a GPU rounds approximate functions and tensor core products differently, and its atomics add in a
different order.

Prints a line for each kernel, and counts. The exit status is 1 if a kernel differs on an input or fails on the GPU.
"""

import argparse
import collections
import concurrent.futures
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

EQUAL, NEAR, DIFFERENT, FAILED, NOT_RUN = "equal", "near", "different", "failed", "not run"
_OUTCOMES = (EQUAL, NEAR, DIFFERENT, FAILED, NOT_RUN)

# The float formats: the code of the struct module, the smallest normal number, and the relative error that counts as
# rounding. A float is looked for at multiples of its size. Integers that are not large, and pairs of them, are not
# normal numbers.
_FLOATS = (("<2e", 2**-14, 1e-2), ("<f", 2**-126, 1e-4), ("<d", 2**-1022, 1e-11))


def kernels_of(ptx):
    """Returns the names of the kernels that a PTX text defines."""
    return re.findall(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+([\w$]+)", ptx, re.MULTILINE)


def _are_near(a, b, smallest, tolerance):
    if math.isnan(a) and math.isnan(b):
        return True
    if not math.isfinite(a) or not math.isfinite(b) or min(abs(a), abs(b)) < smallest:
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def _is_rounding(before, after, at):
    """Returns true if the floats of some format at byte `at` are near."""
    for spelling, smallest, tolerance in _FLOATS:
        size = struct.calcsize(spelling)
        begin = at // size * size
        if begin + size > len(before):
            continue
        values = zip(struct.unpack_from(spelling, before, begin), struct.unpack_from(spelling, after, begin))
        if all(_are_near(a, b, smallest, tolerance) for a, b in values):
            return True
    return False


def compare(before, after, undefined):
    """Returns the outcome for one buffer and the first byte that causes it. `undefined` holds its undefined bits or is
    empty."""
    if len(before) != len(after):
        return DIFFERENT, min(len(before), len(after))
    if before == after:
        return EQUAL, None
    outcome, place = EQUAL, None
    for at, (a, b) in enumerate(zip(before, after)):
        if a == b or not (a ^ b) & ~(undefined[at] if undefined else 0):
            continue
        if not _is_rounding(before, after, at):
            return DIFFERENT, at
        if outcome == EQUAL:
            outcome, place = NEAR, at
    return outcome, place


def _read(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def compare_folders(interpreted, executed):
    """Returns the worst outcome over the arguments saved by ptxmir-run and ptxmir-gpu-run, and its place."""
    worst, place = EQUAL, ""
    for name in sorted(os.listdir(interpreted)):
        if not name.endswith(".after"):
            continue
        outcome, at = compare(_read(os.path.join(interpreted, name)), _read(os.path.join(executed, name)),
                              _read(os.path.join(interpreted, name.replace(".after", ".undefined"))))
        if _OUTCOMES.index(outcome) > _OUTCOMES.index(worst):
            worst, place = outcome, f"{name.removesuffix('.after')}, byte {at}"
    return worst, place


class Comparison:
    def __init__(self, options):
        self.options = options

    def _run(self, command):
        """Returns the exit status and the first line of stderr."""
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=self.options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return 124, f"not done in {self.options.timeout} seconds"
        lines = done.stderr.strip().splitlines()
        return done.returncode, lines[0] if lines else ""

    def compile(self, mir, folder):
        """Returns (the paths of the PTX of each level, ""), or (None, an error message)."""
        paths = []
        for level in self.options.levels:
            paths.append(os.path.join(folder, f"O{level}.ptx"))
            status, message = self._run([self.options.ptxmir, f"-O{level}", mir, "-o", paths[-1]])
            if status != 0:
                return None, message
        return paths, ""

    def run_kernel(self, mir, ptx_files, kernel):
        """Returns (input, level, outcome, place or reason) for all runs of a kernel."""
        runs = []
        for number in range(self.options.inputs):
            with tempfile.TemporaryDirectory() as interpreted:
                status, message = self._run([self.options.ptxmir_run, mir, f"--kernel={kernel}", f"--generate={number}",
                                             f"--save={interpreted}", "--show=nothing"])
                if status != 0:
                    runs.append((number, None, NOT_RUN, message))
                    continue
                with open(os.path.join(interpreted, "options"), encoding="utf-8") as file:
                    launch = file.read().splitlines()
                for level, ptx in zip(self.options.levels, ptx_files):
                    with tempfile.TemporaryDirectory() as executed:
                        status, message = self._run([self.options.gpu_run, ptx, *launch, f"--save={executed}",
                                                     "--show=nothing"])
                        outcome = (FAILED, message) if status != 0 else compare_folders(interpreted, executed)
                        runs.append((number, level, *outcome))
        return runs

    def run_file(self, mir):
        """Returns the runs of each kernel of a file, keyed by the kernel's name."""
        with tempfile.TemporaryDirectory() as folder:
            ptx_files, message = self.compile(mir, folder)
            if ptx_files is None:
                return {"(all)": [(None, None, NOT_RUN, message)]}
            kernels = kernels_of(_read(ptx_files[0]).decode())
            return {kernel: self.run_kernel(mir, ptx_files, kernel) for kernel in kernels}


def _report(mir, results, counts, out):
    for kernel, runs in results.items():
        by_outcome = collections.Counter(run[2] for run in runs)
        counts.update(by_outcome)
        figures = ", ".join(f"{by_outcome[outcome]} {outcome}" for outcome in _OUTCOMES if by_outcome[outcome])
        print(f"{os.path.basename(mir)}: {kernel}: {figures}", file=out)
        for number, level, outcome, where in runs:
            if outcome in (DIFFERENT, FAILED) or (outcome == NOT_RUN and number in (None, 0)):
                run = "" if number is None else f" input {number}" + ("" if level is None else f" at -O{level}") + ":"
                print(f"   {run} {outcome}: {where}", file=out)
    out.flush()


def _files(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".mir"))
        else:
            yield path


def main(arguments, out=sys.stdout):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxmir", default="bazel-bin/tools/ptxmir")
    parser.add_argument("--ptxmir-run", default="bazel-bin/tools/run/ptxmir-run")
    parser.add_argument("--gpu-run", default="./ptxmir-gpu-run")
    parser.add_argument("--inputs", type=int, default=3, help="of each kernel (default: 3)")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=["0", "2"],
                        help="what ptxmir compiles at (default: 0,2)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a run (default: 60)")
    parser.add_argument("-j", type=int, default=1, help="files at a time (default: 1)")
    parser.add_argument("paths", nargs="+", help="MIR files, or folders of them")
    options = parser.parse_args(arguments)
    comparison = Comparison(options)
    files = list(_files(options.paths))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for mir, results in zip(files, pool.map(comparison.run_file, files)):
            _report(mir, results, counts, out)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in _OUTCOMES), file=out)
    return 1 if counts[DIFFERENT] or counts[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
