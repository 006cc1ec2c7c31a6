#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ptxmir's PTX with llc's, both made of the same LLVM IR.

usage: compare_ir_with_llc.py [--clang-flags="-O3"] [--ptxmir-flags=""] [--level=2] [--high=40] [--show=12]
                              [--executed] [SOURCE.cu|FILE.ll ...]

Without files, all CUDA sources of tests/corpus, which clang-22 compiles for sm_80. Needs clang-22, llc-22, ptxas,
CUDA's headers ($CUDA_HOME or /usr/local/cuda) and `bazel build //tools:ptxmir` (-c opt or not: the PTX is the same).
Prints, over all kernels and over those for which llc's PTX needs at least --high registers, the geometric mean of the
ratios of registers, and the ratios of the bytes that ptxas spills with 32 registers, of instructions and of accesses of
memory in the PTX; then the kernels whose registers lose most. Files that one of the tools refuses are named and left
out.

With --executed it counts instead what both versions execute in the interpreter on three generated inputs, for kernels
that end well on all of them: instructions of threads, and of warps, of which one stands for all threads that execute
it together. This needs `bazel build -c opt //tools:ptxmir //bench:compare_executed`.
"""

import argparse
import concurrent.futures
import dataclasses
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PTXMIR = ROOT / "bazel-bin/tools/ptxmir"
COMPARE_EXECUTED = ROOT / "bazel-bin/bench/compare_executed"
LAST_PASS = "stack-frame-layout"  # before llc's printer
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
SM = "sm_80"
# Inline assembly of CUDA's headers needs more than the version that SM implies.
PTX_VERSION = "-mattr=+ptx88"
SPILL_LIMIT = 32


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


@dataclasses.dataclass
class Kernel:
    registers: int = 0
    thread_instructions: int = 0
    warp_instructions: int = 0
    spill_bytes: int = 0  # with SPILL_LIMIT registers
    instructions: int = 0
    accesses: int = 0


def measure_registers(ptx, kernels):
    """Adds what ptxas says of each kernel. Returns a message if it refuses the file."""
    for option in ((), (f"-maxrregcount={SPILL_LIMIT}",)):
        result = run("ptxas", "-v", "-arch=" + SM, *option, ptx, "-o", "/dev/null")
        if result.returncode != 0:
            return result.stderr.splitlines()[0][:200]
        name = None
        for line in result.stderr.splitlines():
            if found := re.search(r"Compiling entry function '(\S+)'", line):
                name = found.group(1)
            elif not name or name not in kernels:
                continue
            elif (found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)) and option:
                kernels[name].spill_bytes += int(found.group(1)) + int(found.group(2))
            elif (found := re.search(r"Used (\d+) registers", line)) and not option:
                kernels[name].registers = int(found.group(1))
    return ""


def measure(ptx):
    """Returns a message, and what there is to count of each kernel of a PTX file."""
    kernels, kernel = {}, None
    for line in ptx.read_text().splitlines():
        if found := re.search(r"\.entry ([^\s(]+)", line):
            kernel = kernels.setdefault(found.group(1), Kernel())
        elif line.startswith("}"):
            kernel = None
        elif kernel and (found := re.match(r"\t(?:@!?%\w+ )?\s*([a-z][a-z0-9_.:]*)\b.*;", line)):
            kernel.instructions += 1
            kernel.accesses += bool(re.match(r"(ld|st)\.(?!param)", found.group(1)))
    return measure_registers(ptx, kernels), kernels


def compare_executed(ours, theirs):
    """Returns a message, and (kernel, ours, llc's) for each kernel of two MIR files that can be compared."""
    result = run(COMPARE_EXECUTED, theirs, ours)
    if result.returncode != 0:
        return result.stderr.splitlines()[0][:200], []
    found = []
    for line in result.stdout.splitlines():
        *counts, name = line.split(" ", 4)
        before, after, warps_before, warps_after = map(int, counts)
        if before and warps_before:
            found.append((name, Kernel(thread_instructions=after, warp_instructions=warps_after),
                          Kernel(thread_instructions=before, warp_instructions=warps_before)))
    return "", found


def compile_both(ir, folder, suffix, arguments, *more):
    """Returns a message, and what ptxmir and llc make of the file."""
    outputs = []
    for name, tool, flags in (("ptxmir", PTXMIR, shlex.split(arguments.ptxmir_flags)), ("llc", "llc-22", [])):
        output = pathlib.Path(folder) / f"{ir.stem}.{name}{suffix}"
        result = run(tool, f"-O{arguments.level}", "-mcpu=" + SM, PTX_VERSION, *flags, *more, ir, "-o", output)
        if result.returncode != 0:
            return f"{name} refuses it: {result.stderr.splitlines()[0][:200]}", []
        outputs.append(output)
    return "", outputs


def compare(file, folder, arguments):
    """Returns the file's name, a message, and (kernel, ours, llc's) for each kernel."""
    ir = pathlib.Path(folder) / (file.stem + ".ll")
    if file.suffix == ".ll":
        ir = file
    elif run("clang-22", "-x", "cuda", "--cuda-path=" + CUDA, "-I" + CUDA + "/include/cccl", "--cuda-gpu-arch=" + SM, "--cuda-device-only", "-S",
             "-emit-llvm", "-Wno-unknown-cuda-version", *shlex.split(arguments.clang_flags), file, "-o",
             ir).returncode != 0:
        return file.name, "clang refuses it", []
    if arguments.executed:
        message, outputs = compile_both(ir, folder, ".mir", arguments, "-stop-after=" + LAST_PASS)
        return (file.name, message, []) if message else (file.name, *compare_executed(*outputs))
    message, outputs = compile_both(ir, folder, ".ptx", arguments)
    if message:
        return file.name, message, []
    measured = []
    for name, ptx in zip(("ptxmir", "llc"), outputs):
        message, kernels = measure(ptx)
        if message:
            return file.name, f"ptxas refuses {name}'s PTX: {message}", []
        measured.append(kernels)
    ours, theirs = measured
    return file.name, "", [(kernel, ours[kernel], theirs[kernel]) for kernel in sorted(theirs) if kernel in ours]


def mean_ratio(kernels, field):
    logarithms = [math.log(getattr(ours, field) / getattr(theirs, field)) for _, _, ours, theirs in kernels]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 1


def ratio(kernels, field):
    ours, theirs = (sum(getattr(kernel[side], field) for kernel in kernels) for side in (2, 3))
    return f"{ours / theirs:.3f}" if theirs else f"{ours} to 0"


def summary(title, kernels):
    return (f"{title}: registers {mean_ratio(kernels, 'registers'):.3f}, "
            f"spill bytes with {SPILL_LIMIT} {ratio(kernels, 'spill_bytes')}, "
            f"instructions {ratio(kernels, 'instructions')}, accesses {ratio(kernels, 'accesses')}")


def print_executed(kernels, show):
    for field, what in (("thread_instructions", "threads"), ("warp_instructions", "warps")):
        ratios = [getattr(ours, field) / getattr(theirs, field) for _, _, ours, theirs in kernels]
        print(f"{len(kernels)} kernels: {mean_ratio(kernels, field):.3f} times the instructions of {what}; "
              f"{sum(ratio > 1.02 for ratio in ratios)} above 1.02, {sum(ratio < 0.98 for ratio in ratios)} below 0.98")
    for name, kernel, ours, theirs in sorted(kernels, key=lambda k: k[3].warp_instructions / k[2].warp_instructions)[:show]:
        print(f"  {ours.warp_instructions / theirs.warp_instructions:.3f}  {name} {kernel}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--clang-flags", default="-O3")
    parser.add_argument("--ptxmir-flags", default="")
    parser.add_argument("--level", default="2")
    parser.add_argument("--high", type=int, default=40)
    parser.add_argument("--show", type=int, default=12)
    parser.add_argument("--executed", action="store_true")
    arguments = parser.parse_args()
    files = arguments.files or sorted((ROOT / "tests/corpus").glob("*.cu"))
    kernels = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, message, found in pool.map(lambda file: compare(file, folder, arguments), files):
            if message:
                print(f"{name}: {message}")
            kernels += [(name, *kernel) for kernel in found]
    if arguments.executed:
        print_executed(kernels, arguments.show)
        return 0
    high = [kernel for kernel in kernels if kernel[3].registers >= arguments.high]
    print("ptxmir to llc:")
    print(summary(f"{len(kernels)} kernels", kernels))
    print(summary(f"{len(high)} kernels of {arguments.high} registers and more", high))
    for name, kernel, ours, theirs in sorted(kernels, key=lambda k: k[3].registers / k[2].registers)[:arguments.show]:
        ours, theirs = ours.registers, theirs.registers
        print(f"  {ours / theirs:.2f}  {ours:3} for {theirs:3}  {name} {kernel}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
