; Metadata must suit the instruction that it is attached to.
;
; RUN: not ptxmir -x ir -emit-llvm %s 2>&1 | FileCheck %s

define void @f(ptr %p) {
  %1 = add i32 1, 2, !range !0
  %2 = load i64, ptr %p, !range !0
  %3 = load i32, ptr %p, !nonnull !1
  ret void, !dbg !1
}

!0 = !{i32 0, i32 5}
!1 = !{}

; CHECK: metadata.ll:6:8: error: Ranges are only for loads, calls and invokes!
; CHECK: metadata.ll:7:8: error: Range types must match instruction type!
; CHECK: metadata.ll:8:8: error: nonnull applies only to pointer types
; CHECK: metadata.ll:9:3: error: invalid !dbg metadata attachment
