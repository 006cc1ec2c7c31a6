; Intrinsics of clusters, whose pointers had no address space of their own before LLVM 21.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^ *}}[[C:%[0-9]+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 1)
; CHECK: {{^ *}}[[A:%[0-9]+]] = addrspacecast ptr addrspace(7) [[C]] to ptr addrspace(3)
; CHECK: {{^ *}}store i32 1, ptr addrspace(3) [[A]]
; CHECK: {{^ *}}[[B:%[0-9]+]] = addrspacecast ptr addrspace(3) %s to ptr addrspace(7)
; CHECK: {{^ *}}call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) [[B]], ptr addrspace(3) %s,
; CHECK: {{^ *}}call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.1d(ptr addrspace(7) %{{[0-9]+}}, {{.*}}, i1 false, i32 0)
; CHECK: {{^ *}}call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7) %{{[0-9]+}}, ptr addrspace(3) %s, ptr addrspace(3) %s, i32 0)

target triple = "nvptx64-nvidia-cuda"
declare ptr addrspace(3) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(3), ptr addrspace(3), ptr addrspace(1), i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.1d(ptr addrspace(3), ptr addrspace(3), ptr, i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(3), ptr addrspace(3), ptr addrspace(3), i32)
define void @k(ptr addrspace(3) %s, ptr addrspace(1) %g, ptr %p) {
  %a = call ptr addrspace(3) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 1)
  store i32 1, ptr addrspace(3) %a
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(3) %s, ptr addrspace(3) %s, ptr addrspace(1) %g, i32 4, i16 0, i64 0, i1 false, i1 false)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.1d(ptr addrspace(3) %s, ptr addrspace(3) %s, ptr %p, i32 0, i16 0, i64 0, i1 false, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(3) %s, ptr addrspace(3) %s, ptr addrspace(3) %s, i32 0)
  ret void
}
