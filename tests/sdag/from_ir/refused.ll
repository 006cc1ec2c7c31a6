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
