; A switch on an integer of more than 64 bits compares with one case after another.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .visible .entry wide(
; CHECK: xor.b64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 1;
; CHECK: setp.eq.b64
; CHECK: xor.b64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 3;
; CHECK: setp.eq.b64
define ptx_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load i128, ptr addrspace(1) %q
  switch i128 %v, label %no [
    i128 18446744073709551616, label %one
    i128 3, label %two
  ]
one:
  store i32 1, ptr addrspace(1) %p
  ret void
two:
  store i32 2, ptr addrspace(1) %p
  ret void
no:
  store i32 3, ptr addrspace(1) %p
  ret void
}

; The bits above the type do not count.
; CHECK-LABEL: .visible .entry odd(
; CHECK: and.b64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 63;
; CHECK: setp
define ptx_kernel void @odd(ptr addrspace(1) %p, i64 %a) {
  %v = sext i64 %a to i70
  %w = shl i70 %v, 3
  switch i70 %w, label %no [ i70 -8, label %yes ]
yes:
  store i32 1, ptr addrspace(1) %p
  ret void
no:
  store i32 2, ptr addrspace(1) %p
  ret void
}
