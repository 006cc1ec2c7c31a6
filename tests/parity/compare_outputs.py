#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the PTX and the MIR that two builds of ptxmir make of the corpus.

    bazel build //tools:ptxmir && cp -f bazel-bin/tools/ptxmir /tmp/before
    ...
    bazel build //tools:ptxmir && tests/parity/compare_outputs.py /tmp/before bazel-bin/tools/ptxmir

A change that is meant to move code alone leaves every byte as it was. Exit status: 0 when all outputs are equal.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

OPTIONS = [
    ["-O0"],
    ["-O1"],
    ["-O2"],
    ["-O2", "-maxreg=32"],
    ["-O2", "-stop-after=nvptx-prolog-epilog"],
]


def output(tool, path, options):
    result = subprocess.run([tool, *options, path, "-o", "-"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return result.returncode, result.stdout, result.stderr


def differences(before, after, path):
    return [options for options in OPTIONS if output(before, path, options) != output(after, path, options)]


def main():
    corpus = pathlib.Path(__file__).resolve().parent.parent / "corpus"
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("files", nargs="*", help="MIR files; the corpus when there are none")
    arguments = parser.parse_args()
    files = arguments.files or sorted(str(path) for path in corpus.glob("*.mir"))
    different = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, found in zip(files, pool.map(lambda f: differences(arguments.before, arguments.after, f), files)):
            for options in found:
                different += 1
                print(f"{path} {' '.join(options)}: the outputs differ")
    print(f"{len(files)} files, {len(files) * len(OPTIONS)} outputs, {different} differ")
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
