#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what kernels compute on a GPU with what they compute in the interpreter, and how long their code takes.

    bazel build -c opt //tools:ptxmir //tools/run:ptxmir-run //tools/run:ptxmir-gpu-run
    tools/run/compare_with_gpu.py -j8 tests/corpus

Each kernel of the MIR files or CUDA sources runs on inputs that ptxmir-run --generate creates. If it succeeds in the
interpreter, the code of each road (gpu_roads.py) runs on the GPU with the same input, and the buffers are compared. Bits
that are undefined in the interpreter may have any value. Two words are near if they are floats (f16, f32 or f64) that
differ only by rounding: a GPU rounds approximate functions and tensor core products differently, and its atomics add in a
different order. A run is undecided if another order of the threads changes its results in the interpreter.

The generated inputs are small. --time launches so many copies of the grid, in its z extent, that the GPU is full, and
takes the median of several launches. Kernels that read %ctaid.z, and clusters in z, are not timed.

Prints a line for each kernel, and counts. The exit status is 1 if a kernel differs on an input or fails on the GPU. Two
machines can share the work: --compile-to=FOLDER stops after the compilation, --compiled=FOLDER goes on with it where the
GPU is.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import gpu_batch
import gpu_roads

EQUAL, NEAR, UNDECIDED, DIFFERENT, FAILED, NOT_RUN = "equal", "near", "undecided", "different", "failed", "not run"
_OUTCOMES = (EQUAL, NEAR, UNDECIDED, DIFFERENT, FAILED, NOT_RUN)

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


def reads_z(ptx, kernel):
    """Returns true if the kernel, or a function that it may call, reads the z extent of the grid."""
    entry = ptx[ptx.find(f".entry {kernel}("):]
    entry = entry[:entry.find("\n}")]
    functions = "" if "call" not in entry else ptx
    return any(name in entry + functions for name in ("%ctaid.z", "%nctaid.z", "%gridid"))


@dataclasses.dataclass(eq=False)
class Input:
    """An input of a kernel, and what it computes in the interpreter."""

    compilation: gpu_roads.Compilation
    kernel: str
    number: int
    folder: str  # what ptxmir-run saved
    message: str = ""  # why there is nothing to run
    depends_on_order: str = ""  # why there is nothing to compare

    def launch(self):
        with open(os.path.join(self.folder, "options"), encoding="utf-8") as file:
            return file.read().splitlines()

    def can_be_copied(self):
        """Returns true if copies of the grid in z do the same."""
        launch = self.launch()
        cluster = next(option for option in launch if option.startswith("--cluster=")).split(",")[-1]
        ptx = next(path.read_text() for path in sorted(self.compilation.folder.glob("*.ptx")))
        return cluster == "1" and "--cooperative" not in launch and not reads_z(ptx, self.kernel)


class Comparison:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.roads = options.road

    def compile(self):
        """Returns the Compilations, and a message for each source that cannot be compiled."""
        if self.options.compiled:
            compilations, self.roads = gpu_roads.load_index(self.options.compiled)
            return compilations, {}
        target = self.options.compile_to or os.path.join(self.folder, "compiled")
        files = list(_files(self.options.paths))
        compilations = [gpu_roads.Compilation(os.path.basename(file), os.path.join(target, str(number)))
                        for number, file in enumerate(files)]
        with concurrent.futures.ThreadPoolExecutor(self.options.j) as pool:
            messages = list(pool.map(lambda each: each[0].create(each[1], self.roads, self.options.ptxmir),
                                     zip(compilations, files)))
        failed = {each.source: message for each, message in zip(compilations, messages) if message}
        compilations = [each for each in compilations if each.source not in failed]
        gpu_roads.save_index(target, compilations, self.roads)
        return compilations, failed

    def _interpret(self, run):
        """Runs the input in the interpreter, in three orders of the threads."""
        if not self._interpret_in_order(run, "usual", run.folder):
            return
        for order in ("reverse", "interleaved"):
            folder = os.path.join(run.folder, order)
            if not self._interpret_in_order(run, order, folder):
                return
            outcome, place = compare_folders(run.folder, folder)
            shutil.rmtree(folder)
            if outcome == DIFFERENT:
                run.depends_on_order = f"the order of threads changes {place}"
                return

    def _interpret_in_order(self, run, order, folder):
        os.makedirs(folder)
        command = [self.options.ptxmir_run, run.compilation.mir, f"--kernel={run.kernel}", f"--generate={run.number}",
                   f"--save={folder}", "--show=nothing", f"--order={order}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=self.options.timeout,
                                  check=False)
        except subprocess.TimeoutExpired:
            run.message = f"not done in {self.options.timeout} seconds"
            return False
        if done.returncode != 0:
            run.message = done.stderr.strip().splitlines()[0] if done.stderr.strip() else "failed in the interpreter"
        return done.returncode == 0

    def create_inputs(self, compilations):
        """Returns the Inputs of all kernels, in the order of the sources."""
        inputs = []
        for compilation in compilations:
            ptx = next((compilation.ptx(road) for road in self.roads if not compilation.message(road)), None)
            kernels = kernels_of(ptx.read_text()) if ptx else []
            inputs += [Input(compilation, kernel, number, os.path.join(self.folder, "inputs", f"{len(inputs)}.{i}.{number}"))
                       for i, kernel in enumerate(kernels) for number in range(self.options.inputs)]
        with concurrent.futures.ThreadPoolExecutor(self.options.j) as pool:
            list(pool.map(self._interpret, inputs))
        return inputs

    def _assemble(self, compilation, road):
        if compilation.message(road):
            return
        ptx = compilation.ptx(road)
        limit = [f"-maxrregcount={road.registers}"] if road.registers else []
        status, message = gpu_roads.run("ptxas", f"-arch={self.options.sm}", *limit, ptx, "-o", ptx.with_suffix(".cubin"))
        if status != 0:
            (compilation.folder / f"{road.name}.failed").write_text(message)

    def assemble(self, compilations):
        """Makes cubins where ptxas is installed. Otherwise the driver compiles the PTX."""
        if shutil.which("ptxas") is None or not self.options.sm:
            return
        with concurrent.futures.ThreadPoolExecutor(self.options.j) as pool:
            list(pool.map(lambda pair: self._assemble(*pair), [(c, road) for c in compilations for road in self.roads]))

    def _command(self, run, road, *options):
        ptx = run.compilation.ptx(road)
        cubin = ptx.with_suffix(".cubin")
        return [str(cubin if cubin.exists() else ptx), *run.launch(), "--show=nothing", *options]

    def _run_batch(self, commands):
        return gpu_batch.run_batch(self.options.gpu_run, commands, self.options.timeout, self.options.time_budget)

    def execute(self, inputs):
        """Runs all inputs on the GPU. Returns (input, road's name or None, outcome, place or message) for each run."""
        results = [(run, None, NOT_RUN, run.message) for run in inputs if run.message]
        pairs, commands = [], []
        kernels = {}
        for run in inputs:
            for road in self.roads:
                if run.message or run.compilation.message(road):
                    continue
                ptx = run.compilation.ptx(road)
                if ptx not in kernels:
                    kernels[ptx] = set(kernels_of(ptx.read_text()))
                if run.kernel not in kernels[ptx]:
                    results.append((run, road.name, NOT_RUN, "the code has no such kernel"))
                    continue
                saved = os.path.join(run.folder, road.name)
                os.makedirs(saved)
                pairs.append((run, road, saved))
                commands.append(self._command(run, road, f"--save={saved}"))
        gpu_runs = gpu_batch.run_batches(self.options.gpu_run, commands, self.options.timeout, self.options.j)
        for (run, road, saved), gpu_run in zip(pairs, gpu_runs):
            if gpu_run.message:
                outcome = FAILED, gpu_run.message
            elif run.depends_on_order:
                outcome = UNDECIDED, run.depends_on_order
            else:
                outcome = compare_folders(run.folder, saved)
            results.append((run, road.name, *outcome))
            if outcome[0] == DIFFERENT and self.options.keep:
                name = f"{run.compilation.source}.{run.kernel[:60]}.{run.number}"
                shutil.copytree(saved, os.path.join(self.options.keep, name, road.name), dirs_exist_ok=True)
                shutil.copytree(run.folder, os.path.join(self.options.keep, name, "interpreted"), dirs_exist_ok=True,
                                ignore=lambda *_: [other.name for other in self.roads])
        return results

    def time(self, results):
        """Returns (input, copies, {road's name: microseconds}) for the first input of each kernel that the first road ran,
        with the roads that ran it."""
        ran = collections.defaultdict(list)
        for run, road, outcome, _ in results:
            if outcome in (EQUAL, NEAR, UNDECIDED, DIFFERENT):
                ran[id(run)].append(road)
        base, timed, seen = self.roads[0], [], set()
        for run in dict.fromkeys(result[0] for result in results):
            key = (run.compilation.folder, run.kernel)
            if key not in seen and base.name in ran[id(run)] and run.can_be_copied():
                seen.add(key)
                timed.append(run)
        found = self._run_batch([self._command(run, base, f"--fill={self.options.fill}") for run in timed])
        timed = [(run, gpu_run.copies, {}) for run, gpu_run in zip(timed, found) if not gpu_run.message]
        jobs = [(run, copies, road, times) for run, copies, times in timed for road in self.roads if road.name in ran[id(run)]]
        # Two rounds: what else happens on the machine slows single launches.
        jobs += jobs
        gpu_runs = self._run_batch([self._command(run, road, f"--copies={copies}", "--time=9") for run, copies, road, _ in jobs])
        for (_, _, road, times), gpu_run in zip(jobs, gpu_runs):
            if not gpu_run.message:
                times[road.name] = min(gpu_run.microseconds, times.get(road.name, math.inf))
        return [each for each in timed if base.name in each[2]]


def _report(results, failed, out):
    """Prints what became of each kernel. Returns the counts of outcomes."""
    for source, message in failed.items():
        print(f"{source}: not compiled: {message}", file=out)
    by_kernel = collections.defaultdict(list)
    for result in results:
        by_kernel[result[0].compilation.source, result[0].kernel].append(result)
    counts = collections.Counter(result[2] for result in results)
    for (source, kernel), runs in sorted(by_kernel.items()):
        by_outcome = collections.Counter(run[2] for run in runs)
        figures = ", ".join(f"{by_outcome[outcome]} {outcome}" for outcome in _OUTCOMES if by_outcome[outcome])
        print(f"{source}: {kernel}: {figures}", file=out)
        for run, road, outcome, where in runs:
            if outcome in (DIFFERENT, FAILED) or (outcome == NOT_RUN and run.number == 0):
                of_road = "" if road is None else f" by {road}"
                print(f"    input {run.number}{of_road}: {outcome}: {where}", file=out)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in _OUTCOMES), file=out)
    return counts


def _report_times(timed, roads, path, out):
    names = [road.name for road in roads]
    with open(path, "w", encoding="utf-8") as file:
        print("source", "kernel", "copies", *names, sep="\t", file=file)
        for run, copies, times in timed:
            figures = (f"{times[name]:.3f}" if name in times else "-" for name in names)
            print(run.compilation.source, run.kernel, copies, *figures, sep="\t", file=file)
    for name in names[1:]:
        pairs = [(times[name], times[names[0]]) for _, _, times in timed if name in times]
        if not pairs:
            continue
        ratios = [time / base for time, base in pairs]
        total = sum(time for time, _ in pairs) / sum(base for _, base in pairs)
        mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
        print(f"time of {name} to {names[0]}, {len(ratios)} kernels: geometric mean {mean:.4f}, in total {total:.4f}, "
              f"{sum(ratio < 0.97 for ratio in ratios)} below 0.97, {sum(ratio > 1.03 for ratio in ratios)} above 1.03", file=out)


def _files(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".mir"))
        else:
            yield path


def _parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxmir", default="bazel-bin/tools/ptxmir")
    parser.add_argument("--ptxmir-run", default="bazel-bin/tools/run/ptxmir-run")
    parser.add_argument("--gpu-run", default="bazel-bin/tools/run/ptxmir-gpu-run")
    parser.add_argument("--inputs", type=int, default=3, help="of each kernel (default: 3)")
    parser.add_argument("--road", type=gpu_roads.Road.parse, action="append",
                        help="NAME[@REGISTERS]=FLAGS, llc or nvcc (default: O0=-O0 and O2=-O2)")
    parser.add_argument("--sm", default="", help="GPU that ptxas assembles for, as sm_90; without it the driver does")
    parser.add_argument("--time", metavar="FILE", help="time the code of each road and write a table")
    parser.add_argument("--fill", type=int, default=200, help="microseconds of a launch that is timed, at least (default: 200)")
    parser.add_argument("--time-budget", type=float, default=math.inf, help="seconds for a round of what is timed")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the contents of buffers that differ")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a run (default: 60)")
    parser.add_argument("--compile-to", metavar="FOLDER")
    parser.add_argument("--compiled", metavar="FOLDER")
    parser.add_argument("-j", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument("paths", nargs="*", help="MIR files, CUDA sources, or folders of MIR files")
    options = parser.parse_args(arguments)
    options.road = options.road or [gpu_roads.Road.parse("O0=-O0"), gpu_roads.Road.parse("O2=-O2")]
    return options


def main(arguments, out=sys.stdout):
    options = _parse(arguments)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(options, folder)
        compilations, failed = comparison.compile()
        if options.compile_to:
            print(f"{len(compilations)} files compiled, {len(failed)} not", *failed.items(), sep="\n", file=out)
            return 0
        comparison.assemble(compilations)
        inputs = comparison.create_inputs(compilations)
        results = comparison.execute(inputs)
        counts = _report(results, failed, out)
        if options.time:
            _report_times(comparison.time(results), comparison.roads, options.time, out)
    return 1 if counts[DIFFERENT] or counts[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
