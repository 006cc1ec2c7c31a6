; Loads and stores of 128 bits are atomic as exchanges.
;
; RUN: ptxmir -mcpu=sm_90 -mattr=+ptx84 %s -o - | FileCheck %s
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck --check-prefix=OLD %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .visible .entry copy(
; CHECK: atom.acquire.sys.global.cas.b128
; CHECK: atom.release.gpu.global.exch.b128
; CHECK: fence.sc.sys;
; CHECK: atom.acquire.sys.global.exch.b128
; OLD: error: {{.*}}PTX has no atomic load of this type
define ptx_kernel void @copy(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load atomic i128, ptr addrspace(1) %p acquire, align 16
  store atomic i128 %v, ptr addrspace(1) %q syncscope("device") release, align 16
  store atomic i128 %v, ptr addrspace(1) %q seq_cst, align 16
  ret void
}
