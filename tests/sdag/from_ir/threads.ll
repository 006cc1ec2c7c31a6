; Instructions are selected for each function when its turn comes, on any thread. Output and errors are in the order of
; the functions, whatever the number of threads.
; RUN: ptxmir -mcpu=sm_80 -j4 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -j1 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -j4 -time-passes %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIME
; RUN: ptxmir -mcpu=sm_80 -j4 -print-after=dag-combine1 -print-after=phi-node-elimination %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP

; TIME: read input
; TIME: select instructions
; TIME: phi-node-elimination

; The dumps of a function are together.
; DUMP: SelectionDAG Dump After dag-combine1 of first,
; DUMP: IR Dump After Eliminate PHI nodes
; DUMP: SelectionDAG Dump After dag-combine1 of second,
; DUMP: IR Dump After Eliminate PHI nodes
; DUMP: SelectionDAG Dump After dag-combine1 of third,
; DUMP: IR Dump After Eliminate PHI nodes

; CHECK: .visible .entry first(
; CHECK: add.s32
define ptx_kernel void @first(ptr addrspace(1) %p, i32 %a) {
  %sum = add i32 %a, 1
  store i32 %sum, ptr addrspace(1) %p
  ret void
}

; CHECK: .visible .entry second(
; CHECK: mul.lo.s32
define ptx_kernel void @second(ptr addrspace(1) %p, i32 %a) {
  %product = mul i32 %a, %a
  store i32 %product, ptr addrspace(1) %p
  ret void
}

; CHECK: .visible .entry third(
; CHECK: xor.b32
define ptx_kernel void @third(ptr addrspace(1) %p, i32 %a) {
  %bits = xor i32 %a, 85
  store i32 %bits, ptr addrspace(1) %p
  ret void
}
