; RUN: ptxmir -x ir -emit-llvm -passes=infer-alignment %s -o - | FileCheck %s

@shared = internal addrspace(3) global [32 x [4 x float]] undef, align 16
@declared = external addrspace(1) global [4 x float]

define void @variable(i32 %i, i64 %j) {
; CHECK-LABEL: define void @variable(
; CHECK: load float, ptr addrspace(3) %a, align 16
; CHECK: load float, ptr addrspace(3) %b, align 8
; CHECK: load float, ptr addrspace(3) %c, align 4
; CHECK: load float, ptr %d, align 16
; CHECK: load float, ptr addrspace(3) %e, align 4
  %x = zext i32 %i to i64
  %a = getelementptr [4 x float], ptr addrspace(3) @shared, i64 %x
  %va = load float, ptr addrspace(3) %a, align 4
  %b = getelementptr i8, ptr addrspace(3) %a, i64 8
  %vb = load float, ptr addrspace(3) %b, align 4
  %c = getelementptr i8, ptr addrspace(3) %a, i64 12
  %vc = load float, ptr addrspace(3) %c, align 4
  %g = addrspacecast ptr addrspace(3) @shared to ptr
  %d = getelementptr [4 x float], ptr %g, i64 %j
  %vd = load float, ptr %d, align 4
  %e = getelementptr float, ptr addrspace(3) @shared, i64 %j
  %ve = load float, ptr addrspace(3) %e, align 4
  ret void
}

define void @elsewhere(ptr align 8 %p, ptr %q, i64 %i) {
; Another module may define the variable with less than its type prefers.
; CHECK-LABEL: define void @elsewhere(
; CHECK: load float, ptr addrspace(1) @declared, align 4
; CHECK: load float, ptr %p, align 8
; CHECK: load float, ptr %q, align 4
  %a = load float, ptr addrspace(1) @declared, align 4
  %b = load float, ptr %p, align 4
  %c = load float, ptr %q, align 4
  ret void
}

define void @zeros(ptr align 32 %p, i64 %i, i1 %c, i64 %n) {
; Low bits that masks, shifts, products and choices leave 0.
; CHECK-LABEL: define void @zeros(
; CHECK: store i32 0, ptr %a, align 8
; CHECK: store i32 1, ptr %b, align 16
; CHECK: store i32 2, ptr %d, align 8
; CHECK: store i32 3, ptr %e, align 4
; CHECK: store i32 4, ptr %f, align 32
; CHECK: loop:
; CHECK: store i32 5, ptr %g, align 16
entry:
  %and = and i64 %i, -2
  %a = getelementptr i32, ptr %p, i64 %and
  store i32 0, ptr %a, align 4
  %shl = shl i64 %i, 2
  %b = getelementptr i32, ptr %p, i64 %shl
  store i32 1, ptr %b, align 4
  %select = select i1 %c, i64 %shl, i64 %and
  %d = getelementptr i32, ptr %p, i64 %select
  store i32 2, ptr %d, align 4
  %lshr = lshr i64 %shl, 1
  %e = getelementptr i32, ptr %p, i64 %lshr
  store i32 3, ptr %e, align 4
  %mul = mul i64 %shl, %and
  %f = getelementptr i32, ptr %p, i64 %mul
  store i32 4, ptr %f, align 4
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %g = getelementptr i32, ptr %p, i64 %k
  store i32 5, ptr %g, align 4
  %next = add i64 %k, 4
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
