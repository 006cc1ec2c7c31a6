; Constructors and destructors become tables that a host runtime can call, and kernels that call them.
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-lower-ctor-dtor -verify-each -nvptx-lower-global-ctor-dtor-id=ID %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-lower-ctor-dtor -nvptx-emit-init-fini-kernel=false %s -o - | FileCheck %s --check-prefix=TABLES
; RUN: ptxmir -O2 -mcpu=sm_80 -nvptx-lower-global-ctor-dtor-id=ID %s -o - | FileCheck %s --check-prefix=PTX
target triple = "nvptx64-nvidia-cuda"

@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @foo, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @b.ar, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 2, ptr @foo, ptr null }]


define internal void @foo() {
; CHECK-NOT: @llvm.global_ctors
; CHECK: @__init_array_object_foo_ID_1 = protected addrspace(4) constant ptr @foo, section ".init_array.1"
; CHECK: @__init_array_object_b_ar_ID_65535 = protected addrspace(4) constant ptr @b.ar, section ".init_array.65535"
; CHECK: @__init_array_start = weak protected addrspace(1) global ptr null
; CHECK: @__init_array_end = weak protected addrspace(1) global ptr null
; CHECK: @__fini_array_object_foo_ID_2 = protected addrspace(4) constant ptr @foo, section ".fini_array.2"
; CHECK: @llvm.used = appending global [3 x ptr] [ptr addrspacecast (ptr addrspace(4) @__init_array_object_foo_ID_1 to ptr),
; TABLES: @__init_array_object_foo_{{[0-9a-f]+}}_1 =
; TABLES-NOT: nvptx$device
  ret void
}
define internal void @b.ar() {
; CHECK: define weak_odr ptx_kernel void @"nvptx$device$init"() "nvvm.maxclusterrank"="1" "nvvm.maxntid"="1" {
; CHECK: %begin = load ptr addrspace(1), ptr addrspace(1) @__init_array_start, align 8
; CHECK: %stop = load ptr addrspace(1), ptr addrspace(1) @__init_array_end, align 8
; CHECK: %ptr = phi ptr addrspace(1) [ %begin, %entry ], [ %next, %while.entry ]
; CHECK: %callback = load ptr, ptr addrspace(1) %ptr, align 8
; CHECK: call void %callback()
; CHECK: define weak_odr ptx_kernel void @"nvptx$device$fini"()
; CHECK: %ptr = phi ptr addrspace(1) [ %stop, %entry ], [ %next, %while.entry ]
; CHECK: %next = getelementptr i8, ptr addrspace(1) %ptr, i64 -8
; CHECK: %callback = load ptr, ptr addrspace(1) %next, align 8
; PTX: .visible .const .align 8 .u64 __init_array_object_foo_ID_1 = foo;
; PTX: .weak .entry nvptx$device$init()
; PTX: .maxntid 1
; PTX: call %rd{{[0-9]+}}, (), prototype_
  ret void
}

; Destructors run from the end.

