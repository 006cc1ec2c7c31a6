; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

; ptxas calls a function for a division of 16 bits, also by a constant. The product of a few bits with a reciprocal
; fits 32 bits.

define i8 @unsigned_byte(i8 %x) {
; CHECK-LABEL: unsigned_byte(
; CHECK: mul.lo.s32 [[P:%r[0-9]+]], {{%r[0-9]+}}, 410;
; CHECK: shr.u32 {{%r[0-9]+}}, [[P]], 12;
; CHECK-NOT: div
; CHECK: ret;
  %r = udiv i8 %x, 10
  ret i8 %r
}

define i8 @signed_byte(i8 %x) {
; CHECK-LABEL: signed_byte(
; CHECK: mul.hi.s32
; CHECK-NOT: rem
; CHECK: ret;
  %r = srem i8 %x, 10
  ret i8 %r
}

define <4 x i8> @bytes(<4 x i8> %x) {
; CHECK-LABEL: bytes(
; CHECK-NOT: div
; CHECK: ret;
  %r = udiv <4 x i8> %x, <i8 10, i8 11, i8 3, i8 4>
  ret <4 x i8> %r
}

define i32 @extended_byte(ptr addrspace(1) %p) {
; CHECK-LABEL: extended_byte(
; CHECK: mul.lo.s32
; CHECK-NOT: mul.hi
; CHECK: ret;
  %byte = load i8, ptr addrspace(1) %p
  %x = zext i8 %byte to i32
  %r = udiv i32 %x, 10
  ret i32 %r
}
