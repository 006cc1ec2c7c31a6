; RUN: ptxmir -x ir -emit-llvm -passes=separate-const-offset-from-gep %s -o - | FileCheck %s

%pair = type { float, [4 x i16] }

define ptr @sign_extended(ptr %p, i32 %i) {
; The sum does not wrap, so the constant can be added to the address.
; CHECK-LABEL: define ptr @sign_extended(
; CHECK-NEXT: [[X:%.*]] = sext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr %p, i64 [[X]]
; CHECK-NEXT: %r = getelementptr i8, ptr [[B]], i64 20
; CHECK-NEXT: ret ptr %r
  %j = add nsw i32 %i, 5
  %x = sext i32 %j to i64
  %r = getelementptr inbounds float, ptr %p, i64 %x
  ret ptr %r
}

define ptr @may_wrap(ptr %p, i32 %i) {
; CHECK-LABEL: define ptr @may_wrap(
; CHECK-NEXT: %j = add i32 %i, 5
; CHECK-NEXT: %x = sext i32 %j to i64
; CHECK-NEXT: %r = getelementptr inbounds float, ptr %p, i64 %x
; CHECK-NEXT: ret ptr %r
  %j = add i32 %i, 5
  %x = sext i32 %j to i64
  %r = getelementptr inbounds float, ptr %p, i64 %x
  ret ptr %r
}

define ptr @wrong_flag(ptr %p, i32 %i) {
; A promise about signed numbers says nothing of a zero extension.
; CHECK-LABEL: define ptr @wrong_flag(
; CHECK: getelementptr float, ptr %p, i64 %x
; CHECK-NEXT: ret ptr
  %j = add nsw i32 %i, 5
  %x = zext i32 %j to i64
  %r = getelementptr float, ptr %p, i64 %x
  ret ptr %r
}

define ptr @zero_extended(ptr %p, i32 %i) {
; CHECK-LABEL: define ptr @zero_extended(
; CHECK-NEXT: [[X:%.*]] = zext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr %p, i64 [[X]]
; CHECK-NEXT: getelementptr i8, ptr [[B]], i64 20
  %j = add nuw i32 %i, 5
  %x = zext i32 %j to i64
  %r = getelementptr float, ptr %p, i64 %x
  ret ptr %r
}

define ptr @not_negative(ptr %p, i32 %i) {
; This zero extension is a sign extension, too.
; CHECK-LABEL: define ptr @not_negative(
; CHECK-NEXT: [[X:%.*]] = sext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr %p, i64 [[X]]
; CHECK-NEXT: getelementptr i8, ptr [[B]], i64 -4
  %j = add nsw i32 %i, -1
  %x = zext nneg i32 %j to i64
  %r = getelementptr float, ptr %p, i64 %x
  ret ptr %r
}

define ptr @narrow_index(ptr %p, i32 %i) {
; An index is sign-extended.
; CHECK-LABEL: define ptr @narrow_index(
; CHECK-NEXT: [[X:%.*]] = sext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr %p, i64 [[X]]
; CHECK-NEXT: getelementptr i8, ptr [[B]], i64 -8
  %j = sub nsw i32 %i, 2
  %r = getelementptr float, ptr %p, i32 %j
  ret ptr %r
}

define ptr @sums(ptr %p, i64 %i, i64 %j) {
; All constants of a sum are taken out.
; CHECK-LABEL: define ptr @sums(
; CHECK-NEXT: [[S:%.*]] = sub i64 %i, %j
; CHECK-NEXT: [[B:%.*]] = getelementptr i16, ptr %p, i64 [[S]]
; CHECK-NEXT: getelementptr i8, ptr [[B]], i64 22
  %a = or disjoint i64 %i, 1
  %b = sub i64 10, %j
  %s = add i64 %a, %b
  %r = getelementptr i16, ptr %p, i64 %s
  ret ptr %r
}

define ptr @negated(ptr %p, i64 %j) {
; CHECK-LABEL: define ptr @negated(
; CHECK-NEXT: [[S:%.*]] = sub i64 0, %j
; CHECK-NEXT: [[B:%.*]] = getelementptr i16, ptr %p, i64 [[S]]
; CHECK-NEXT: getelementptr i8, ptr [[B]], i64 20
  %b = sub i64 10, %j
  %r = getelementptr i16, ptr %p, i64 %b
  ret ptr %r
}

define void @fields(ptr %p, i64 %i, ptr %q) {
; Constant indices at the end become an offset, so that fields share the address of their structure. What was within
; the object still is.
; CHECK-LABEL: define void @fields(
; CHECK-NEXT: [[A:%.*]] = getelementptr inbounds %pair, ptr %p, i64 %i
; CHECK-NEXT: store ptr [[A]], ptr %q
; CHECK-NEXT: [[B:%.*]] = getelementptr inbounds %pair, ptr %p, i64 %i
; CHECK-NEXT: [[C:%.*]] = getelementptr inbounds i8, ptr [[B]], i64 8
; CHECK-NEXT: store ptr [[C]], ptr %q
  %a = getelementptr inbounds %pair, ptr %p, i64 %i, i32 0
  store ptr %a, ptr %q
  %b = getelementptr inbounds %pair, ptr %p, i64 %i, i32 1, i64 2
  store ptr %b, ptr %q
  ret void
}

define ptr @inner(ptr %p, i64 %i, i64 %j) {
; The field in the middle stays; it tells the type of what follows.
; CHECK-LABEL: define ptr @inner(
; CHECK-NEXT: [[A:%.*]] = getelementptr %pair, ptr %p, i64 %i, i32 1, i64 %j
; CHECK-NEXT: getelementptr i8, ptr [[A]], i64 18
  %k = add i64 %i, 1
  %l = add i64 %j, 3
  %r = getelementptr %pair, ptr %p, i64 %k, i32 1, i64 %l
  ret ptr %r
}

define ptr @too_far(ptr %p, i64 %i) {
; An access holds 32 bits of offset.
; CHECK-LABEL: define ptr @too_far(
; CHECK: getelementptr i32, ptr %p, i64 %j
  %j = add i64 %i, 536870912
  %r = getelementptr i32, ptr %p, i64 %j
  ret ptr %r
}

define ptr @constant(ptr %p) {
; CHECK-LABEL: define ptr @constant(
; CHECK-NEXT: %r = getelementptr %pair, ptr %p, i64 1, i32 1, i64 2
  %r = getelementptr %pair, ptr %p, i64 1, i32 1, i64 2
  ret ptr %r
}

define ptr @several_uses(ptr %p, i32 %i, ptr %q) {
; What other code uses stays.
; CHECK-LABEL: define ptr @several_uses(
; CHECK-NEXT: %j = add nsw i32 %i, 5
; CHECK-NEXT: store i32 %j, ptr %q
; CHECK-NEXT: [[X:%.*]] = sext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr %p, i64 [[X]]
  %j = add nsw i32 %i, 5
  store i32 %j, ptr %q
  %x = sext i32 %j to i64
  %r = getelementptr float, ptr %p, i64 %x
  ret ptr %r
}

define ptr addrspace(3) @within_small_object(ptr addrspace(3) %p, i32 %i, i32 %k) {
; An index that wrapped would be far outside of shared memory. The rest is a sum of 32 bits, as the index was.
; CHECK-LABEL: define ptr addrspace(3) @within_small_object(
; CHECK-NEXT: [[S:%.*]] = add i32 %i, %k
; CHECK-NEXT: [[X:%.*]] = sext i32 [[S]] to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr addrspace(3) %p, i64 [[X]]
; CHECK-NEXT: %r = getelementptr i8, ptr addrspace(3) [[B]], i64 20
; CHECK-NEXT: ret ptr addrspace(3) %r
  %j = add i32 %i, 5
  %l = add i32 %j, %k
  %x = sext i32 %l to i64
  %r = getelementptr inbounds float, ptr addrspace(3) %p, i64 %x
  ret ptr addrspace(3) %r
}

define ptr addrspace(3) @zero_extended_within_small_object(ptr addrspace(3) %p, i32 %i) {
; The rest may be negative.
; CHECK-LABEL: define ptr addrspace(3) @zero_extended_within_small_object(
; CHECK-NEXT: [[X:%.*]] = sext i32 %i to i64
; CHECK-NEXT: [[B:%.*]] = getelementptr float, ptr addrspace(3) %p, i64 [[X]]
; CHECK-NEXT: %r = getelementptr i8, ptr addrspace(3) [[B]], i64 20
  %j = add i32 %i, 5
  %x = zext i32 %j to i64
  %r = getelementptr inbounds float, ptr addrspace(3) %p, i64 %x
  ret ptr addrspace(3) %r
}

define ptr addrspace(3) @anywhere_in_shared_memory(ptr addrspace(3) %p, i32 %i) {
; CHECK-LABEL: define ptr addrspace(3) @anywhere_in_shared_memory(
; CHECK: getelementptr float, ptr addrspace(3) %p, i64 %x
; CHECK-NEXT: ret ptr
  %j = add i32 %i, 5
  %x = sext i32 %j to i64
  %r = getelementptr float, ptr addrspace(3) %p, i64 %x
  ret ptr addrspace(3) %r
}

define ptr addrspace(3) @far_constant(ptr addrspace(3) %p, i32 %i) {
; The index less the constant may wrap.
; CHECK-LABEL: define ptr addrspace(3) @far_constant(
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %p, i64 %x
; CHECK-NEXT: ret ptr
  %j = add i32 %i, 2147483647
  %x = sext i32 %j to i64
  %r = getelementptr inbounds i8, ptr addrspace(3) %p, i64 %x
  ret ptr addrspace(3) %r
}

@small = addrspace(1) global [100 x i32] zeroinitializer
@large = addrspace(1) global [100000000 x i32] zeroinitializer
@unknown = external addrspace(1) global [100 x i32]

define void @of_variables(i32 %i, ptr %out) {
; CHECK-LABEL: define void @of_variables(
; CHECK: [[B:%.*]] = getelementptr i32, ptr addrspace(1) @small, i64
; CHECK-NEXT: %a = getelementptr i8, ptr addrspace(1) [[B]], i64 20
; CHECK-NEXT: %b = getelementptr inbounds i32, ptr addrspace(1) @large, i64 %x
; CHECK-NEXT: %c = getelementptr inbounds i32, ptr addrspace(1) @unknown, i64 %x
  %j = add i32 %i, 5
  %x = sext i32 %j to i64
  %a = getelementptr inbounds i32, ptr addrspace(1) @small, i64 %x
  %b = getelementptr inbounds i32, ptr addrspace(1) @large, i64 %x
  %c = getelementptr inbounds i32, ptr addrspace(1) @unknown, i64 %x
  store ptr addrspace(1) %a, ptr %out
  store ptr addrspace(1) %b, ptr %out
  store ptr addrspace(1) %c, ptr %out
  ret void
}
