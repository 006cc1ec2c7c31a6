; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-reflect -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-reflect -nvvm-reflect-add=__CUDA_FTZ=2 -R B=7 %s -o - | FileCheck %s --check-prefix=ADD
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-reflect -nvvm-reflect-enable=false %s -o - | FileCheck %s --check-prefix=OFF

@ftz = private addrspace(4) constant [11 x i8] c"__CUDA_FTZ\00"
@arch = private addrspace(4) constant [12 x i8] c"__CUDA_ARCH\00"
@a = private constant [2 x i8] c"A\00"
@b = private constant [2 x i8] c"B\00"

declare i32 @__nvvm_reflect(ptr)
declare i32 @llvm.nvvm.reflect(ptr)

define i32 @f(ptr %p) {
; CHECK-LABEL: define i32 @f(
; CHECK: store i32 1, ptr %p
; CHECK: store i32 800, ptr %p
; CHECK: store i32 -1, ptr %p
; CHECK: store i32 0, ptr %p
; ADD: store i32 2, ptr %p
; ADD: store i32 0, ptr %p
; ADD: store i32 -1, ptr %p
; ADD: store i32 7, ptr %p
; OFF: call i32 @__nvvm_reflect
  %1 = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @ftz to ptr))
  store i32 %1, ptr %p, align 4
  %q = addrspacecast ptr addrspace(4) @arch to ptr
  %2 = call i32 @llvm.nvvm.reflect(ptr %q)
  store i32 %2, ptr %p, align 4
  %3 = call i32 @__nvvm_reflect(ptr @a)
  store i32 %3, ptr %p, align 4
  %4 = call i32 @__nvvm_reflect(ptr @b)
  store i32 %4, ptr %p, align 4
  ret i32 0
}

!nvvm.reflection = !{!0}
!llvm.module.flags = !{!1}
!0 = !{!"A", i8 -1}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
