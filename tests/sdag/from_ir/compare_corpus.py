#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles CUDA sources to LLVM IR with clang, and compares what is made of it here with llc's machine code.

usage: compare_corpus.py [--clang-flags="-O3"] [--level=2] [SOURCE.cu ...]

Without sources, all of tests/corpus. Needs clang-22, llc-22, CUDA's headers ($CUDA_HOME or /usr/local/cuda), and
`bazel build //tests/sdag/from_ir:compare_with_mir`. Prints one line for each file, and the kernels that differ.
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "bazel-bin/tests/sdag/from_ir/compare_with_mir"


def compile_to_ir(source, flags, out):
    """Returns the SM that the source was compiled for, or None."""
    cuda = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for sm in ("sm_80", "sm_90a", "sm_100a"):
        command = ["clang-22", "-x", "cuda", "--cuda-path=" + cuda, "-I" + cuda + "/include/cccl", "--cuda-gpu-arch=" + sm, "--cuda-device-only",
                   "-Wno-unknown-cuda-version", "-S", "-emit-llvm", *flags, str(source), "-o", str(out)]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return sm
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    parser.add_argument("--clang-flags", default="-O3")
    parser.add_argument("--level", default="2")
    arguments = parser.parse_args()
    sources = arguments.sources or sorted((ROOT / "tests/corpus").glob("*.cu"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            ir = pathlib.Path(folder) / (source.stem + ".ll")
            mir = ir.with_suffix(".mir")
            sm = compile_to_ir(source, shlex.split(arguments.clang_flags), ir)
            if sm is None:
                print(source.name + ": clang does not compile it")
                continue
            command = ["llc-22", "-O2", "-mcpu=" + sm, "-stop-after=finalize-isel", str(ir), "-o", str(mir)]
            if subprocess.run(command, capture_output=True).returncode != 0:
                print(source.name + ": llc does not compile it")
                continue
            result = subprocess.run([TOOL, ir, mir, arguments.level], capture_output=True, text=True)
            failed += result.returncode != 0
            print(result.stdout.replace(folder + "/", ""), end="", flush=True)
            if result.returncode not in (0, 1):
                print(source.name, "ended with", result.returncode, result.stderr[:500])
    print(f"{failed} files differ or are refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
