; Vectors of more than 32 bits are lists of registers in the instructions of intrinsics. These were refused.
;
; RUN: ptxmir -disable-machine-cse -mcpu=sm_100a -mattr=+ptx88 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare <4 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x4(ptr addrspace(6), i1)
declare void @llvm.nvvm.tcgen05.st.32x32b.x4(ptr addrspace(6), <4 x i32>, i1)
declare void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6), i64, i64, i32, i1, i32, i32, i32)
declare void @llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg1(ptr addrspace(6), ptr addrspace(6), i64, i32, i1, <4 x i32>, i32, i32)
declare <4 x float> @llvm.nvvm.ldu.global.f.v4f32.p1(ptr addrspace(1), i32)
declare <2 x i64> @llvm.nvvm.ldu.global.i.v2i64.p1(ptr addrspace(1), i32)
declare <4 x i8> @llvm.nvvm.ldu.global.i.v4i8.p1(ptr addrspace(1), i32)
declare float @llvm.nvvm.ldu.global.f.f32.p1(ptr addrspace(1), i32)
declare <4 x i8> @llvm.nvvm.f32x4.to.e4m3x4.rs.satfinite(<4 x float>, i32)

define void @tensor_memory(ptr addrspace(6) %from, ptr addrspace(6) %to) {
; CHECK-LABEL: .func tensor_memory(
; CHECK: tcgen05.ld.sync.aligned.32x32b.x4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}, [%r{{[0-9]+}}];
; CHECK: tcgen05.st.sync.aligned.32x32b.x4.b32 [%r{{[0-9]+}}], {[[A]], [[B]], [[C]], [[D]]};
  %v = call <4 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x4(ptr addrspace(6) %from, i1 0)
  call void @llvm.nvvm.tcgen05.st.32x32b.x4(ptr addrspace(6) %to, <4 x i32> %v, i1 0)
  ret void
}

; tensor_memory_test.py compares every form of the products with llc's.
define void @products(ptr addrspace(6) %d, i64 %a, i64 %b, i32 %i, i1 %e, <4 x i32> %lanes) {
; CHECK-LABEL: .func products(
; CHECK: tcgen05.mma.cta_group::2.kind::f16.collector::a::lastuse [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, %p{{[0-9]+}};
; CHECK: tcgen05.mma.cta_group::1.kind::i8.collector::a::fill [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, %r{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %p{{[0-9]+}};
  call void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6) %d, i64 %a, i64 %b, i32 %i, i1 %e, i32 0, i32 2, i32 1)
  call void @llvm.nvvm.tcgen05.mma.tensor.disable_output_lane.cg1(ptr addrspace(6) %d, ptr addrspace(6) %d, i64 %b, i32 %i, i1 %e, <4 x i32> %lanes, i32 3, i32 2)
  ret void
}

define void @uniform_loads(ptr addrspace(1) %from, ptr addrspace(1) %to) {
; CHECK-LABEL: .func uniform_loads(
; CHECK: ldu.global.v4.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, [%rd{{[0-9]+}}];
; CHECK: ldu.global.v2.b64 {%rd{{[0-9]+}}, %rd{{[0-9]+}}}, [%rd{{[0-9]+}}+16];
; CHECK: ldu.global.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
; CHECK: ldu.global.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
  %a = call <4 x float> @llvm.nvvm.ldu.global.f.v4f32.p1(ptr addrspace(1) %from, i32 16)
  store <4 x float> %a, ptr addrspace(1) %to
  %next = getelementptr i8, ptr addrspace(1) %from, i64 16
  %b = call <2 x i64> @llvm.nvvm.ldu.global.i.v2i64.p1(ptr addrspace(1) %next, i32 16)
  store <2 x i64> %b, ptr addrspace(1) %to
  %c = call <4 x i8> @llvm.nvvm.ldu.global.i.v4i8.p1(ptr addrspace(1) %from, i32 4)
  store <4 x i8> %c, ptr addrspace(1) %to
  %d = call float @llvm.nvvm.ldu.global.f.f32.p1(ptr addrspace(1) %from, i32 4)
  store float %d, ptr addrspace(1) %to
  ret void
}

define <4 x i8> @rounded(<4 x float> %x, i32 %random) {
; CHECK-LABEL: rounded(
; CHECK: cvt.rs.satfinite.e4m3x4.f32 %r{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %r{{[0-9]+}};
  %v = call <4 x i8> @llvm.nvvm.f32x4.to.e4m3x4.rs.satfinite(<4 x float> %x, i32 %random)
  ret <4 x i8> %v
}
