; RUN: ptxmir -x ir -emit-llvm -passes=alloca-hoisting %s -o - | FileCheck %s

define void @f(i32 %n) {
; CHECK-LABEL: define void @f(
; CHECK-NEXT: %x = alloca i32, align 4
; CHECK-NEXT: br label %next
; CHECK: %y = alloca i32, i32 %n
  br label %next
next:
  %x = alloca i32, align 4
  %y = alloca i32, i32 %n, align 4
  store i32 1, ptr %x, align 4
  ret void
}
