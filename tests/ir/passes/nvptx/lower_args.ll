; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-lower-args %s -o - | FileCheck %s --check-prefixes=CHECK,COPY
; RUN: ptxmir -x ir -emit-llvm -mcpu=sm_80 -passes=nvptx-lower-args %s -o - | FileCheck %s --check-prefixes=CHECK,COPY
; RUN: ptxmir -x ir -emit-llvm -mcpu=sm_70 -mattr=+ptx77 -passes=nvptx-lower-args %s -o - | FileCheck %s --check-prefixes=CHECK,SHARED
; RUN: ptxmir -x ir -mcpu=sm_70 -mattr=+ptx77 %s -o - | FileCheck %s --check-prefix=PTX

target triple = "nvptx64-nvidia-cuda"

%s = type { i32, float, ptr }

define ptx_kernel void @reads(ptr byval(%s) align 8 %a) {
; Read in place; a pointer that is loaded is global.
; CHECK-LABEL: define ptx_kernel void @reads(
; CHECK: [[P:%.*]] = call align 8 ptr addrspace(101) @llvm.nvvm.internal.addrspace.wrap.p101.p0(ptr %a)
; CHECK: load i32, ptr addrspace(101) [[P]], align 4
; CHECK: [[G:%.*]] = getelementptr inbounds %s, ptr addrspace(101) [[P]], i32 0, i32 2
; CHECK: [[Q:%.*]] = load ptr, ptr addrspace(101) [[G]], align 8
; CHECK: [[Q1:%.*]] = addrspacecast ptr [[Q]] to ptr addrspace(1)
; CHECK: [[Q2:%.*]] = addrspacecast ptr addrspace(1) [[Q1]] to ptr
; CHECK: store i32 %{{.*}}, ptr [[Q2]]
  %x = load i32, ptr %a, align 4
  %g = getelementptr inbounds %s, ptr %a, i32 0, i32 2
  %q = load ptr, ptr %g, align 8
  store i32 %x, ptr %q, align 4
  ret void
}

define ptx_kernel void @writes(ptr byval(%s) align 8 %a) {
; CHECK-LABEL: define ptx_kernel void @writes(
; CHECK: [[O:%.*]] = alloca %s, align 8
; CHECK: [[P:%.*]] = call align 8 ptr addrspace(101) @llvm.nvvm.internal.addrspace.wrap.p101.p0(ptr %a)
; CHECK: call void @llvm.memcpy.p0.p101.i64(ptr align 8 [[O]], ptr addrspace(101) align 8 [[P]], i64 16, i1 false)
; CHECK: store i32 3, ptr [[O]]
  store i32 3, ptr %a, align 4
  ret void
}

define ptx_kernel void @pointer(ptr %p) {
; CHECK-LABEL: define ptx_kernel void @pointer(
; CHECK: addrspacecast ptr %p to ptr addrspace(1)
  store i32 3, ptr %p, align 4
  ret void
}

define void @function(ptr byval(%s) align 8 %a) {
; CHECK-LABEL: define void @function(
; CHECK-NEXT: store i32 3, ptr %a
  store i32 3, ptr %a, align 4
  ret void
}

declare void @take(ptr byval(%s) align 8, ptr byval(%s) align 8)
declare void @keep(ptr)

define ptx_kernel void @passes_on(ptr byval(%s) align 8 %a) {
; A call copies a parameter from its place; it takes no copy on the stack.
; CHECK-LABEL: define ptx_kernel void @passes_on(
; CHECK-NOT: alloca
; CHECK: [[P:%.*]] = call align 8 ptr addrspace(101) @llvm.nvvm.internal.addrspace.wrap.p101.p0(ptr %a)
; CHECK: [[C:%.*]] = addrspacecast ptr addrspace(101) [[P]] to ptr
; CHECK: call void @take(ptr byval(%s) align 8 [[C]], ptr byval(%s) align 8 [[C]])
  call void @take(ptr byval(%s) align 8 %a, ptr byval(%s) align 8 %a)
  ret void
}

define ptx_kernel void @address_escapes(ptr byval(%s) align 8 %a) {
; CHECK-LABEL: define ptx_kernel void @address_escapes(
; CHECK: [[O:%.*]] = alloca %s, align 8
; CHECK: call void @take(ptr byval(%s) align 8 [[O]], ptr byval(%s) align 8 [[O]])
; CHECK: call void @keep(ptr [[O]])
  call void @take(ptr byval(%s) align 8 %a, ptr byval(%s) align 8 %a)
  call void @keep(ptr %a)
  ret void
}

define ptx_kernel void @grid_constant(ptr byval(%s) align 8 "nvvm.grid_constant" %a) {
; Nothing writes a grid constant, and GPUs from sm_70 on make a generic address of it, with PTX 7.7.
; CHECK-LABEL: define ptx_kernel void @grid_constant(
; COPY: alloca %s, align 8
; SHARED-NOT: alloca
; SHARED: [[P:%.*]] = call align 8 ptr addrspace(101) @llvm.nvvm.internal.addrspace.wrap.p101.p0(ptr %a)
; SHARED: [[C:%.*]] = addrspacecast ptr addrspace(101) [[P]] to ptr
; SHARED: call void @keep(ptr [[C]])
; SHARED: [[G:%.*]] = getelementptr inbounds %s, ptr [[C]], i32 0, i32 2
; SHARED: [[Q:%.*]] = load ptr, ptr [[G]], align 8
; SHARED: [[Q1:%.*]] = addrspacecast ptr [[Q]] to ptr addrspace(1)
; SHARED: [[Q2:%.*]] = addrspacecast ptr addrspace(1) [[Q1]] to ptr
; SHARED: store i32 3, ptr [[Q2]]
; PTX-LABEL: .entry grid_constant(
; PTX-NOT: .local
; PTX: cvta.param.u64
; PTX: call.uni keep
; PTX: ld.param.b64 {{.*}}, [grid_constant_param_0+8];
; PTX: st.global.b32
  call void @keep(ptr %a)
  %g = getelementptr inbounds %s, ptr %a, i32 0, i32 2
  %q = load ptr, ptr %g, align 8
  store i32 3, ptr %q, align 4
  ret void
}
