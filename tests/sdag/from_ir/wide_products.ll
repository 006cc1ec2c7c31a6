; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

; mul.wide extends its factors, so loads of factors leave them narrow. ptxas makes one instruction of mul.wide and an
; addition, but several of a 64-bit shift or product.

; An index from memory.
define float @gather(ptr addrspace(1) %indices, ptr addrspace(1) %values) {
; CHECK-LABEL: gather(
; CHECK: ld.global.b32 [[I:%r[0-9]+]], [{{%rd[0-9]+}}];
; CHECK: mad.wide.s32 [[P:%rd[0-9]+]], [[I]], 4, {{%rd[0-9]+}};
; CHECK: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[P]]];
  %index = load i32, ptr addrspace(1) %indices
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %values, i64 %wide
  %value = load float, ptr addrspace(1) %p
  ret float %value
}

; The load extends to 32 bits, and the product the rest of the way.
define i64 @gather_by_bytes(ptr addrspace(1) %indices, ptr addrspace(1) %values) {
; CHECK-LABEL: gather_by_bytes(
; CHECK: ld.global.b8 [[I:%r[0-9]+]],
; CHECK: mad.wide.u32 {{%rd[0-9]+}}, [[I]], 8,
  %index = load i8, ptr addrspace(1) %indices
  %wide = zext i8 %index to i64
  %p = getelementptr i64, ptr addrspace(1) %values, i64 %wide
  %value = load i64, ptr addrspace(1) %p
  ret i64 %value
}

define i64 @product_of_loads(ptr addrspace(1) %a, ptr addrspace(1) %b) {
; CHECK-LABEL: product_of_loads(
; CHECK: ld.global.b32 [[A:%r[0-9]+]],
; CHECK: ld.global.s16 [[B:%r[0-9]+]],
; CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[A]], [[B]];
  %x = load i32, ptr addrspace(1) %a
  %y = load i16, ptr addrspace(1) %b
  %wide_x = sext i32 %x to i64
  %wide_y = sext i16 %y to i64
  %product = mul i64 %wide_x, %wide_y
  ret i64 %product
}

define i64 @product_of_parameters(i32 %a, i32 %b) {
; CHECK-LABEL: product_of_parameters(
; CHECK: ld.param.b32 [[A:%r[0-9]+]],
; CHECK: ld.param.b32 [[B:%r[0-9]+]],
; CHECK: mul.wide.u32 {{%rd[0-9]+}},
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %product = mul i64 %x, %y
  ret i64 %product
}

; Other users get the extended value from an instruction of its own.
define i64 @factor_with_other_users(ptr addrspace(1) %a) {
; CHECK-LABEL: factor_with_other_users(
; CHECK: ld.global.b32 [[A:%r[0-9]+]],
; CHECK-DAG: cvt.s64.s32 {{%rd[0-9]+}}, [[A]];
; CHECK-DAG: mul.wide.s32 {{%rd[0-9]+}}, [[A]], 12;
  %x = load i32, ptr addrspace(1) %a
  %wide = sext i32 %x to i64
  %product = mul i64 %wide, 12
  %r = xor i64 %product, %wide
  ret i64 %r
}

; No product: the load extends.
define i64 @no_factor(ptr addrspace(1) %a, i64 %b) {
; CHECK-LABEL: no_factor(
; CHECK: ld.global.s32 [[A:%rd[0-9]+]],
; CHECK: mul.lo.s64 {{%rd[0-9]+}},
  %x = load i32, ptr addrspace(1) %a
  %wide = sext i32 %x to i64
  %product = mul i64 %wide, %b
  ret i64 %product
}

define i64 @product_that_does_not_wrap(i32 %a, i32 %b) {
; CHECK-LABEL: product_that_does_not_wrap(
; CHECK: mul.wide.s32
; CHECK-NOT: cvt
; CHECK: ret;
  %product = mul nsw i32 %a, %b
  %wide = sext i32 %product to i64
  ret i64 %wide
}

define i64 @shift_that_does_not_wrap(i32 %a) {
; CHECK-LABEL: shift_that_does_not_wrap(
; CHECK: mul.wide.u32 {{%rd[0-9]+}}, {{%r[0-9]+}}, 1024;
  %shift = shl nuw i32 %a, 10
  %wide = zext i32 %shift to i64
  ret i64 %wide
}

; The scale of the index is one factor.
define float @every_third(ptr addrspace(1) %p, i32 %i) {
; CHECK-LABEL: every_third(
; CHECK: mad.wide.s32 {{%rd[0-9]+}}, {{%r[0-9]+}}, 12,
  %third = mul nsw i32 %i, 3
  %wide = sext i32 %third to i64
  %q = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %value = load float, ptr addrspace(1) %q
  ret float %value
}

define i32 @high_half(i32 %a, i32 %b) {
; CHECK-LABEL: high_half(
; CHECK: mul.hi.s32
; CHECK-NOT: shr
; CHECK: ret;
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %product = mul i64 %x, %y
  %shifted = lshr i64 %product, 32
  %high = trunc i64 %shifted to i32
  ret i32 %high
}

define i128 @two_words(i64 %a, i64 %b) {
; CHECK-LABEL: two_words(
; CHECK-DAG: mul.lo.s64
; CHECK-DAG: mul.hi.s64
; CHECK-NOT: mad
; CHECK: ret;
  %x = sext i64 %a to i128
  %y = sext i64 %b to i128
  %product = mul i128 %x, %y
  ret i128 %product
}
