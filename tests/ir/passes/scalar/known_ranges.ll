; What ranges tell: comparisons that are decided, and signs that cannot be.
; RUN: ptxmir -x ir -emit-llvm -passes=early-cse -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-intr-range,early-cse,simplifycfg -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=RANGE
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-intr-range,early-cse -verify-exec %s -o /dev/null
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.umin.i32(i32, i32)

define void @comparisons(ptr %out, i32 %x, i8 %b) {
; CHECK-LABEL: define void @comparisons(
; CHECK: store i1 true, ptr %out
; CHECK: store i1 false, ptr %out
; CHECK: store i1 true, ptr %out
; CHECK: store i1 true, ptr %out
; CHECK: store i1 false, ptr %out
; CHECK: %rem = urem
; CHECK: [[OPEN:%.*]] = icmp ult i32 %rem, 9
; CHECK: store i1 [[OPEN]], ptr %out
; CHECK: ret void
  %mask = and i32 %x, 15
  %c1 = icmp ult i32 %mask, 16
  store i1 %c1, ptr %out, align 1
  %shifted = lshr i32 %x, 28
  %c2 = icmp ugt i32 %shifted, 15
  store i1 %c2, ptr %out, align 1
  %wide = zext i8 %b to i32
  %c3 = icmp sgt i32 %wide, -1
  store i1 %c3, ptr %out, align 1
  %sum = add i32 %mask, %wide
  %c4 = icmp ne i32 %sum, 300
  store i1 %c4, ptr %out, align 1
  %least = call i32 @llvm.umin.i32(i32 %x, i32 7)
  %c5 = icmp eq i32 %least, 8
  store i1 %c5, ptr %out, align 1
  %rem = urem i32 %x, 10
  %c6 = icmp ult i32 %rem, 9
  store i1 %c6, ptr %out, align 1
  ret void
}

define void @signs(ptr %out, i32 %x, i32 %y) {
; CHECK-LABEL: define void @signs(
; CHECK: zext nneg i32 %mask to i64
; CHECK: udiv i32 %mask, 3
; CHECK: urem i32 %mask, 3
; CHECK: lshr exact i32 %mask, 2
; CHECK: sdiv i32 %x, 3
; CHECK: ashr i32 %y, 2
  %mask = and i32 %x, 4095
  %a = sext i32 %mask to i64
  store i64 %a, ptr %out, align 8
  %b = sdiv i32 %mask, 3
  store i32 %b, ptr %out, align 8
  %c = srem i32 %mask, 3
  store i32 %c, ptr %out, align 8
  %d = ashr exact i32 %mask, 2
  store i32 %d, ptr %out, align 8
  %e = sdiv i32 %x, 3
  store i32 %e, ptr %out, align 8
  %f = ashr i32 %y, 2
  store i32 %f, ptr %out, align 8
  ret void
}

; The bound of a loop's counter is not known, and what may wrap has no bound.
define i1 @unknown(i32 %x) {
; CHECK-LABEL: define i1 @unknown(
; CHECK: add i32
; CHECK: icmp ult
  %low = or i32 %x, 4
  %sum = add i32 %low, 4
  %c = icmp ult i32 %sum, 8
  ret i1 %c
}

define ptx_kernel void @launch_bounds(ptr %out) "nvvm.maxntid"="128" {
; RANGE-LABEL: define ptx_kernel void @launch_bounds(
; RANGE: [[TID:%.*]] = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; RANGE-NEXT: [[WIDE:%.*]] = zext nneg i32 [[TID]] to i64
; RANGE-NEXT: getelementptr i32, ptr %out, i64 [[WIDE]]
; RANGE-NEXT: store i32 1
; RANGE-NEXT: ret void
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = sext i32 %tid to i64
  %p = getelementptr i32, ptr %out, i64 %wide
  %inside = icmp slt i32 %tid, 128
  br i1 %inside, label %store, label %end
store:
  store i32 1, ptr %p, align 4
  br label %end
end:
  ret void
}
