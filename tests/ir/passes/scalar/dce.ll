; RUN: ptxmir -x ir -emit-llvm -passes=dce %s -o - | FileCheck %s

declare i32 @pure(i32) nounwind willreturn memory(none)
declare i32 @loops(i32) memory(none)

define void @unused(ptr %p) {
; CHECK-LABEL: define void @unused(
; CHECK-NOT: %x
; CHECK-NOT: @pure(
; CHECK: call i32 @loops(i32 1)
; CHECK: load volatile
; CHECK-NOT: store
; CHECK: ret void
  %o = alloca i32, align 4
  store i32 1, ptr %o, align 4
  %x = load i32, ptr %p, align 4
  %y = call i32 @pure(i32 %x)
  %z = call i32 @loops(i32 1)
  %w = load volatile i32, ptr %p, align 4
  ret void
}

define void @cycle(i1 %c) {
; PHIs that only use each other.
; CHECK-LABEL: define void @cycle(
; CHECK: loop:
; CHECK-NEXT: br i1 %c
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 1
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
