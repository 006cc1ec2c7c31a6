// SPDX-License-Identifier: Apache-2.0

// MLIR's gpu dialect: a kernel with launch bounds, a barrier, a shuffle and workgroup memory.

gpu.module @kernels {
  gpu.func @scale(%in: memref<?xf32>, %out: memref<?xf32>, %factor: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %begin = arith.muli %block, %size : index
    %i = arith.addi %begin, %thread : index
    %x = memref.load %in[%i] : memref<?xf32>
    %y = arith.mulf %x, %factor : f32
    memref.store %y, %out[%i] : memref<?xf32>
    gpu.return
  }
  gpu.func @sum(%in: memref<128xf32>, %out: memref<1xf32>) workgroup(%shared : memref<128xf32, 3>) kernel {
    %thread = gpu.thread_id x
    %x = memref.load %in[%thread] : memref<128xf32>
    %width = arith.constant 32 : i32
    %offset = arith.constant 1 : i32
    %other, %valid = gpu.shuffle xor %x, %offset, %width : f32
    %sum = arith.addf %x, %other : f32
    memref.store %sum, %shared[%thread] : memref<128xf32, 3>
    gpu.barrier
    %zero = arith.constant 0 : index
    %first = arith.cmpi eq, %thread, %zero : index
    scf.if %first {
      %result = memref.load %shared[%zero] : memref<128xf32, 3>
      memref.store %result, %out[%zero] : memref<1xf32>
    }
    gpu.return
  }
}
