; LLVM IR becomes PTX. The kind of the input is recognized.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -x ir -O0 %s -o - | FileCheck %s --check-prefix=O0
; RUN: ptxmir -mcpu=sm_80 -verify-exec -verify-machineinstrs %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 5]

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.trap()

; CHECK-LABEL: .visible .entry saxpy(
; CHECK: .param .u32 saxpy_param_0
; CHECK: mul.wide.u32
; CHECK: ld.global.b32
; CHECK: fma.rn.f32
; CHECK: st.global.b32
; O0-LABEL: .visible .entry saxpy(
; O0: mul.f32
; O0: add.f32
define ptx_kernel void @saxpy(i32 %n, float %a, ptr %x, ptr %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %tid, %n
  br i1 %in, label %body, label %end
body:
  %i = zext i32 %tid to i64
  %px = getelementptr inbounds float, ptr %x, i64 %i
  %py = getelementptr inbounds float, ptr %y, i64 %i
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %m = fmul contract float %vx, %a
  %s = fadd contract float %m, %vy
  store float %s, ptr %py, align 4
  br label %end
end:
  ret void
}

; A dense switch is a jump table; its range is checked once.
; CHECK-LABEL: .visible .entry choose(
; CHECK: brx.idx
define ptx_kernel void @choose(i32 %c, ptr addrspace(1) %p) {
  switch i32 %c, label %d [
    i32 10, label %a
    i32 11, label %b
    i32 12, label %a
    i32 13, label %e
  ]
a:
  store i32 1, ptr addrspace(1) %p
  ret void
b:
  store i32 2, ptr addrspace(1) %p
  ret void
e:
  store i32 4, ptr addrspace(1) %p
  ret void
d:
  %m = call i32 @llvm.smax.i32(i32 %c, i32 7)
  store i32 %m, ptr addrspace(1) %p
  ret void
}

; A function that is called twice stays one. Its structure is passed as bytes.
; CHECK-LABEL: .func {{.*}}twice(
; CHECK: st.param.b32 {{.*}}func_retval0
; CHECK-LABEL: .visible .entry calls(
; CHECK: .param .align 16 .b8 param0[8];
; CHECK: call.uni
define internal i32 @twice({ i32, i32 } %pair) noinline {
  %a = extractvalue { i32, i32 } %pair, 0
  %b = extractvalue { i32, i32 } %pair, 1
  %s = add i32 %a, %b
  %d = shl i32 %s, 1
  ret i32 %d
}
define ptx_kernel void @calls(i32 %x, ptr addrspace(1) %p) {
  %v = insertvalue { i32, i32 } undef, i32 %x, 0
  %w = insertvalue { i32, i32 } %v, i32 3, 1
  %r = call i32 @twice({ i32, i32 } %w)
  %u = insertvalue { i32, i32 } %w, i32 %r, 0
  %q = call i32 @twice({ i32, i32 } %u)
  store i32 %q, ptr addrspace(1) %p
  ret void
}

; An integer of 24 bits is kept in one of 32, and a byval parameter is read in place.
; CHECK-LABEL: .visible .entry odd(
; CHECK: ld.param.b32 {{.*}}[odd_param_1+4]
; CHECK: bfe.s32
define ptx_kernel void @odd(i32 %x, ptr byval({ i32, i32 }) align 4 %s, ptr addrspace(1) %p) {
  %f = getelementptr inbounds { i32, i32 }, ptr %s, i32 0, i32 1
  %y = load i32, ptr %f, align 4
  %t = trunc i32 %x to i24
  %u = trunc i32 %y to i24
  %a = add i24 %t, %u
  %e = sext i24 %a to i32
  store i32 %e, ptr addrspace(1) %p
  ret void
}
