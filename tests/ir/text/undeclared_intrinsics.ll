; A call of an intrinsic that is not declared declares it, as in LLVM. Other functions must be declared.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck --check-prefix=PTX %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: %a = call i32 @llvm.bswap.i32(i32 %x)
; CHECK: %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-DAG: declare i32 @llvm.bswap.i32(i32)
; CHECK-DAG: declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; PTX: prmt.b32
; PTX: bar.sync 0;
define ptx_kernel void @f(ptr addrspace(1) %p, i32 %x) {
  %a = call i32 @llvm.bswap.i32(i32 %x)
  %b = call i32 @llvm.bswap.i32(i32 %a)
  %c = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %d = add i32 %a, %c
  store i32 %d, ptr addrspace(1) %p
  ret void
}
