#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the model of ptxas (passes/ptxas_model) and says how well it predicts kernels that took no part.

    bazel build -c opt //tools:ptxmir
    bench/toolkit_kernels/compile.sh TOOLKIT
    bench/fit_ptxas_model.py --samples=samples.pickle --apart=TOOLKIT [FOLDER...]

Compiles the kernels of tests/corpus and of each FOLDER under all option sets of -autotune, asks ptxas about them, and
fits trees to what it reports. The held-out units of the corpus and the kernels of --apart take no part. The samples are
kept in a file; if it exists, nothing is compiled. Needs numpy.
"""

import argparse
import os
import pickle
import sys

from performance.sections import HELD_OUT
from ptxas_model.samples import Collector, option_sets
from registers.cache import Cache, default_folder
from registers.inputs import find_inputs
from registers.processes import Runner, find_tool
from registers.ptxas import Ptxas

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _collect(arguments):
    runner = Runner(300)
    ptxas = Ptxas(find_tool("ptxas"), [], False, runner, Cache(default_folder()))
    sets = option_sets(arguments.ptxmir, runner)
    collector = Collector(arguments.ptxmir, ptxas, runner)
    samples = []
    for place in [os.path.join(ROOT, "tests/corpus"), *arguments.folders, *arguments.apart]:
        inputs = find_inputs([place], None, None)
        samples += collector.collect(place, inputs, sets, arguments.jobs)
        print(f"{place}: {len(samples):,} samples so far", file=sys.stderr)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="with more MIR files to learn from")
    parser.add_argument("--apart", action="append", default=[], metavar="FOLDER", help="with MIR files to report on")
    parser.add_argument("--samples", required=True, metavar="FILE")
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--output", default=os.path.join(ROOT, "passes/ptxas_model/ptxas_model_trees.inc"), metavar="FILE")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.samples):
        samples = _collect(arguments)
        with open(arguments.samples, "wb") as file:
            pickle.dump(samples, file)
    with open(arguments.samples, "rb") as file:
        samples = pickle.load(file)
    try:
        from ptxas_model import fitting  # needs numpy, which few have
    except ImportError as error:
        sys.exit(f"fit_ptxas_model.py: {error} (Debian: python3-numpy)")
    fitting.fit(samples, HELD_OUT, arguments.apart, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
