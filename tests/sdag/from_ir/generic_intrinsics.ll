; Intrinsics of all targets that front ends make.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

declare { float, i32 } @llvm.frexp.f32.i32(float)
declare float @llvm.arithmetic.fence.f32(float)
declare i32 @llvm.get.rounding()
declare i1 @llvm.allow.ubsan.check(i8)
declare i1 @llvm.type.test(ptr, metadata)
declare ptr @llvm.returnaddress(i32)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.pseudoprobe(i64, i64, i32, i64)
declare i32 @llvm.smul.fix.i32(i32, i32, i32)
declare i8 @llvm.umul.fix.sat.i8(i8, i8, i32)
declare i16 @llvm.udiv.fix.i16(i16, i16, i32)
declare float @llvm.convert.from.fp16.f32(i16)
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare void @llvm.nvvm.bar.warp.sync(i32)

; CHECK-LABEL: .visible .entry fraction(
; CHECK: mul.rn.f32 {{%r[0-9]+}}, {{%r[0-9]+}}, 0f4C000000;
define ptx_kernel void @fraction(ptr addrspace(1) %p, float %x) {
  %r = call { float, i32 } @llvm.frexp.f32.i32(float %x)
  store { float, i32 } %r, ptr addrspace(1) %p
  ret void
}

; What is added before the fence is not taken away behind it.
; CHECK-LABEL: .visible .entry fence(
; CHECK: add.f32
; CHECK: sub.f32
define ptx_kernel void @fence(ptr addrspace(1) %p, float %x) {
  %y = fadd fast float %x, 1.0
  %f = call float @llvm.arithmetic.fence.f32(float %y)
  %z = fsub fast float %f, 1.0
  store float %z, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry constants(
; CHECK: st.global.b32 [{{%rd[0-9]+}}], 3;
; CHECK: st.global.b64 [{{%rd[0-9]+}}+8], 0;
define ptx_kernel void @constants(ptr addrspace(1) %p, ptr %q) {
  %a = call i32 @llvm.get.rounding()
  %b = call i1 @llvm.allow.ubsan.check(i8 3)
  %c = call i1 @llvm.type.test(ptr %q, metadata !"t")
  %i = call ptr @llvm.invariant.start.p0(i64 4, ptr %q)
  call void @llvm.pseudoprobe(i64 1, i64 2, i32 0, i64 -1)
  %d = call ptr @llvm.returnaddress(i32 0)
  %e = zext i1 %b to i32
  %f = zext i1 %c to i32
  %g = add i32 %a, %e
  %h = add i32 %g, %f
  store i32 %h, ptr addrspace(1) %p
  %r = getelementptr i8, ptr addrspace(1) %p, i64 8
  store ptr %d, ptr addrspace(1) %r
  ret void
}

; CHECK-LABEL: .visible .entry fixed_point(
; CHECK: mul.{{lo.s64|wide.s32}}
; CHECK: shr.s64
; CHECK: min.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, 255;
; CHECK: div.u32
define ptx_kernel void @fixed_point(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, i32 %a, i32 %b, i8 %c,
                                     i8 %d, i16 %e, i16 %f) {
  %x = call i32 @llvm.smul.fix.i32(i32 %a, i32 %b, i32 16)
  store i32 %x, ptr addrspace(1) %p
  %y = call i8 @llvm.umul.fix.sat.i8(i8 %c, i8 %d, i32 3)
  store i8 %y, ptr addrspace(1) %q
  %g = or i16 %f, 1
  %z = call i16 @llvm.udiv.fix.i16(i16 %e, i16 %g, i32 5)
  store i16 %z, ptr addrspace(1) %r
  ret void
}

; CHECK-LABEL: .visible .entry half_bits(
; CHECK: cvt.f32.f16
define ptx_kernel void @half_bits(ptr addrspace(1) %p, i16 %x) {
  %r = call float @llvm.convert.from.fp16.f32(i16 %x)
  store float %r, ptr addrspace(1) %p
  ret void
}

; Tokens of convergence say what PTX does anyway.
; CHECK-LABEL: .visible .entry convergence(
; CHECK: bar.warp.sync
define ptx_kernel void @convergence(ptr addrspace(1) %p) convergent {
entry:
  %t = call token @llvm.experimental.convergence.entry()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %u = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  call void @llvm.nvvm.bar.warp.sync(i32 -1) [ "convergencectrl"(token %u) ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 10
  br i1 %c, label %loop, label %end
end:
  store i32 %j, ptr addrspace(1) %p
  ret void
}
