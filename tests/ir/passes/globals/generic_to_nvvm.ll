; Variables of the generic space move to the global one, and what names them takes their generic address.
; RUN: ptxmir -x ir -emit-llvm -passes=generic-to-nvvm -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -O0 -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=PTX
; RUN: ptxmir -x ir -emit-llvm -passes=generic-to-nvvm -verify-exec -stats %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXEC
target triple = "nvptx64-nvidia-cuda"

@counter = internal global i32 5, align 4
@table = global [2 x ptr] [ptr @counter, ptr getelementptr (i8, ptr @counter, i64 2)]
@shared = addrspace(3) global i32 undef
@llvm.used = appending global [1 x ptr] [ptr @counter], section "llvm.metadata"

define ptx_kernel void @k(ptr %out, i1 %c) {
; CHECK: @counter = internal addrspace(1) global i32 5, align 4
; CHECK: @table = addrspace(1) global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @counter to ptr), i64 2)]
; CHECK: @shared = addrspace(3) global i32 undef
; CHECK: @llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr)]
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: %old = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
; CHECK: store ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr %out
; CHECK: store i32 %old, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @counter to ptr), i64 0)
; CHECK: phi ptr [ %out, %entry ], [ addrspacecast (ptr addrspace(1) @counter to ptr), %other ]
; PTX: .global .align 4 .u32 counter = 5;
; PTX: .visible .global .align 8 .u64 table[2] = {generic(counter), generic(counter)+2};
; EXEC: 3 verify-exec {{.*}}runs of kernels compared
entry:
  %old = load i32, ptr @counter, align 4
  store ptr @counter, ptr %out, align 8
  store i32 %old, ptr getelementptr (i8, ptr @counter, i64 0), align 4
  br i1 %c, label %other, label %end

other:
  br label %end

end:
  %p = phi ptr [ %out, %entry ], [ @counter, %other ]
  store i32 1, ptr %p, align 4
  ret void
}
