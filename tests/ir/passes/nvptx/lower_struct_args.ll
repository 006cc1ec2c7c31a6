; lower-struct-args copies structures to the stack, where nvptx-lower-args reads them in place.
; RUN: ptxmir -x ir -emit-llvm -passes=lower-struct-args -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes='default<O2>' %s -o - | FileCheck %s --check-prefix=PLACE
; RUN: ptxmir -x ir -emit-llvm -passes='default<O0>' -nvptx-early-byval-copy %s -o - | FileCheck %s --check-prefix=EARLY
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i32 }

define ptx_kernel void @k(ptr byval(%pair) align 4 %p, ptr %out) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: [[COPY:%.*]] = alloca %pair, align 4
; CHECK: [[PARAM:%.*]] = call align 4 ptr addrspace(101) @llvm.nvvm.internal.addrspace.wrap.p101.p0(ptr %p)
; CHECK: call void @llvm.memcpy.p0.p101.i64(ptr align 4 [[COPY]], ptr addrspace(101) align 4 [[PARAM]], i64 8, i1 false)
; CHECK: load i32, ptr [[COPY]]
; PLACE-LABEL: define ptx_kernel void @k(
; PLACE-NOT: alloca
; EARLY: alloca %pair
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %out, align 4
  ret void
}
