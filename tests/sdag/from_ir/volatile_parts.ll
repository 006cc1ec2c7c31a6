; A volatile access for which PTX has no instruction is split. Each part is volatile.
;
; RUN: ptxmir -mcpu=sm_90 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_90 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .visible .entry packed(
; CHECK-COUNT-4: ld.volatile.global.b8
; CHECK-COUNT-4: st.volatile.global.b8
; CHECK-NOT: global
; CHECK: ret;
define ptx_kernel void @packed(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load volatile i32, ptr addrspace(1) %p, align 1
  store volatile i32 %v, ptr addrspace(1) %q, align 1
  ret void
}

; CHECK-LABEL: .visible .entry odd(
; CHECK: ld.volatile.global.{{[bu]}}16
; CHECK: ld.volatile.global.{{[bu]}}8
; CHECK: ld.volatile.global.b64
; CHECK: ld.volatile.global.b64
; CHECK: ld.volatile.global.v2.b32
; CHECK: ld.volatile.global.b32
define ptx_kernel void @odd(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load volatile i24, ptr addrspace(1) %p, align 4
  %b = load volatile i128, ptr addrspace(1) %p, align 8
  %c = load volatile <3 x float>, ptr addrspace(1) %p, align 8
  store volatile i24 %a, ptr addrspace(1) %q, align 4
  store volatile i128 %b, ptr addrspace(1) %q, align 8
  store volatile <3 x float> %c, ptr addrspace(1) %q, align 8
  ret void
}
