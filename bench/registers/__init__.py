# SPDX-License-Identifier: Apache-2.0

"""What bench/registers.py is made of.

processes  finds tools and runs them
cache      keeps results on disk by content
inputs     MIR files, and what is known of each
compilers  ptxmir, llc and nvcc: from an input to PTX
ptxas      what ptxas says of PTX, and occupancy
harness    runs everything for every input, and makes the rows
summary    sums, ratios, and the marks
tables     text and CSV
baseline   rows of before, and what got worse
page       the HTML page; plots draws its figures
command    the command line
"""
