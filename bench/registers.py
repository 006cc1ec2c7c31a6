#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures ptxmir's register optimizations with ptxas: registers, spills, stack, occupancy and compile time of every
kernel of a set of MIR files, next to those of llc from the same MIR and of nvcc from the same CUDA source.

    bazel build -c opt //tools:ptxmir
    bench/registers.py                                             # tests/corpus, no limit
    bench/registers.py --budgets=default,32,40,64 --html=page.html tests/corpus
    bench/registers.py --options plain=-O2 --options "no-remat=-O2 -nv-disable-remat" DIR

docs/performance.md, "Registers", explains the figures and the page.
"""

import sys

from registers.command import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
