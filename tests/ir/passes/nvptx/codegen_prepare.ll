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
