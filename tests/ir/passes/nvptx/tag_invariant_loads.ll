; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-tag-invariant-loads %s -o - | FileCheck %s
; RUN: ptxmir -x ir -mcpu=sm_80 %s -o - | FileCheck --check-prefix=PTX %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-tag-invariant-loads -pass-remarks=nvptx-tag-invariant-loads %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

; REMARK: remark: {{.*}}nvptx-tag-invariant-loads: loaded from memory that does not change

@table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@state = addrspace(1) global [4 x i32] zeroinitializer

define ptx_kernel void @restrict(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) noalias %out, ptr addrspace(1) readonly %shared) {
; CHECK-LABEL: define ptx_kernel void @restrict(
; CHECK: %a = load i32, ptr addrspace(1) %p, !invariant.load !{}
; CHECK-NEXT: %b = load i32, ptr addrspace(1) %out{{$}}
; CHECK-NEXT: %c = load i32, ptr addrspace(1) %shared{{$}}
; PTX-LABEL: .entry restrict(
; PTX: ld.global.nc.b32
; PTX: ld.global.b32
; PTX: ld.global.b32
  %p = getelementptr i32, ptr addrspace(1) %in, i64 3
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %out
  %c = load i32, ptr addrspace(1) %shared
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  store i32 %e, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @accesses(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) noalias %out, ptr noalias readonly %generic) {
; Only plain loads of global memory.
; CHECK-LABEL: define ptx_kernel void @accesses(
; CHECK: load volatile i32, ptr addrspace(1) %in{{$}}
; CHECK-NEXT: load atomic i32, ptr addrspace(1) %in monotonic, align 4{{$}}
; CHECK-NEXT: load i32, ptr %generic{{$}}
; CHECK-NEXT: load i32, ptr addrspace(1) %in, !range !{{.*}}, !invariant.load !{}
  %a = load volatile i32, ptr addrspace(1) %in
  %b = load atomic i32, ptr addrspace(1) %in monotonic, align 4
  %c = load i32, ptr %generic
  %d = load i32, ptr addrspace(1) %in, !range !0
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %g = add i32 %e, %f
  store i32 %g, ptr addrspace(1) %out
  ret void
}

define void @no_kernel(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) noalias %out) {
; The kernel may have written the memory before the call, but never a constant.
; CHECK-LABEL: define void @no_kernel(
; CHECK: %a = load i32, ptr addrspace(1) %in{{$}}
; CHECK-NEXT: %b = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @table, i64 4), !invariant.load !{}
; CHECK-NEXT: %c = load i32, ptr addrspace(1) @state{{$}}
  %a = load i32, ptr addrspace(1) %in
  %b = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @table, i64 4)
  %c = load i32, ptr addrspace(1) @state
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  store i32 %e, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @origins(ptr addrspace(1) noalias readonly %x, ptr addrspace(1) noalias readonly %y, ptr addrspace(1) %out, i1 %c, i32 %n) {
; Through PHIs and selects: all origins count.
; CHECK-LABEL: define ptx_kernel void @origins(
; CHECK: %a = load i32, ptr addrspace(1) %p, !invariant.load !{}
; CHECK: %b = load i32, ptr addrspace(1) %q{{$}}
; CHECK: %d = load i32, ptr addrspace(1) %walk, !invariant.load !{}
entry:
  %p = select i1 %c, ptr addrspace(1) %x, ptr addrspace(1) %y
  %a = load i32, ptr addrspace(1) %p
  %q = select i1 %c, ptr addrspace(1) %x, ptr addrspace(1) %out
  %b = load i32, ptr addrspace(1) %q
  br label %loop
loop:
  %walk = phi ptr addrspace(1) [ %x, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ %a, %entry ], [ %more, %loop ]
  %d = load i32, ptr addrspace(1) %walk
  %more = add i32 %sum, %d
  %next = getelementptr i32, ptr addrspace(1) %walk, i64 1
  %j = add i32 %i, 1
  %end = icmp eq i32 %j, %n
  br i1 %end, label %exit, label %loop
exit:
  %f = add i32 %more, %b
  store i32 %f, ptr addrspace(1) %out
  ret void
}

!0 = !{i32 0, i32 100}
