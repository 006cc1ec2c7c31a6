; The pointers with a type that LLVM wrote before version 15 are read as pointers.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK-LABEL: define float @f(
; CHECK: %1 = getelementptr inbounds float, ptr addrspace(1) %p, i64 4
; CHECK-NEXT: %2 = bitcast ptr addrspace(1) %1 to ptr addrspace(1)
; CHECK-NEXT: %3 = load ptr, ptr %q, align 8
; CHECK-NEXT: %4 = load float, ptr addrspace(1) %1, align 4
; CHECK-NEXT: %5 = call i32 %fp(ptr addrspace(1) %p)
define float @f(float addrspace(1)* %p, i8** %q, i32 (float addrspace(1)*)* %fp) {
  %1 = getelementptr inbounds float, float addrspace(1)* %p, i64 4
  %2 = bitcast float addrspace(1)* %1 to i32 addrspace(1)*
  %3 = load i8*, i8** %q, align 8
  %4 = load float, float addrspace(1)* %1, align 4
  %5 = call i32 %fp(float addrspace(1)* %p)
  ret float %4
}
