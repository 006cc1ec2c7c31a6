; RUN: ptxmir -mcpu=sm_80 -mattr=+ptx74 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; The body of an available_externally function is in another module.
; CHECK: .extern .func {{.*}}elsewhere
define available_externally i32 @elsewhere(i32 %x) noinline {
  ret i32 %x
}

; A function without a name has parameters of the name that is made up for it.
; CHECK: .func {{.*}}__unnamed_1(
; CHECK: ld.param.b32 {{%r[0-9]+}}, [__unnamed_1_param_0];
define internal i32 @0(i32 %a) noinline {
  %r = add i32 %a, 1
  ret i32 %r
}

define i32 @calls(i32 %a) {
  %r = call i32 @0(i32 %a)
  %s = call i32 @elsewhere(i32 %r)
  ret i32 %s
}

; Nothing says how f32 denormals are treated but for all types.
define float @flushes(float %a, float %b) "denormal-fp-math"="preserve-sign,preserve-sign" {
; CHECK-LABEL: flushes(
; CHECK: add.rn.ftz.f32
  %r = fadd float %a, %b
  ret float %r
}

define float @keeps(float %a, float %b) "denormal-fp-math"="preserve-sign" "denormal-fp-math-f32"="ieee" {
; CHECK-LABEL: keeps(
; CHECK: add.rn.f32
  %r = fadd float %a, %b
  ret float %r
}

; The size is an immediate operand.
declare void @llvm.nvvm.applypriority.global.L2.evict.normal(ptr addrspace(1), i64 immarg)
define void @hint(ptr addrspace(1) %p) {
; CHECK-LABEL: hint(
; CHECK: applypriority.global.L2::evict_normal [{{%rd[0-9]+}}], 128;
  call void @llvm.nvvm.applypriority.global.L2.evict.normal(ptr addrspace(1) %p, i64 128)
  ret void
}
