# SPDX-License-Identifier: Apache-2.0

# Halide: two pipelines for CUDA. Prints the LLVM IR of the device code to the file that is named.

import sys

import halide as hl

x, y, xi, yi = hl.Var('x'), hl.Var('y'), hl.Var('xi'), hl.Var('yi')
which, path = sys.argv[1:]
target = hl.Target('x86-64-linux-cuda-cuda_capability_50-no_asserts-no_runtime')
source = hl.ImageParam(hl.Float(32), 2, 'source')
result = hl.Func('result')
if which == 'blur':
    row = hl.Func('row')
    row[x, y] = source[x, y] + source[x + 1, y] + source[x + 2, y]
    result[x, y] = (row[x, y] + row[x, y + 1] + row[x, y + 2]) / 9.0
    result.gpu_tile(x, y, xi, yi, 16, 16)
    row.compute_at(result, x).gpu_threads(x, y)
else:
    result[x, y] = hl.select(source[x, y] > 1.0, hl.sqrt(source[x, y]), hl.exp(source[x, y]))
    result.gpu_tile(x, y, xi, yi, 32, 4)
result.compile_to_llvm_assembly(path, [source], which, target)
