; RUN: ptxmir -x ir -emit-llvm -passes=base-address-sr %s -o - | FileCheck %s

define void @constant_difference(ptr %p, i32 %x, i32 %y) {
; x + (y + 1) and (x + 1) + y are the same, however they are computed.
; CHECK-LABEL: define void @constant_difference(
; CHECK: %a = getelementptr inbounds float, ptr %p, i64 %i
; CHECK-NEXT: store float 1.000000e+00, ptr %a
; CHECK-NEXT: [[B:%.*]] = getelementptr i8, ptr %a, i64 8
; CHECK-NEXT: store float 2.000000e+00, ptr [[B]]
; CHECK-NEXT: ret void
  %y1 = add nsw i32 %y, 1
  %s = add nsw i32 %x, %y1
  %i = sext i32 %s to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  store float 1.0, ptr %a
  %x3 = add nsw i32 %x, 3
  %t = add nsw i32 %x3, %y
  %j = sext i32 %t to i64
  %b = getelementptr inbounds float, ptr %p, i64 %j
  store float 2.0, ptr %b
  ret void
}

define void @products(ptr %p, i32 %x, i32 %w) {
; CHECK-LABEL: define void @products(
; CHECK: store i32 1, ptr %a
; CHECK-NEXT: [[B:%.*]] = getelementptr i8, ptr %a, i64 -12
; CHECK-NEXT: store i32 2, ptr [[B]]
  %m = mul nsw i32 %w, %x
  %i = sext i32 %m to i64
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  %x64 = sext i32 %x to i64
  %w64 = sext i32 %w to i64
  %n = mul i64 %x64, %w64
  %j = sub i64 %n, 3
  %b = getelementptr i32, ptr %p, i64 %j
  store i32 2, ptr %b
  ret void
}

define void @below(ptr %p, i64 %i, i1 %c) {
; An address serves the blocks that it dominates, and only these.
; CHECK-LABEL: define void @below(
; CHECK: left:
; CHECK-NEXT: [[A:%.*]] = getelementptr i8, ptr %a, i64 4
; CHECK-NEXT: store i32 1, ptr [[A]]
; CHECK-NEXT: [[B:%.*]] = getelementptr i32, ptr %p, i64 %k
; CHECK-NEXT: store i32 2, ptr [[B]]
; CHECK: right:
; CHECK-NEXT: [[C:%.*]] = getelementptr i32, ptr %p, i64 %k
; CHECK-NEXT: store i32 3, ptr [[C]]
entry:
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %a
  %j = add i64 %i, 1
  %k = mul i64 %i, 7
  br i1 %c, label %left, label %right
left:
  %a1 = getelementptr i32, ptr %p, i64 %j
  store i32 1, ptr %a1
  %b = getelementptr i32, ptr %p, i64 %k
  store i32 2, ptr %b
  ret void
right:
  %d = getelementptr i32, ptr %p, i64 %k
  store i32 3, ptr %d
  ret void
}

define void @multiples(ptr %p, i64 %i, i64 %n) {
; The stride is computed once.
; CHECK-LABEL: define void @multiples(
; CHECK-NEXT: %a = getelementptr inbounds float, ptr %p, i64 %i
; CHECK-NEXT: store float 0.000000e+00, ptr %a
; CHECK-NEXT: [[S:%.*]] = shl i64 %n, 2
; CHECK-NEXT: [[B:%.*]] = getelementptr i8, ptr %a, i64 [[S]]
; CHECK-NEXT: store float 1.000000e+00, ptr [[B]]
; CHECK-NEXT: [[C:%.*]] = getelementptr i8, ptr [[B]], i64 [[S]]
; CHECK-NEXT: [[D:%.*]] = getelementptr i8, ptr [[C]], i64 16
; CHECK-NEXT: store float 2.000000e+00, ptr [[D]]
; CHECK-NEXT: ret void
  %a = getelementptr inbounds float, ptr %p, i64 %i
  store float 0.0, ptr %a
  %j = add i64 %i, %n
  %b = getelementptr inbounds float, ptr %p, i64 %j
  store float 1.0, ptr %b
  %k = add i64 %j, %n
  %l = add i64 %k, 4
  %c = getelementptr inbounds float, ptr %p, i64 %l
  store float 2.0, ptr %c
  ret void
}

define ptr @poison(ptr %p, i32 %i, ptr %q) {
; The first address is poison where %i + 1 overflows, the second one is not, and no memory is accessed at the first.
; CHECK-LABEL: define ptr @poison(
; CHECK: getelementptr i8, ptr %p, i64 [[X:%.*]]
; CHECK: %b = getelementptr i8, ptr %p, i64 %y
; CHECK-NEXT: ret ptr %b
  %i1 = add nsw i32 %i, 1
  %x = sext i32 %i1 to i64
  %a = getelementptr i8, ptr %p, i64 %x
  store ptr %a, ptr %q
  %y = sext i32 %i to i64
  %b = getelementptr i8, ptr %p, i64 %y
  ret ptr %b
}

define void @accessed(ptr %p, i32 %i) {
; Here an access says that it is not poison.
; CHECK-LABEL: define void @accessed(
; CHECK: store i8 1, ptr %a
; CHECK-NEXT: [[B:%.*]] = getelementptr i8, ptr %a, i64 -1
; CHECK-NEXT: store i8 2, ptr [[B]]
  %i1 = add nsw i32 %i, 1
  %x = sext i32 %i1 to i64
  %a = getelementptr i8, ptr %p, i64 %x
  store i8 1, ptr %a
  %y = sext i32 %i to i64
  %b = getelementptr i8, ptr %p, i64 %y
  store i8 2, ptr %b
  ret void
}

define void @not_accessed_on_all_paths(ptr %p, i32 %i, i1 %c) {
; CHECK-LABEL: define void @not_accessed_on_all_paths(
; CHECK: right:
; CHECK-NEXT: %b = getelementptr i8, ptr %p, i64 %y
entry:
  %i1 = add nsw i32 %i, 1
  %x = sext i32 %i1 to i64
  %y = sext i32 %i to i64
  %a = getelementptr i8, ptr %p, i64 %x
  br i1 %c, label %left, label %right
left:
  store i8 1, ptr %a
  ret void
right:
  %b = getelementptr i8, ptr %p, i64 %y
  store i8 2, ptr %b
  ret void
}

define ptr @bounds(ptr %p, i64 %i, ptr %q) {
; The second address may be out of bounds, so the first one no longer promises that it is not.
; CHECK-LABEL: define ptr @bounds(
; CHECK-NEXT: %a = getelementptr i8, ptr %p, i64 %i
; CHECK-NEXT: store ptr %a, ptr %q
; CHECK-NEXT: [[B:%.*]] = getelementptr i8, ptr %a, i64 9
; CHECK-NEXT: ret ptr [[B]]
  %a = getelementptr inbounds i8, ptr %p, i64 %i
  store ptr %a, ptr %q
  %j = add i64 %i, 9
  %b = getelementptr i8, ptr %p, i64 %j
  ret ptr %b
}

define ptr @lost_term(ptr %p, i64 %i, i64 %k) {
; %k - %k is 0 only if %k is not poison.
; CHECK-LABEL: define ptr @lost_term(
; CHECK: %b = getelementptr i8, ptr %p, i64 %s
; CHECK-NEXT: ret ptr %b
  %z = sub i64 %k, %k
  %j = add i64 %i, %z
  %a = getelementptr i8, ptr %p, i64 %j
  store volatile i8 0, ptr %p
  %s = add i64 %i, 1
  %b = getelementptr i8, ptr %p, i64 %s
  ret ptr %b
}

define void @wrapping(ptr %p, i8 %i) {
; %i + 1 may wrap around, and the second address then is 255 bytes below the first one. llc-22 takes it for the next byte.
; CHECK-LABEL: define void @wrapping(
; CHECK: %b = getelementptr i8, ptr %p, i64 %y
; CHECK-NEXT: store i8 2, ptr %b
  %x = sext i8 %i to i64
  %a = getelementptr i8, ptr %p, i64 %x
  store i8 1, ptr %a
  %i1 = add i8 %i, 1
  %y = sext i8 %i1 to i64
  %b = getelementptr i8, ptr %p, i64 %y
  store i8 2, ptr %b
  ret void
}
