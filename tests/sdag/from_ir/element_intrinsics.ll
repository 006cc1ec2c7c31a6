; Intrinsics that rearrange elements, and accesses with an address for each element.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

declare <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32>)
declare <4 x i32> @llvm.vector.splice.v4i32(<4 x i32>, <4 x i32>, i32)
declare { <2 x i32>, <2 x i32> } @llvm.vector.deinterleave2.v4i32(<4 x i32>)
declare <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32, i32)
declare <4 x i32> @llvm.stepvector.v4i32()
declare <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)>, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p1(<2 x i32>, <2 x ptr addrspace(1)>, i32, <2 x i1>)
declare void @llvm.masked.compressstore.v2i32(<2 x i32>, ptr, <2 x i1>)

; CHECK-LABEL: .visible .entry reverse(
; CHECK: ld.global.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}
; CHECK: st.global.v4.b32 [{{%rd[0-9]+}}], {[[D]], [[C]], [[B]], [[A]]};
define ptx_kernel void @reverse(ptr addrspace(1) %p) {
  %v = load <4 x i32>, ptr addrspace(1) %p
  %r = call <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32> %v)
  store <4 x i32> %r, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry splice(
; CHECK: ld.global.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}
; CHECK: st.global.v4.b32 [{{%rd[0-9]+}}], {[[D]], 0, 1, 2};
define ptx_kernel void @splice(ptr addrspace(1) %p) {
  %v = load <4 x i32>, ptr addrspace(1) %p
  %s = call <4 x i32> @llvm.stepvector.v4i32()
  %r = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %v, <4 x i32> %s, i32 -1)
  store <4 x i32> %r, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: .visible .entry deinterleave(
; CHECK: ld.global.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]], [[C:%r[0-9]+]], [[D:%r[0-9]+]]}
; CHECK: st.global.v2.b32 [{{%rd[0-9]+}}], {[[A]], [[C]]};
; CHECK: st.global.v2.b32 [{{%rd[0-9]+}}+8], {[[B]], [[D]]};
define ptx_kernel void @deinterleave(ptr addrspace(1) %p) {
  %v = load <4 x i32>, ptr addrspace(1) %p
  %r = call { <2 x i32>, <2 x i32> } @llvm.vector.deinterleave2.v4i32(<4 x i32> %v)
  store { <2 x i32>, <2 x i32> } %r, ptr addrspace(1) %p, align 16
  ret void
}

; The sums do not wrap around.
; CHECK-LABEL: .visible .entry active(
; CHECK: st.global.b32 [{{%rd[0-9]+}}], 1;
define ptx_kernel void @active(ptr addrspace(1) %p) {
  %m = call <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32 -2, i32 -1)
  %z = zext <4 x i1> %m to <4 x i8>
  store <4 x i8> %z, ptr addrspace(1) %p
  ret void
}

; Each access has a branch around it.
; CHECK-LABEL: .visible .entry copy(
; CHECK: @%p{{[0-9]+}} bra
; CHECK: ld.global.b32
; CHECK: @%p{{[0-9]+}} bra
; CHECK: ld.global.b32
; CHECK: st.global.b32
; CHECK: st.global.b32
; CHECK-NOT: global
; CHECK: ret;
define ptx_kernel void @copy(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %m) {
  %b = trunc i32 %m to i2
  %mask = bitcast i2 %b to <2 x i1>
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %a = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %p, i32 0
  %from = insertelement <2 x ptr addrspace(1)> %a, ptr addrspace(1) %p1, i32 1
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)> %from, i32 4, <2 x i1> %mask, <2 x i32> <i32 1, i32 2>)
  %q1 = getelementptr i8, ptr addrspace(1) %q, i64 64
  %c = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %q, i32 0
  %to = insertelement <2 x ptr addrspace(1)> %c, ptr addrspace(1) %q1, i32 1
  call void @llvm.masked.scatter.v2i32.v2p1(<2 x i32> %v, <2 x ptr addrspace(1)> %to, i32 4, <2 x i1> <i1 true, i1 true>)
  ret void
}

; CHECK-LABEL: .visible .entry compress(
; CHECK: @%p{{[0-9]+}} bra
; CHECK: st.global.b32
; CHECK: @%p{{[0-9]+}} bra
; CHECK: selp.b64 {{%rd[0-9]+}}, 4, 0, {{%p[0-9]+}};
; CHECK: st.global.b32
define ptx_kernel void @compress(ptr %p, i32 %m, i32 %x) {
  %b = trunc i32 %m to i2
  %mask = bitcast i2 %b to <2 x i1>
  %v = insertelement <2 x i32> <i32 5, i32 6>, i32 %x, i32 1
  call void @llvm.masked.compressstore.v2i32(<2 x i32> %v, ptr align 4 %p, <2 x i1> %mask)
  ret void
}

; A vector of addresses. The constant part is an offset.
; CHECK-LABEL: .visible .entry addresses(
; CHECK: ld.global.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}+12];
; CHECK: ld.global.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}+12];
define ptx_kernel void @addresses(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %i, i32 %j) {
  %a = insertelement <2 x i32> poison, i32 %i, i32 0
  %b = insertelement <2 x i32> %a, i32 %j, i32 1
  %g = getelementptr { i64, [4 x i32] }, ptr addrspace(1) %p, <2 x i32> %b, i32 1, <2 x i32> splat (i32 1)
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)> %g, i32 4, <2 x i1> splat (i1 true), <2 x i32> poison)
  store <2 x i32> %v, ptr addrspace(1) %q
  ret void
}
