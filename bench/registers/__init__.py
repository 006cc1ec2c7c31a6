# SPDX-License-Identifier: Apache-2.0

"""The parts of bench/registers.py.

processes  finds tools and runs them
cache      keeps results on disk by content
inputs     MIR files and their properties
compilers  ptxmir, llc and nvcc: from an input to PTX
ptxas      the figures that ptxas reports, and occupancy
harness    runs everything for every input, and builds the rows
summary    sums, ratios and the targets
tables     text and CSV
baseline   the rows of an earlier run, and regressions
page       the HTML page; plots draws its figures
command    the command line
"""
