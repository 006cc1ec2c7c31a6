; Objects that are accessed in parts, copied and filled become values; others stay.
;
; RUN: ptxmir -x ir -emit-llvm -passes=sroa %s -o - | FileCheck %s

%pair = type { i32, float }

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @escape(ptr)

define i32 @branch(i1 %c, i32 %a, i32 %b) {
; A variable that a branch changes gets a PHI.
; CHECK-LABEL: define i32 @branch(
; CHECK-NOT: alloca
; CHECK: join:
; CHECK-NEXT: [[X:%.*]] = phi i32 [ %b, %then ], [ %a, %entry ]
; CHECK-NEXT: ret i32 [[X]]
entry:
  %x = alloca i32, align 4
  store i32 %a, ptr %x, align 4
  br i1 %c, label %then, label %join
then:
  store i32 %b, ptr %x, align 4
  br label %join
join:
  %v = load i32, ptr %x, align 4
  ret i32 %v
}

define float @members(i32 %i, float %f) {
; CHECK-LABEL: define float @members(
; CHECK-NOT: alloca
; CHECK: ret float %f
  %p = alloca %pair, align 4
  store i32 %i, ptr %p, align 4
  %second = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  store float %f, ptr %second, align 4
  %v = load float, ptr %second, align 4
  ret float %v
}

define float @copy(ptr %from) {
; A copy from memory loads each member at its place.
; CHECK-LABEL: define float @copy(
; CHECK-NOT: alloca
; CHECK: getelementptr inbounds i8, ptr %from, i64 4
; CHECK-NEXT: load float, ptr {{.*}}, align 4
; CHECK-NOT: memcpy
; CHECK: ret float
  %p = alloca %pair, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 8 %from, i64 8, i1 false)
  %second = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  %v = load float, ptr %second, align 4
  ret float %v
}

define i32 @fill() {
; CHECK-LABEL: define i32 @fill(
; CHECK-NOT: alloca
; CHECK: ret i32 16843009
  %p = alloca i32, align 4
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 1, i64 4, i1 false)
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i32 @pun(float %f) {
; One type in, another one out.
; CHECK-LABEL: define i32 @pun(
; CHECK: [[V:%.*]] = bitcast float %f to i32
; CHECK-NEXT: ret i32 [[V]]
  %p = alloca float, align 4
  store float %f, ptr %p, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i32 @whole(i32 %i, float %f) {
; CHECK-LABEL: define i32 @whole(
; CHECK-NOT: alloca
; CHECK: ret i32 %i
  %p = alloca %pair, align 4
  %a = insertvalue %pair poison, i32 %i, 0
  %b = insertvalue %pair %a, float %f, 1
  store %pair %b, ptr %p, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

define i32 @stays(i64 %n) {
; What is volatile, indexed by a variable, or given away stays in memory.
; CHECK-LABEL: define i32 @stays(
; CHECK: alloca i32
; CHECK: alloca [4 x i32]
; CHECK: alloca i32
  %a = alloca i32, align 4
  %b = alloca [4 x i32], align 4
  %c = alloca i32, align 4
  store volatile i32 1, ptr %a, align 4
  %e = getelementptr inbounds [4 x i32], ptr %b, i64 0, i64 %n
  store i32 2, ptr %e, align 4
  %v = load i32, ptr %b, align 4
  call void @escape(ptr %c)
  ret i32 %v
}

define i8 @crossing(i32 %i) {
; A byte of an integer is no part of its own: the object stays memory.
; CHECK-LABEL: define i8 @crossing(
; CHECK: alloca
; CHECK: load i8
  %p = alloca i32, align 4
  store i32 %i, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 1
  %v = load i8, ptr %q, align 1
  ret i8 %v
}
