; RUN: ptxmir -mcpu=sm_90 -mattr=+ptx83 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; The order on failure may be the stronger one of a compare-and-swap.
define i32 @consistent_on_failure(ptr %p, i32 %c, i32 %n) {
; CHECK-LABEL: consistent_on_failure(
; CHECK: fence.sc.sys;
; CHECK: atom.acquire.sys.cas.b32
  %r = cmpxchg ptr %p, i32 %c, i32 %n acq_rel seq_cst, align 4
  %v = extractvalue { i32, i1 } %r, 0
  ret i32 %v
}

define i32 @acquires_on_failure(ptr %p, i32 %c, i32 %n) {
; CHECK-LABEL: acquires_on_failure(
; CHECK-NOT: fence
; CHECK: atom.acq_rel.sys.cas.b32
  %r = cmpxchg ptr %p, i32 %c, i32 %n release acquire, align 4
  %v = extractvalue { i32, i1 } %r, 0
  ret i32 %v
}

; PTX has no atomic operation on local memory. Only one thread sees it, so a load and a store do.
define i32 @stack_object(i32 %x, i32 %i) {
; CHECK-LABEL: stack_object(
; CHECK-NOT: atom
; CHECK: ld.local.b32
; CHECK-NOT: atom
; CHECK: st.local.b32
; CHECK-NOT: atom
; CHECK: ret;
  %a = alloca [4 x i32]
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store i32 %x, ptr %q
  %v = atomicrmw add ptr %q, i32 1 seq_cst
  %z = load i32, ptr %q
  %y = add i32 %v, %z
  ret i32 %y
}

define i32 @exchanged_stack_object(i32 %x, i32 %i) {
; CHECK-LABEL: exchanged_stack_object(
; CHECK-NOT: atom
; CHECK: ret;
  %a = alloca [4 x i32]
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store i32 %x, ptr %q
  %r = cmpxchg ptr %q, i32 1, i32 2 seq_cst seq_cst
  %v = extractvalue { i32, i1 } %r, 0
  ret i32 %v
}

; A bitwise operation on a byte is one on its word: no loop.
define i8 @or_of_a_byte(ptr addrspace(1) %p, i8 %x) {
; CHECK-LABEL: or_of_a_byte(
; CHECK-NOT: bra
; CHECK: atom.global.or.b32
; CHECK-NOT: bra
; CHECK: ret;
  %v = atomicrmw or ptr addrspace(1) %p, i8 %x monotonic
  ret i8 %v
}

; The other bytes of the word are joined with ones.
define i16 @and_of_two_bytes(ptr addrspace(1) %p, i16 %x) {
; CHECK-LABEL: and_of_two_bytes(
; CHECK: or.b32 [[MASK:%r[0-9]+]]
; CHECK: atom.global.and.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], [[MASK]];
; CHECK-NOT: bra
; CHECK: ret;
  %v = atomicrmw and ptr addrspace(1) %p, i16 %x monotonic
  ret i16 %v
}

; GPUs have no compare-and-swap of 16 bits: ptxas would make a loop of it within the loop.
define i16 @add_of_two_bytes(ptr addrspace(1) %p, i16 %x) {
; CHECK-LABEL: add_of_two_bytes(
; CHECK-NOT: cas.b16
; CHECK: atom{{.*}}.cas.b32
  %v = atomicrmw add ptr addrspace(1) %p, i16 %x monotonic
  ret i16 %v
}
