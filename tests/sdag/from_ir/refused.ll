; What cannot be selected is an error with its place, one for each function, and nothing is written.
;
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.eh.typeid.for.p0(ptr)

; CHECK: refused.ll:{{[0-9]+:[0-9]+}}: error: no instructions can be selected for an immediate operand of type i32, no constant
; CHECK: call void asm
define void @no_constant(i32 %a) {
  call void asm sideeffect "trap $0;", "n"(i32 %a)
  ret void
}

; CHECK: error: no instructions can be selected for a value of this type: there are no values of type i256
define void @wide(ptr %p) {
  %v = load i256, ptr %p
  store i256 %v, ptr %p
  ret void
}

; CHECK: error: no instructions can be selected for @llvm.eh.typeid.for.p0
define void @unknown(ptr %p) {
  %r = call i32 @llvm.eh.typeid.for.p0(ptr %p)
  store i32 %r, ptr %p
  ret void
}

; An atomic access is one access, which must be aligned.
; CHECK: error: no instructions can be selected for an atomic access of 4 bytes that are aligned to 1
; CHECK: atomicrmw and ptr %p
define void @misaligned(ptr %p, i32 %v) {
  %r = atomicrmw and ptr %p, i32 %v monotonic, align 1
  ret void
}

; CHECK: error: no instructions can be selected for an atomic access of 8 bytes that are aligned to 4
; CHECK: load atomic i64, ptr addrspace(1) %p
define i64 @misaligned_load(ptr addrspace(1) %p) {
  %r = load atomic i64, ptr addrspace(1) %p monotonic, align 4
  ret i64 %r
}

; PTX has no parameters of 0 bytes.
declare i32 @takes_nothing({}, i32)

; CHECK: error: no instructions can be selected for an argument of type {}, which has no bytes
; CHECK: call i32 @takes_nothing(
define i32 @passes_nothing(i32 %b) {
  %r = call i32 @takes_nothing({} zeroinitializer, i32 %b)
  ret i32 %r
}
