; Arrays that are defined here are aligned for accesses of 16 bytes.
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-set-global-array-alignment -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -O2 -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=PTX
; RUN: ptxmir -O2 -mcpu=sm_80 -nvptx-set-global-array-alignment=false %s -o - | FileCheck %s --check-prefix=OFF
; RUN: ptxmir -x ir -emit-llvm -passes=nvptx-set-global-array-alignment,infer-alignment %s -o - | FileCheck %s --check-prefix=FIRST
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x float] undef, align 4
@small = internal addrspace(1) global [3 x float] zeroinitializer, align 4
@outside = external addrspace(1) global [64 x float], align 4
@replaceable = weak addrspace(1) global [64 x float] zeroinitializer, align 4
@placed = addrspace(1) global [64 x float] zeroinitializer, section "s", align 4
@aligned = addrspace(1) global [64 x float] zeroinitializer, align 64

define ptx_kernel void @k(ptr addrspace(1) %out) {
; CHECK: @tile = internal addrspace(3) global [64 x float] undef, align 16
; CHECK: @small = internal addrspace(1) global [3 x float] zeroinitializer, align 4
; CHECK: @outside = external addrspace(1) global [64 x float], align 4
; CHECK: @replaceable = weak addrspace(1) global [64 x float] zeroinitializer, align 4
; CHECK: @placed = addrspace(1) global [64 x float] zeroinitializer, section "s", align 4
; CHECK: @aligned = addrspace(1) global [64 x float] zeroinitializer, align 64
; PTX: .shared .align 16 .b8 tile[256]
; PTX: ld.shared.v4.b32
; OFF: .shared .align 4 .b8 tile[256]
; OFF-NOT: ld.shared.v4.b32
; FIRST: load float, ptr addrspace(3) @tile, align 16
  %a = load float, ptr addrspace(3) @tile, align 4
  %b = load float, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 4), align 4
  %c = load float, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8), align 4
  %d = load float, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 12), align 4
  %s = fadd float %a, %b
  %t = fadd float %s, %c
  %u = fadd float %t, %d
  store float %u, ptr addrspace(1) %out, align 4
  ret void
}
