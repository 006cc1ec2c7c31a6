; Names of local linkage become legal in PTX and stay distinct. Others may refer to the rest by name.
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-assign-valid-global-names -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -O0 -stop-after=finalize-isel %s -o - | FileCheck %s --check-prefix=MIR
target triple = "nvptx64-nvidia-cuda"

@a.b = internal addrspace(1) global i32 1
@a-b = internal addrspace(1) global ptr addrspacecast (ptr addrspace(1) @a.b to ptr)
@outside.name = addrspace(1) global i32 3
@"in.metadata" = internal addrspace(1) global i32 4
@fine = internal addrspace(1) global i32 5

define internal i32 @helper.clone(i32 %x) noinline {
; CHECK: @"a_$_b" = internal addrspace(1) global i32 1
; CHECK: @"a_$_b1" = internal addrspace(1) global ptr addrspacecast (ptr addrspace(1) @"a_$_b" to ptr)
; CHECK: @outside.name = addrspace(1) global i32 3
; CHECK: @in.metadata = internal addrspace(1) global i32 4
; CHECK: @fine = internal addrspace(1) global i32 5
; CHECK-LABEL: define internal i32 @"helper_$_clone"(
; CHECK: load i32, ptr addrspace(1) @"a_$_b"
  %v = load i32, ptr addrspace(1) @a.b, align 4
  %s = add i32 %v, %x
  ret i32 %s
}

define ptx_kernel void @k(ptr %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: call i32 @"helper_$_clone"(i32 %n)
; MIR: CALL_UNI_conv @{{"?helper_\$_clone}}
  %v = call i32 @helper.clone(i32 %n)
  store i32 %v, ptr %out, align 4
  ret void
}

!named = !{!0}
!0 = !{ptr addrspace(1) @"in.metadata"}
