# SPDX-License-Identifier: Apache-2.0

# Two kernels in Numba: prints nothing, but hands the IR of one to libNVVM, which nvvm_stub.c replaces.

import math
import sys

from numba import cuda, float32


def saxpy(out, x, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + math.sqrt(out[i])


def block_sum(out, x):
    shared = cuda.shared.array(128, float32)
    thread = cuda.threadIdx.x
    shared[thread] = x[cuda.grid(1)]
    cuda.syncthreads()
    width = 64
    while width > 0:
        if thread < width:
            shared[thread] += shared[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        cuda.atomic.add(out, 0, shared[0])


array = float32[::1]
if sys.argv[1] == 'saxpy':
    cuda.compile_ptx(saxpy, (array, array, float32), cc=(8, 0))
else:
    cuda.compile_ptx(block_sum, (array, array), cc=(8, 0))
