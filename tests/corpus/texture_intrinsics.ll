; Textures and surfaces by intrinsics, which become target instructions: fetches
; of each shape and filter, gathers, queries, and surface reads and writes.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@image = internal addrspace(1) global i64 0, align 8
@plane = internal addrspace(1) global i64 0, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.level.v4f32.f32(i64, float, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.grad.v4s32.f32(i64, float, float, float, float, float, float)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.3d.v4u32.f32(i64, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.array.v4f32.f32(i64, i32, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.unified.cube.v4f32.f32(i64, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64, float, float)
declare i32 @llvm.nvvm.txq.width(i64)
declare i32 @llvm.nvvm.txq.height(i64)
declare i32 @llvm.nvvm.suq.width(i64)
declare i32 @llvm.nvvm.suld.1d.i32.trap(i64, i32)
declare { i32, i32 } @llvm.nvvm.suld.2d.v2i32.clamp(i64, i32, i32)
declare { i16, i16, i16, i16 } @llvm.nvvm.suld.3d.v4i16.zero(i64, i32, i32, i32)
declare i64 @llvm.nvvm.suld.2d.i64.trap(i64, i32, i32)
declare i16 @llvm.nvvm.suld.1d.i8.zero(i64, i32)
declare void @llvm.nvvm.sust.b.2d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.b.1d.i16.clamp(i64, i32, i16)
declare void @llvm.nvvm.sust.b.3d.v2i64.zero(i64, i32, i32, i32, i64, i64)
declare void @llvm.nvvm.sust.b.2d.array.i32.trap(i64, i32, i32, i32, i32)
declare void @llvm.nvvm.sust.p.2d.v4i32.trap(i64, i32, i32, i32, i32, i32, i32)

define internal void @Add(ptr %to, { float, float, float, float } %v) alwaysinline {
  %x = extractvalue { float, float, float, float } %v, 0
  %w = extractvalue { float, float, float, float } %v, 3
  %old = load float, ptr %to, align 4
  %s = fadd float %x, %w
  %new = fadd float %old, %s
  store float %new, ptr %to, align 4
  ret void
}

define ptx_kernel void @Fetches(i64 %texture, ptr %out, float %u, float %v) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %to = getelementptr float, ptr %out, i32 %t
  %a = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %texture, i32 %t)
  call void @Add(ptr %to, { float, float, float, float } %a)
  %b = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %texture, float %u, float 5.000000e-01)
  call void @Add(ptr %to, { float, float, float, float } %b)
  %c = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.level.v4f32.f32(i64 %texture, float %u, float %v, float 1.000000e+00)
  call void @Add(ptr %to, { float, float, float, float } %c)
  %d = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.array.v4f32.f32(i64 %texture, i32 2, float %u, float %v)
  call void @Add(ptr %to, { float, float, float, float } %d)
  %e = call { float, float, float, float } @llvm.nvvm.tex.unified.cube.v4f32.f32(i64 %texture, float %u, float %v, float 1.000000e+00)
  call void @Add(ptr %to, { float, float, float, float } %e)
  %f = call { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64 %texture, float %u, float %v)
  call void @Add(ptr %to, { float, float, float, float } %f)
  ret void
}

define ptx_kernel void @IntegerFetches(ptr %out, float %u, float %v) {
  %texture = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @image)
  %a = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.grad.v4s32.f32(i64 %texture, float %u, float %v, float 1.000000e+00, float 0.000000e+00, float 0.000000e+00, float 1.000000e+00)
  %b = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.3d.v4u32.f32(i64 %texture, float %u, float %v, float %u)
  %a0 = extractvalue { i32, i32, i32, i32 } %a, 0
  %b1 = extractvalue { i32, i32, i32, i32 } %b, 1
  %width = call i32 @llvm.nvvm.txq.width(i64 %texture)
  %height = call i32 @llvm.nvvm.txq.height(i64 %texture)
  %s = add i32 %a0, %b1
  %s1 = add i32 %s, %width
  %s2 = mul i32 %s1, %height
  store i32 %s2, ptr %out, align 4
  ret void
}

define ptx_kernel void @Surfaces(i64 %surface, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = shl i32 %t, 2
  %other = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @plane)
  %a = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %surface, i32 %x)
  %b = call { i32, i32 } @llvm.nvvm.suld.2d.v2i32.clamp(i64 %surface, i32 %x, i32 1)
  %c = call { i16, i16, i16, i16 } @llvm.nvvm.suld.3d.v4i16.zero(i64 %other, i32 %x, i32 1, i32 2)
  %d = call i64 @llvm.nvvm.suld.2d.i64.trap(i64 %surface, i32 %x, i32 %t)
  %e = call i16 @llvm.nvvm.suld.1d.i8.zero(i64 %surface, i32 %t)
  %b0 = extractvalue { i32, i32 } %b, 0
  %b1 = extractvalue { i32, i32 } %b, 1
  %c0 = extractvalue { i16, i16, i16, i16 } %c, 0
  %c3 = extractvalue { i16, i16, i16, i16 } %c, 3
  %c16 = add i16 %c0, %c3
  %ce = xor i16 %c16, %e
  %width = call i32 @llvm.nvvm.suq.width(i64 %surface)
  call void @llvm.nvvm.sust.b.2d.v4i32.trap(i64 %surface, i32 %x, i32 %t, i32 %a, i32 %b0, i32 %b1, i32 %width)
  call void @llvm.nvvm.sust.b.1d.i16.clamp(i64 %other, i32 %x, i16 %ce)
  call void @llvm.nvvm.sust.b.3d.v2i64.zero(i64 %surface, i32 %x, i32 0, i32 1, i64 %d, i64 7)
  call void @llvm.nvvm.sust.b.2d.array.i32.trap(i64 %surface, i32 3, i32 %x, i32 %t, i32 %a)
  call void @llvm.nvvm.sust.p.2d.v4i32.trap(i64 %surface, i32 %t, i32 %t, i32 %a, i32 %a, i32 %b0, i32 %b1)
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr addrspace(1) @image, !"texture", i32 1}
!1 = !{ptr addrspace(1) @plane, !"surface", i32 1}
