; Before version 12 of LLVM, byval and sret took their type from that of the pointer.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

%T = type { i32, %U* }
%U = type { float }

; CHECK: {{^ *}}declare void @f(ptr byval(%T) align 8, ptr addrspace(1) sret([4 x i32]))
declare void @f(%T* byval align 8, [4 x i32] addrspace(1)* sret)

; CHECK: {{^ *}}define void @k(ptr byval(%T) %p, ptr addrspace(1) %q, ptr byval(ptr addrspace(3)) %r) {
; CHECK: {{^ *}}call void @f(ptr nonnull byval(%T) align 8 %p, ptr addrspace(1) sret([4 x i32]) %q)
; CHECK: {{^ *}}call void @g(ptr byval(%U) null)
; CHECK: {{^ *}}call void @g(ptr byval(i32) null)
define void @k(%T* byval %p, [4 x i32] addrspace(1)* %q, i8 addrspace(3)** byval %r) {
  call void @f(%T* nonnull byval align 8 %p, [4 x i32] addrspace(1)* sret %q)
  call void @g(%U* byval null)
  call void @g(i32* byval null)
  ret void
}

declare void @g(%U* byval)
