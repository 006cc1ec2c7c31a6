; A modifier that PTX knows from version 6.3 on, in that version.
; llc: -mcpu=sm_70 -mattr=+ptx63
target triple = "nvptx64-nvidia-cuda"

declare { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p1(ptr addrspace(1), i32)

define ptx_kernel void @load(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p1(ptr addrspace(1) %p, i32 16)
  %e = extractvalue { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } %v, 0
  store <2 x half> %e, ptr addrspace(1) %q
  ret void
}
