; Before sm_70, instructions have no orders. Fences on both sides of a compare-and-swap, or of a loop of them, provide
; the order. LLVM 22 drops it.
;
; RUN: ptxmir -mcpu=sm_60 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_60 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .visible .entry exchange(
; CHECK: membar.sys;
; CHECK: atom.sys.global.cas.b32
; CHECK-NEXT: membar.sys;
; CHECK: atom.cta.global.cas.b64
; CHECK-NEXT: membar.cta;
; CHECK: membar.gl;
; CHECK: atom.gpu.global.cas.b32
; CHECK-NOT: membar
; CHECK: ret;
define ptx_kernel void @exchange(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %c, i64 %d) {
  %a = cmpxchg ptr addrspace(1) %p, i32 %c, i32 1 seq_cst seq_cst
  %b = cmpxchg ptr addrspace(1) %q, i64 %d, i64 2 syncscope("block") acquire monotonic
  %e = cmpxchg ptr addrspace(1) %p, i32 %c, i32 3 syncscope("device") release monotonic
  ret void
}

; CHECK-LABEL: .visible .entry loop(
; CHECK: membar.sys;
; CHECK: atom.sys.global.cas.b32
; CHECK: @%p{{[0-9]+}} bra
; CHECK: membar.sys;
define ptx_kernel void @loop(ptr addrspace(1) %p, i32 %v) {
  %r = atomicrmw nand ptr addrspace(1) %p, i32 %v acq_rel
  store i32 %r, ptr addrspace(1) %p
  ret void
}
