; Each function breaks one rule of LLVM's verifier. The error is at the instruction.
;
; RUN: not ptxmir -x ir -emit-llvm %s 2>&1 | FileCheck %s

declare i32 @callee(i32)

define float @arith(float %a) {
  %1 = add float %a, %a
  ret float %1
}

define i64 @cast(i32 %a) {
  %1 = trunc i32 %a to i64
  ret i64 %1
}

define i64 @bits(i32 %a) {
  %1 = bitcast i32 %a to i64
  ret i64 %1
}

define void @load_order(ptr %p) {
  %1 = load atomic i32, ptr %p release, align 4
  ret void
}

define void @fence_order() {
  fence monotonic
  ret void
}

define void @store_pointer(i64 %p) {
  store i32 0, i64 %p
  ret void
}

define void @rmw(ptr %p) {
  %1 = atomicrmw add ptr %p, float 1.0 seq_cst
  ret void
}

define void @gep(ptr %p) {
  %1 = getelementptr { i32, i32 }, ptr %p, i64 0, i32 2
  ret void
}

define void @call_type() {
  %1 = call i32 (i32) @callee(i64 0)
  ret void
}

define void @shuffle(<2 x i32> %v) {
  %1 = shufflevector <2 x i32> %v, <2 x i32> %v, <2 x i32> <i32 0, i32 4>
  ret void
}

; CHECK: operands.ll:8:8: error: Integer arithmetic operators only work with integral types!
; CHECK: operands.ll:13:8: error: DestTy too big for Trunc
; CHECK: operands.ll:18:8: error: Invalid bitcast
; CHECK: operands.ll:23:8: error: Load cannot have Release ordering
; CHECK: operands.ll:28:3: error: fence instructions may only have acquire, release, acq_rel, or seq_cst ordering.
; CHECK: operands.ll:33:3: error: Store operand must be a pointer.
; CHECK: operands.ll:38:8: error: atomicrmw operand must have integer type!
; CHECK: operands.ll:43:8: error: Invalid indices for GEP pointer type!
; CHECK: operands.ll:48:8: error: Call parameter type does not match function signature!
; CHECK: operands.ll:53:8: error: Invalid shufflevector operands!
