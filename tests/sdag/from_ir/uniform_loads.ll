; ldu of all types, also by generic pointers. Bytes come in registers of 16 bits.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

declare i8 @llvm.nvvm.ldu.global.i.i8.p0(ptr, i32)
declare <2 x i8> @llvm.nvvm.ldu.global.i.v2i8.p1(ptr addrspace(1), i32)
declare <4 x float> @llvm.nvvm.ldu.global.f.v4f32.p0(ptr, i32)
declare ptr @llvm.nvvm.ldu.global.p.p0.p0(ptr, i32)

; CHECK-LABEL: .visible .entry byte(
; CHECK: cvta.to.global.u64 [[P:%rd[0-9]+]],
; CHECK: ldu.global.b8 %rs{{[0-9]+}}, {{\[}}[[P]]+5];
define ptx_kernel void @byte(ptr %p, ptr addrspace(1) %q) {
  %a = getelementptr i8, ptr %p, i64 5
  %v = call i8 @llvm.nvvm.ldu.global.i.i8.p0(ptr %a, i32 1)
  store i8 %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: .visible .entry bytes(
; CHECK: ldu.global.v2.b8 {%rs{{[0-9]+}}, %rs{{[0-9]+}}}
define ptx_kernel void @bytes(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = call <2 x i8> @llvm.nvvm.ldu.global.i.v2i8.p1(ptr addrspace(1) %p, i32 2)
  store <2 x i8> %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: .visible .entry floats(
; CHECK: ldu.global.v4.b32
; CHECK: ldu.global.b64
define ptx_kernel void @floats(ptr %p, ptr %r, ptr addrspace(1) %q) {
  %v = call <4 x float> @llvm.nvvm.ldu.global.f.v4f32.p0(ptr %p, i32 16)
  %w = call ptr @llvm.nvvm.ldu.global.p.p0.p0(ptr %r, i32 8)
  %a = getelementptr i8, ptr addrspace(1) %q, i64 16
  store <4 x float> %v, ptr addrspace(1) %q
  store ptr %w, ptr addrspace(1) %a
  ret void
}
