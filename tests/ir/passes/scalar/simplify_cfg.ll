; RUN: ptxmir -x ir -emit-llvm -passes=simplifycfg %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-reflect-pp %s -o - | FileCheck %s --check-prefix=PP

define i32 @constant(i32 %a) {
; CHECK-LABEL: define i32 @constant(
; CHECK-NEXT: %x = add i32 %a, 1
; CHECK-NEXT: ret i32 %x
; PP-LABEL: define i32 @constant(
; PP: br label %then
; PP-NOT: else:
  br i1 true, label %then, label %else
then:
  %x = add i32 %a, 1
  br label %join
else:
  br label %join
join:
  %r = phi i32 [ %x, %then ], [ 0, %else ]
  ret i32 %r
}

define i32 @cases() {
; CHECK-LABEL: define i32 @cases(
; CHECK-NEXT: ret i32 2
  switch i32 7, label %other [
    i32 1, label %one
    i32 7, label %seven
  ]
other:
  ret i32 0
one:
  ret i32 1
seven:
  ret i32 2
}

define i32 @choice(i1 %c, i32 %a) {
; A conditional branch stays, and nothing is speculated.
; CHECK-LABEL: define i32 @choice(
; CHECK: br i1 %c, label %then, label %join
; CHECK: phi i32
entry:
  br i1 %c, label %then, label %join
then:
  %x = add i32 %a, 1
  br label %join
join:
  %r = phi i32 [ %x, %then ], [ %a, %entry ]
  ret i32 %r
}

define void @empty(i1 %c, ptr %p) {
; CHECK-LABEL: define void @empty(
; CHECK: br i1 %c, label %a, label %exit
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p, align 4
  br label %exit
b:
  br label %exit
exit:
  ret void
}
