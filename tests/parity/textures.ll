; Textures, surfaces and samplers: by annotation, as globals and as parameters.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"
@tex = addrspace(1) global i64 0, align 8
@texi = internal addrspace(1) global i64 undef, align 8
@surf = addrspace(1) global i64 0, align 8
@samp = addrspace(1) global i32 0, align 4
@samp1 = addrspace(1) global i32 25, align 4
@samp2 = addrspace(1) global i32 2, align 4
@extex = external addrspace(1) global i64
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))
define ptx_kernel void @k(ptr %p, i32 %i) {
  %h = tail call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @tex)
  %v = tail call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %h, i32 %i)
  %f = extractvalue { float, float, float, float } %v, 0
  store float %f, ptr %p
  ret void
}
define ptx_kernel void @params(i64 %t, i64 %s, i64 %m, ptr %im, ptr addrspace(1) %im2) {
  ret void
}
define void @dev(i64 %t, i64 %s, i64 %m) {
  ret void
}
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!0 = !{ptr addrspace(1) @tex, !"texture", i32 1}
!1 = !{ptr addrspace(1) @texi, !"texture", i32 1}
!2 = !{ptr addrspace(1) @surf, !"surface", i32 1}
!3 = !{ptr addrspace(1) @samp, !"sampler", i32 1}
!4 = !{ptr addrspace(1) @samp1, !"sampler", i32 1}
!5 = !{ptr addrspace(1) @samp2, !"sampler", i32 1}
!6 = !{ptr addrspace(1) @extex, !"texture", i32 1}
!7 = !{ptr @params, !"rdoimage", i32 0, !"rdwrimage", i32 1, !"sampler", i32 2, !"wroimage", i32 3, !"rdoimage", i32 4}
!8 = !{ptr @dev, !"rdoimage", i32 0, !"rdwrimage", i32 1, !"sampler", i32 2}
