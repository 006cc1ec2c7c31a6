// SPDX-License-Identifier: Apache-2.0

// MLIR's gpu dialect: functions of libdevice, half precision, loops, vectors and atomics.

gpu.module @math {
  gpu.func @wave(%data: memref<?xf32>, %count: index, %halves: memref<?xf16>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %start = arith.constant 0.0 : f32
    %total = scf.for %i = %zero to %count step %one iter_args(%acc = %start) -> (f32) {
      %x = memref.load %data[%i] : memref<?xf32>
      %s = math.sin %x : f32
      %e = math.exp %s : f32
      %next = arith.addf %acc, %e fastmath<contract, nnan> : f32
      scf.yield %next : f32
    }
    %h = arith.truncf %total : f32 to f16
    memref.store %h, %halves[%zero] : memref<?xf16>
    %old = memref.atomic_rmw addf %total, %data[%zero] : (f32, memref<?xf32>) -> f32
    %v = vector.load %data[%zero] : memref<?xf32>, vector<4xf32>
    %w = arith.mulf %v, %v : vector<4xf32>
    vector.store %w, %data[%zero] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}
