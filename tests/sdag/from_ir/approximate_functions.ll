; Functions that PTX approximates in f32 are promoted to it where the flag afn is there, and vectors are split.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

declare half @llvm.sin.f16(half)
declare <2 x float> @llvm.cos.v2f32(<2 x float>)
declare float @llvm.tanh.f32(float)
declare <2 x bfloat> @llvm.tanh.v2bf16(<2 x bfloat>)

; CHECK-LABEL: .visible .entry sine(
; CHECK: cvt.f32.f16
; CHECK: sin.approx.f32
; CHECK: cvt.rn.f16.f32
define ptx_kernel void @sine(ptr addrspace(1) %p) {
  %v = load half, ptr addrspace(1) %p
  %r = call afn half @llvm.sin.f16(half %v)
  store half %r, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry cosine(
; CHECK-COUNT-2: cos.approx.f32
define ptx_kernel void @cosine(ptr addrspace(1) %p) {
  %v = load <2 x float>, ptr addrspace(1) %p
  %r = call afn <2 x float> @llvm.cos.v2f32(<2 x float> %v)
  store <2 x float> %r, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry hyperbolic(
; CHECK-COUNT-3: tanh.approx.f32
define ptx_kernel void @hyperbolic(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load float, ptr addrspace(1) %p
  %r = call afn float @llvm.tanh.f32(float %v)
  store float %r, ptr addrspace(1) %p
  %w = load <2 x bfloat>, ptr addrspace(1) %q
  %s = call afn <2 x bfloat> @llvm.tanh.v2bf16(<2 x bfloat> %w)
  store <2 x bfloat> %s, ptr addrspace(1) %q
  ret void
}
