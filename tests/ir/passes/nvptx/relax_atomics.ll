; RUN: ptxmir -x ir -mcpu=sm_80 -emit-llvm -passes=relax-atomicrmw %s -o - | FileCheck %s

define void @one_instruction(ptr addrspace(1) %p, i32 %v, i64 %w, float %f, double %d, ptr %q) {
; CHECK-LABEL: define void @one_instruction(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("device") monotonic, align 4
; CHECK: atomicrmw volatile umin ptr addrspace(1) %p, i64 %w syncscope("device") monotonic, align 8
; CHECK: atomicrmw fadd ptr addrspace(1) %p, float %f syncscope("device") monotonic, align 4
; CHECK: atomicrmw fadd ptr addrspace(1) %p, double %d syncscope("device") monotonic, align 8
; CHECK: atomicrmw xchg ptr addrspace(1) %p, ptr %q syncscope("device") monotonic, align 8
; CHECK: atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v syncscope("device") monotonic, align 4
  %a = atomicrmw add ptr addrspace(1) %p, i32 %v seq_cst, align 4
  %b = atomicrmw volatile umin ptr addrspace(1) %p, i64 %w syncscope("agent") acq_rel, align 8
  %c = atomicrmw fadd ptr addrspace(1) %p, float %f monotonic, align 4
  %e = atomicrmw fadd ptr addrspace(1) %p, double %d syncscope("device") release, align 8
  %g = atomicrmw xchg ptr addrspace(1) %p, ptr %q acquire, align 8
  %h = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v seq_cst, align 4
  ret void
}

define void @part_of_a_word(ptr addrspace(1) %p, i8 %v, i16 %w) {
; Bitwise operations are one instruction on the word. Others are loops, which keep what they state.
; CHECK-LABEL: define void @part_of_a_word(
; CHECK: atomicrmw or ptr addrspace(1) %p, i8 %v syncscope("device") monotonic, align 1
; CHECK: atomicrmw xor ptr addrspace(1) %p, i16 %w syncscope("device") monotonic, align 2
; CHECK: atomicrmw add ptr addrspace(1) %p, i8 %v seq_cst, align 1
  %a = atomicrmw or ptr addrspace(1) %p, i8 %v seq_cst, align 1
  %b = atomicrmw xor ptr addrspace(1) %p, i16 %w seq_cst, align 2
  %c = atomicrmw add ptr addrspace(1) %p, i8 %v seq_cst, align 1
  ret void
}

define void @within_a_block(ptr addrspace(1) %p, i32 %v) {
; A scope within the GPU stays.
; CHECK-LABEL: define void @within_a_block(
; CHECK: atomicrmw or ptr addrspace(1) %p, i32 %v syncscope("block") monotonic, align 4
  %a = atomicrmw or ptr addrspace(1) %p, i32 %v syncscope("block") seq_cst, align 4
  ret void
}

define void @loops(ptr addrspace(1) %p, i32 %v, i8 %b, i64 %w, float %f) {
; What becomes a loop keeps its order; so do other atomics.
; CHECK-LABEL: define void @loops(
; CHECK: atomicrmw nand ptr addrspace(1) %p, i32 %v seq_cst, align 4
; CHECK: atomicrmw add ptr addrspace(1) %p, i8 %b seq_cst, align 1
; CHECK: atomicrmw uinc_wrap ptr addrspace(1) %p, i64 %w seq_cst, align 8
; CHECK: atomicrmw fmax ptr addrspace(1) %p, float %f seq_cst, align 4
; CHECK: cmpxchg ptr addrspace(1) %p, i32 %v, i32 5 seq_cst seq_cst, align 4
; CHECK: load atomic i32, ptr addrspace(1) %p seq_cst, align 4
  %a = atomicrmw nand ptr addrspace(1) %p, i32 %v seq_cst, align 4
  %c = atomicrmw add ptr addrspace(1) %p, i8 %b seq_cst, align 1
  %d = atomicrmw uinc_wrap ptr addrspace(1) %p, i64 %w seq_cst, align 8
  %e = atomicrmw fmax ptr addrspace(1) %p, float %f seq_cst, align 4
  %g = cmpxchg ptr addrspace(1) %p, i32 %v, i32 5 seq_cst seq_cst, align 4
  %h = load atomic i32, ptr addrspace(1) %p seq_cst, align 4
  ret void
}
