; Handles of textures, surfaces and samplers in a module for OpenCL. Image parameters are named in PTX, since they have no
; value. A parameter that no annotation makes an image is a number, which a register has.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -O0 -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=O0

; CHECK: .target sm_80, texmode_independent{{$}}

target triple = "nvptx64-nvidia-nvcl"

declare { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64, i64, i32)
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
declare i32 @llvm.nvvm.suld.1d.i32.trap(i64, i32)
declare void @llvm.nvvm.sust.b.1d.i32.trap(i64, i32, i32)
declare i32 @llvm.nvvm.suq.width(i64)

@texture = addrspace(1) global i64 0, align 8
@surface = internal addrspace(1) global i64 0, align 8

; Linkage is a word of CUDA, not of OpenCL.
; CHECK: {{^}}.global .texref texture;

define ptx_kernel void @fetch(i64 %image, i64 %sampler, ptr addrspace(1) %to, i32 %i) {
; CHECK-LABEL: .entry fetch(
; CHECK-NEXT: .param .texref fetch_param_0,
; CHECK-NEXT: .param .samplerref fetch_param_1,
; CHECK-NOT: [fetch_param_0]
; CHECK: tex.1d.v4.f32.s32 {{.*}}, [fetch_param_0, fetch_param_1, {%r{{[0-9]+}}}];
; O0-LABEL: .entry fetch(
; O0-NOT: [fetch_param_0]
; O0: tex.1d.v4.f32.s32 {{.*}}, [fetch_param_0, fetch_param_1, {%r{{[0-9]+}}}];
  %texel = call { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64 %image, i64 %sampler, i32 %i)
  %x = extractvalue { float, float, float, float } %texel, 0
  store float %x, ptr addrspace(1) %to, align 4
  ret void
}

define ptx_kernel void @update(i64 %out, i64 %in, ptr addrspace(1) %to, i32 %i) {
; CHECK-LABEL: .entry update(
; CHECK-NEXT: .param .surfref update_param_0,
; CHECK-NEXT: .param .surfref update_param_1,
; CHECK: suld.b.1d.b32.trap {%r{{[0-9]+}}}, [update_param_1, {%r
; CHECK: sust.b.1d.b32.trap {{ *}}[update_param_0, {%r
; CHECK: suq.width.b32 %r{{[0-9]+}}, [update_param_0];
; CHECK: suld.b.1d.b32.trap {%r{{[0-9]+}}}, [surface, {%r
  %v = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %in, i32 %i)
  call void @llvm.nvvm.sust.b.1d.i32.trap(i64 %out, i32 %i, i32 %v)
  %width = call i32 @llvm.nvvm.suq.width(i64 %out)
  store i32 %width, ptr addrspace(1) %to, align 4
  %surface = tail call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @surface)
  %w = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %surface, i32 %i)
  %next = getelementptr i32, ptr addrspace(1) %to, i32 1
  store i32 %w, ptr addrspace(1) %next, align 4
  ret void
}

define ptx_kernel void @bindless(i64 %handle, ptr addrspace(1) %to, i32 %i) {
; CHECK-LABEL: .entry bindless(
; CHECK-NEXT: .param .u64 bindless_param_0,
; CHECK: suld.b.1d.b32.trap {%r{{[0-9]+}}}, [%rd
  %v = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %handle, i32 %i)
  store i32 %v, ptr addrspace(1) %to, align 4
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5}
!0 = !{ptr addrspace(1) @texture, !"texture", i32 1}
!1 = !{ptr addrspace(1) @surface, !"surface", i32 1}
!2 = !{ptr @fetch, !"rdoimage", i32 0}
!3 = !{ptr @fetch, !"sampler", i32 1}
!4 = !{ptr @update, !"wroimage", i32 0}
!5 = !{ptr @update, !"rdwrimage", i32 1}
