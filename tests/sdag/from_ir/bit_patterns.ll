; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_70 %s -o - | FileCheck %s --check-prefix=SM70

declare i16 @llvm.fshl.i16(i16, i16, i16)
declare <2 x i16> @llvm.bswap.v2i16(<2 x i16>)
declare half @llvm.exp2.f16(half)
declare <2 x half> @llvm.exp2.v2f16(<2 x half>)
declare <2 x half> @llvm.fabs.v2f16(<2 x half>)
declare <2 x half> @llvm.copysign.v2f16(<2 x half>, <2 x half>)

; A rotation of 64 bits by a constant is two funnel shifts of 32, however it is written.
define i64 @rotate_by_sum(i64 %x) {
; CHECK-LABEL: rotate_by_sum(
; CHECK: shf.l.wrap.b32
; CHECK: shf.l.wrap.b32
; CHECK-NOT: add
; CHECK: ret;
  %left = shl i64 %x, 13
  %right = lshr i64 %x, 51
  %r = add i64 %left, %right
  ret i64 %r
}

define i64 @funnel(i64 %x, i64 %y) {
; CHECK-LABEL: funnel(
; CHECK: shf.l.wrap.b32
; CHECK: shf.l.wrap.b32
; CHECK-NOT: or
; CHECK: ret;
  %left = shl i64 %x, 40
  %right = lshr i64 %y, 24
  %r = or i64 %left, %right
  ret i64 %r
}

; The usual way to rotate by any number.
define i32 @masked_rotate(i32 %x, i32 %n) {
; CHECK-LABEL: masked_rotate(
; CHECK: shf.l.wrap.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}};
; CHECK-NOT: or
; CHECK: ret;
  %by = and i32 %n, 31
  %negated = sub i32 0, %n
  %back = and i32 %negated, 31
  %left = shl i32 %x, %by
  %right = lshr i32 %x, %back
  %r = or i32 %left, %right
  ret i32 %r
}

; Without the value being the same, an amount of 0 would give the other value, too.
define i32 @masked_shifts(i32 %x, i32 %y, i32 %n) {
; CHECK-LABEL: masked_shifts(
; CHECK-NOT: shf
; CHECK: ret;
  %by = and i32 %n, 31
  %negated = sub i32 0, %n
  %back = and i32 %negated, 31
  %left = shl i32 %x, %by
  %right = lshr i32 %y, %back
  %r = or i32 %left, %right
  ret i32 %r
}

define i16 @exchange_bytes(i16 %x) {
; CHECK-LABEL: exchange_bytes(
; CHECK: prmt.b32
; CHECK-NOT: shl
; CHECK: ret;
  %r = call i16 @llvm.fshl.i16(i16 %x, i16 %x, i16 8)
  ret i16 %r
}

define <2 x i16> @exchange_bytes_of_both(<2 x i16> %x) {
; CHECK-LABEL: exchange_bytes_of_both(
; CHECK: prmt.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 0, 0x2301U;
; CHECK-NOT: prmt
; CHECK: ret;
  %r = call <2 x i16> @llvm.bswap.v2i16(<2 x i16> %x)
  ret <2 x i16> %r
}

define i32 @product_of_successor(i32 %x, i32 %y) {
; CHECK-LABEL: product_of_successor(
; CHECK: mad.lo.s32
  %next = add i32 %x, 1
  %r = mul i32 %next, %y
  ret i32 %r
}

; PTX has ex2 of half from sm_75 on.
define half @exp2_of_half(half %x) {
; CHECK-LABEL: exp2_of_half(
; CHECK: ex2.approx.f16
; SM70-LABEL: exp2_of_half(
; SM70: ex2.approx.f32
  %r = call half @llvm.exp2.f16(half %x)
  ret half %r
}

define <2 x half> @exp2_of_two(<2 x half> %x) {
; CHECK-LABEL: exp2_of_two(
; CHECK: ex2.approx.f16x2
  %r = call <2 x half> @llvm.exp2.v2f16(<2 x half> %x)
  ret <2 x half> %r
}

; Signs of two elements are two bits of a register.
define <2 x half> @copy_signs(<2 x half> %x, <2 x half> %y) {
; CHECK-LABEL: copy_signs(
; CHECK-DAG: and.b32 [[M:%r[0-9]+]], {{%r[0-9]+}}, 2147450879;
; CHECK-DAG: and.b32 [[S:%r[0-9]+]], {{%r[0-9]+}}, -2147450880;
; CHECK: or.b32 {{%r[0-9]+}}, [[M]], [[S]];
  %r = call <2 x half> @llvm.copysign.v2f16(<2 x half> %x, <2 x half> %y)
  ret <2 x half> %r
}

define <2 x half> @negate(<2 x half> %x) {
; CHECK-LABEL: negate(
; CHECK: neg.f16x2
; SM70-LABEL: negate(
; SM70: xor.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, -2147450880;
  %r = fneg <2 x half> %x
  ret <2 x half> %r
}

define <2 x half> @magnitudes(<2 x half> %x) {
; CHECK-LABEL: magnitudes(
; CHECK: abs.f16x2
; SM70-LABEL: magnitudes(
; SM70: and.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 2147450879;
  %r = call <2 x half> @llvm.fabs.v2f16(<2 x half> %x)
  ret <2 x half> %r
}

; Two tests are one.
define i1 @both_are_numbers(float %x, float %y) {
; CHECK-LABEL: both_are_numbers(
; CHECK: setp.num.f32 {{%p[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}};
; CHECK-NOT: setp
; CHECK: ret;
  %a = fcmp ord float %x, 0.0
  %b = fcmp ord float %y, 0.0
  %r = and i1 %a, %b
  ret i1 %r
}

define i1 @both_are_zero(i32 %x, i32 %y) {
; CHECK-LABEL: both_are_zero(
; CHECK: or.b32 [[B:%r[0-9]+]],
; CHECK: setp.eq.b32 {{%p[0-9]+}}, [[B]], 0;
; CHECK-NOT: setp
; CHECK: ret;
  %a = icmp eq i32 %x, 0
  %b = icmp eq i32 %y, 0
  %r = and i1 %a, %b
  ret i1 %r
}

; One instruction rounds two values.
define <2 x half> @round_both(float %x, float %y) {
; CHECK-LABEL: round_both(
; CHECK-DAG: ld.param.b32 [[X:%r[0-9]+]], [round_both_param_0];
; CHECK-DAG: ld.param.b32 [[Y:%r[0-9]+]], [round_both_param_1];
; CHECK: cvt.rn.f16x2.f32 {{%r[0-9]+}}, [[Y]], [[X]];
; SM70-LABEL: round_both(
; SM70: cvt.rn.f16.f32
; SM70: cvt.rn.f16.f32
  %a = fptrunc float %x to half
  %b = fptrunc float %y to half
  %u = insertelement <2 x half> poison, half %a, i32 0
  %r = insertelement <2 x half> %u, half %b, i32 1
  ret <2 x half> %r
}
