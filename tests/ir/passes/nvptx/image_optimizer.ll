; Questions for the type of a handle are answered where annotations tell it.
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-image-optimizer -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-image-optimizer -pass-remarks=nvptx-image-optimizer %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
target triple = "nvptx64-nvidia-cuda"

@tex = internal addrspace(1) global i64 0, align 8
@surf = internal addrspace(1) global i64 0, align 8

declare i1 @llvm.nvvm.istypep.texture(i64)
declare i1 @llvm.nvvm.istypep.surface(i64)
declare i1 @llvm.nvvm.istypep.sampler(i64)
declare i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1))

define ptx_kernel void @variables(ptr %out, i1 %c) {
; REMARK: the type of a handle is known: true
; REMARK: the type of a handle is known: false
; CHECK-LABEL: define ptx_kernel void @variables(
; CHECK: store i1 true, ptr %out
; CHECK: store i1 false, ptr %out
; CHECK: store i1 true, ptr %out
; The two sides differ.
; CHECK: [[UNKNOWN:%.*]] = call i1 @llvm.nvvm.istypep.texture(
; CHECK: store i1 [[UNKNOWN]], ptr %out
; CHECK: store i1 true, ptr %out
  %t = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @tex)
  %s = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @surf)
  %is_texture = call i1 @llvm.nvvm.istypep.texture(i64 %t)
  store i1 %is_texture, ptr %out, align 1
  %is_sampler = call i1 @llvm.nvvm.istypep.sampler(i64 %s)
  store i1 %is_sampler, ptr %out, align 1
  %is_surface = call i1 @llvm.nvvm.istypep.surface(i64 ptrtoint (ptr addrspace(1) @surf to i64))
  store i1 %is_surface, ptr %out, align 1
  %either = select i1 %c, i64 %t, i64 %s
  %open = call i1 @llvm.nvvm.istypep.texture(i64 %either)
  store i1 %open, ptr %out, align 1
  %both = select i1 %c, i64 %t, i64 %t
  %closed = call i1 @llvm.nvvm.istypep.texture(i64 %both)
  store i1 %closed, ptr %out, align 1
  ret void
}

define ptx_kernel void @parameters(i64 %sampler, i64 %read, i64 %written, i64 %plain, ptr %out) {
; CHECK-LABEL: define ptx_kernel void @parameters(
; CHECK: store i1 true, ptr %out
; CHECK: store i1 true, ptr %out
; CHECK: store i1 true, ptr %out
; CHECK: call i1 @llvm.nvvm.istypep.texture(i64 %plain)
  %a = call i1 @llvm.nvvm.istypep.sampler(i64 %sampler)
  store i1 %a, ptr %out, align 1
  %b = call i1 @llvm.nvvm.istypep.texture(i64 %read)
  store i1 %b, ptr %out, align 1
  %c = call i1 @llvm.nvvm.istypep.surface(i64 %written)
  store i1 %c, ptr %out, align 1
  %d = call i1 @llvm.nvvm.istypep.texture(i64 %plain)
  store i1 %d, ptr %out, align 1
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr addrspace(1) @tex, !"texture", i32 1}
!1 = !{ptr addrspace(1) @surf, !"surface", i32 1}
!2 = !{ptr @parameters, !"sampler", i32 0}
!3 = !{ptr @parameters, !"rdoimage", i32 1}
!4 = !{ptr @parameters, !"wroimage", i32 2}
