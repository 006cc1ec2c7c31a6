; What cannot be selected is an error with its place, one for each function, and nothing is written.
;
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare i32 @variadic(i32, ...)
declare i32 @llvm.eh.typeid.for.p0(ptr)

; CHECK: refused.ll:{{[0-9]+:[0-9]+}}: error: no instructions can be selected for a call of a variadic function
; CHECK: call i32 (i32, ...) @variadic
define void @calls_variadic(ptr %p) {
  %r = call i32 (i32, ...) @variadic(i32 1, i32 2)
  store i32 %r, ptr %p
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
