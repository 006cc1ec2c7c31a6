; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

; Saturating arithmetic and overflow of integers that fill only a part of their type used to be refused. They are
; computed at the top of the type, where it saturates and overflows.

declare i24 @llvm.sadd.sat.i24(i24, i24)
declare { i24, i1 } @llvm.smul.with.overflow.i24(i24, i24)

define ptx_kernel void @saturate(ptr addrspace(1) %p) {
; CHECK-LABEL: saturate(
; CHECK: shl.b32 [[A:%r[0-9]+]], {{%r[0-9]+}}, 8;
; CHECK: shl.b32 [[B:%r[0-9]+]], {{%r[0-9]+}}, 8;
; CHECK: add.s32 [[S:%r[0-9]+]], [[A]], [[B]];
; CHECK: selp.b32 [[T:%r[0-9]+]], {{%r[0-9]+}}, [[S]]
; CHECK: shr.s32 {{%r[0-9]+}}, {{%r[0-9]+}}, 8;
  %x = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  %y = load i32, ptr addrspace(1) %q
  %a = trunc i32 %x to i24
  %b = trunc i32 %y to i24
  %s = call i24 @llvm.sadd.sat.i24(i24 %a, i24 %b)
  %r = sext i24 %s to i32
  store i32 %r, ptr addrspace(1) %p
  ret void
}

define ptx_kernel void @overflow(ptr addrspace(1) %p) {
; One factor is at the top, the other is extended.
; CHECK-LABEL: overflow(
; CHECK: shl.b32 [[A:%r[0-9]+]], {{%r[0-9]+}}, 8;
; CHECK: bfe.s32 [[B:%r[0-9]+]], {{%r[0-9]+}}, 0, 24;
; CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[A]], [[B]];
; CHECK: setp.ne.b64
  %x = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  %y = load i32, ptr addrspace(1) %q
  %a = trunc i32 %x to i24
  %b = trunc i32 %y to i24
  %s = call { i24, i1 } @llvm.smul.with.overflow.i24(i24 %a, i24 %b)
  %o = extractvalue { i24, i1 } %s, 1
  %r = zext i1 %o to i32
  store i32 %r, ptr addrspace(1) %p
  ret void
}
