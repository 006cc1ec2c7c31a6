; -stop-* at a pass on LLVM IR write LLVM IR, and -start-* go on with it.
;
; RUN: ptxmir -stop-after=nvptx-lower-args %s -o - | FileCheck %s --check-prefix=LOWERED
; RUN: ptxmir -stop-before=early-cse,2 %s -o - | FileCheck %s --check-prefix=SPLIT
; RUN: ptxmir -stop-after=alloca-hoisting %s -o - | ptxmir -start-after=alloca-hoisting - -o - | FileCheck %s --check-prefix=PTX
; RUN: ptxmir -start-after=codegenprepare -stop-after=alloca-hoisting %s -o - | FileCheck %s --check-prefix=ALONE
; RUN: ptxmir -start-after=alloca-hoisting -stop-after=finalize-isel %s -o - | FileCheck %s --check-prefix=SELECTED
; RUN: ptxmir -stop-after=finalize-isel %s -o %t.mir
; RUN: not ptxmir -stop-after=sroa %t.mir -o - 2>&1 | FileCheck %s --check-prefix=MACHINE
; RUN: not ptxmir -stop-after=early-cse,4 %s -o - 2>&1 | FileCheck %s --check-prefix=INSTANCE

; MACHINE: error: pass 'sroa' runs on LLVM IR, and the input is machine code
; INSTANCE: error: pass 'early-cse' runs 3 times; there is no instance 4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @store_twice(ptr %p, i32 %i) {
; LOWERED-LABEL: define ptx_kernel void @store_twice(
; LOWERED: [[GLOBAL:%[a-z0-9.]+]] = addrspacecast ptr %p to ptr addrspace(1)
; LOWERED: %slot = alloca i32
; LOWERED-NOT: $L__BB
; SPLIT-LABEL: define ptx_kernel void @store_twice(
; SPLIT-NOT: alloca
; SPLIT: ret void
; ALONE-LABEL: define ptx_kernel void @store_twice(
; ALONE-NEXT: %slot = alloca i32
; ALONE: getelementptr i32, ptr %p, i32 %index
; PTX: .entry store_twice(
; PTX-NOT: .local
; PTX: st.global.b32
; SELECTED: ST_i32
; SELECTED: ST_i32
  %slot = alloca i32
  store i32 %i, ptr %slot
  %index = load i32, ptr %slot
  %at = getelementptr i32, ptr %p, i32 %index
  store i32 1, ptr %at
  ret void
}
