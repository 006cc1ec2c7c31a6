#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the registers of ptxmir's PTX with those of llc's, both made of the same LLVM IR.

usage: compare_ir_with_llc.py [--clang-flags="-O3"] [--level=2] [--high=40] [--show=12] [SOURCE.cu|FILE.ll ...]

Without files, all CUDA sources of tests/corpus, which clang-22 compiles for sm_80. Needs clang-22, llc-22, ptxas,
CUDA's headers ($CUDA_HOME or /usr/local/cuda) and `bazel build //tools:ptxmir` (-c opt or not: the PTX is the same).
Prints geometric means of the ratios over all kernels and over those for which llc's PTX needs at least --high
registers, and the kernels that lose most. Files that one of the tools refuses are named and left out.
"""

import argparse
import concurrent.futures
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
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
SM = "sm_80"


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def registers_of(ptx):
    """Returns the registers of each kernel, or a message."""
    result = run("ptxas", "-v", "-arch=" + SM, ptx, "-o", "/dev/null")
    if result.returncode != 0:
        return result.stderr.splitlines()[0][:200]
    registers, kernel = {}, None
    for line in result.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = found.group(1)
        elif (found := re.search(r"Used (\d+) registers", line)) and kernel:
            registers[kernel] = int(found.group(1))
            kernel = None
    return registers


def compare(file, folder, arguments):
    """Returns the file's name, a message, and (kernel, ours, llc's) for each kernel."""
    ir = pathlib.Path(folder) / (file.stem + ".ll")
    if file.suffix == ".ll":
        ir = file
    elif run("clang-22", "-x", "cuda", "--cuda-path=" + CUDA, "--cuda-gpu-arch=" + SM, "--cuda-device-only", "-S",
             "-emit-llvm", "-Wno-unknown-cuda-version", *shlex.split(arguments.clang_flags), file, "-o",
             ir).returncode != 0:
        return file.name, "clang refuses it", []
    counts = []
    for name, tool in (("ptxmir", PTXMIR), ("llc", "llc-22")):
        ptx = pathlib.Path(folder) / f"{file.stem}.{name}.ptx"
        result = run(tool, f"-O{arguments.level}", "-mcpu=" + SM, ir, "-o", ptx)
        if result.returncode != 0:
            return file.name, f"{name} refuses it: {result.stderr.splitlines()[0][:200]}", []
        registers = registers_of(ptx)
        if isinstance(registers, str):
            return file.name, f"ptxas refuses {name}'s PTX: {registers}", []
        counts.append(registers)
    ours, theirs = counts
    return file.name, "", [(kernel, ours[kernel], theirs[kernel]) for kernel in sorted(theirs) if kernel in ours]


def mean(kernels):
    return math.exp(sum(math.log(ours / theirs) for _, _, ours, theirs in kernels) / len(kernels)) if kernels else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--clang-flags", default="-O3")
    parser.add_argument("--level", default="2")
    parser.add_argument("--high", type=int, default=40)
    parser.add_argument("--show", type=int, default=12)
    arguments = parser.parse_args()
    files = arguments.files or sorted((ROOT / "tests/corpus").glob("*.cu"))
    kernels = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, message, found in pool.map(lambda file: compare(file, folder, arguments), files):
            if message:
                print(f"{name}: {message}")
            kernels += [(name, *kernel) for kernel in found]
    high = [kernel for kernel in kernels if kernel[3] >= arguments.high]
    print(f"{len(kernels)} kernels: {mean(kernels):.3f} times llc's registers")
    print(f"{len(high)} kernels of {arguments.high} and more: {mean(high):.3f}")
    for name, kernel, ours, theirs in sorted(kernels, key=lambda k: k[3] / k[2])[:arguments.show]:
        print(f"  {ours / theirs:.2f}  {ours:3} for {theirs:3}  {name} {kernel}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
