; RUN: ptxmir -x ir -emit-llvm -passes=codegenprepare %s -o - | FileCheck %s
; RUN: ptxmir -x ir -mcpu=sm_80 %s -o - | FileCheck --check-prefix=PTX %s

define ptx_kernel void @used_below(ptr addrspace(1) %p, i32 %i, i1 %c) {
; CHECK-LABEL: define ptx_kernel void @used_below(
; CHECK-NEXT: entry:
; CHECK-NEXT: br i1
; CHECK: left:
; CHECK-NEXT: [[X:%.*]] = zext nneg i32 %i to i64
; CHECK-NEXT: %a = getelementptr float, ptr addrspace(1) %p, i64 [[X]]
; CHECK: right:
; CHECK-NEXT: [[Y:%.*]] = zext nneg i32 %i to i64
; CHECK-NEXT: %b = getelementptr i64, ptr addrspace(1) %p, i64 [[Y]]
; PTX-LABEL: used_below(
; PTX: mad.wide.u32
; PTX: mad.wide.u32
entry:
  %x = zext nneg i32 %i to i64
  br i1 %c, label %left, label %right
left:
  %a = getelementptr float, ptr addrspace(1) %p, i64 %x
  store float 0.0, ptr addrspace(1) %a
  ret void
right:
  %b = getelementptr i64, ptr addrspace(1) %p, i64 %x
  store i64 0, ptr addrspace(1) %b
  ret void
}

define i64 @other_uses(ptr %p, i32 %i, i1 %c) {
; What is no address keeps its operand, and so does an address of the same block.
; CHECK-LABEL: define i64 @other_uses(
; CHECK: %x = sext i32 %i to i64
; CHECK-NEXT: %a = getelementptr float, ptr %p, i64 %x
; CHECK: next:
; CHECK-NEXT: %y = add i64 %x, 1
entry:
  %x = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %x
  store float 0.0, ptr %a
  br label %next
next:
  %y = add i64 %x, 1
  ret i64 %y
}

define i64 @products(i32 %a, i32 %b, i32 %s, i64 %w, i1 %c) {
; Factors that are extended in another block are extended again, all in one way.
; CHECK-LABEL: define i64 @products(
; CHECK: next:
; CHECK-NEXT: [[A:%.*]] = zext i32 %a to i64
; CHECK-NEXT: [[B:%.*]] = zext nneg i32 %b to i64
; CHECK-NEXT: %p = mul i64 [[A]], [[B]]
; CHECK-NEXT: [[C:%.*]] = sext i32 %b to i64
; CHECK-NEXT: [[S:%.*]] = sext i32 %s to i64
; CHECK-NEXT: %q = mul i64 [[C]], [[S]]
; CHECK-NEXT: [[D:%.*]] = zext i32 %a to i64
; CHECK-NEXT: %r = mul i64 [[D]], 36
; A product of other factors, of both signs, or by a wide constant, has no shorter form.
; CHECK-NEXT: %t = mul i64 %x, %w
; CHECK-NEXT: %u = mul i64 %x, %z
; CHECK-NEXT: %v = mul i64 %z, 4294967296
; PTX-LABEL: products(
; PTX: mul.wide.u32
; PTX: mul.wide.s32
; PTX: mul.wide.u32 {{.*}}, 36;
entry:
  %x = zext i32 %a to i64
  %y = zext nneg i32 %b to i64
  %z = sext i32 %s to i64
  br i1 %c, label %next, label %exit
next:
  %p = mul i64 %x, %y
  %q = mul i64 %y, %z
  %r = mul i64 %x, 36
  %t = mul i64 %x, %w
  %u = mul i64 %x, %z
  %v = mul i64 %z, 4294967296
  %pq = xor i64 %p, %q
  %rt = xor i64 %r, %t
  %uv = xor i64 %u, %v
  %pqrt = xor i64 %pq, %rt
  %all = xor i64 %pqrt, %uv
  ret i64 %all
exit:
  ret i64 %y
}
