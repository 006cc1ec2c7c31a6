; RUN: not ptxmir -x ir -emit-llvm -passes=nvvm-reflect %s 2>&1 | FileCheck %s

@empty = private constant [1 x i8] c"\00"
@open = private constant [2 x i8] c"AB"
@number = private constant i32 1
declare i32 @__nvvm_reflect(ptr)
declare i32 @__nvvm_reflect_ocl(ptr, i32)

define ptr @f(ptr %p) {
; CHECK: .ll:11:{{[0-9]+}}: error: __nvvm_reflect argument must be a constant string
  %1 = call i32 @__nvvm_reflect(ptr %p)
; CHECK: .ll:13:{{[0-9]+}}: error: __nvvm_reflect argument cannot be empty
  %2 = call i32 @__nvvm_reflect(ptr @empty)
; CHECK: .ll:15:{{[0-9]+}}: error: __nvvm_reflect argument must be a null-terminated string
  %3 = call i32 @__nvvm_reflect(ptr @open)
; CHECK: .ll:17:{{[0-9]+}}: error: __nvvm_reflect argument must be a string constant
  %4 = call i32 @__nvvm_reflect(ptr @number)
; CHECK: .ll:19:{{[0-9]+}}: error: __nvvm_reflect can only be used in a call instruction
  store ptr @__nvvm_reflect, ptr %p, align 8
; CHECK: .ll:21:{{[0-9]+}}: error: __nvvm_reflect requires exactly one argument
  %5 = call i32 @__nvvm_reflect_ocl(ptr %p, i32 1)
  ret ptr null
}
