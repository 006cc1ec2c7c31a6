; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -nvptx-prec-divf32=0 -nvptx-prec-sqrtf32=0 %s -o - | FileCheck %s --check-prefix=FAST

declare float @llvm.sqrt.f32(float)

; The reciprocal of an approximate square root is one approximation.
define float @reciprocal_of_root(float %x) {
; CHECK-LABEL: reciprocal_of_root(
; CHECK: rsqrt.approx.f32
; CHECK-NOT: rcp
; CHECK: ret;
  %root = call afn float @llvm.sqrt.f32(float %x)
  %r = fdiv afn float 1.0, %root
  ret float %r
}

define float @flushed(float %x) "denormal-fp-math-f32"="preserve-sign" {
; CHECK-LABEL: flushed(
; CHECK: rsqrt.approx.ftz.f32
  %root = call fast float @llvm.sqrt.f32(float %x)
  %r = fdiv fast float 1.0, %root
  ret float %r
}

; x / sqrt(y) is a product with it.
define float @normalized(float %x, float %y) {
; CHECK-LABEL: normalized(
; CHECK: rsqrt.approx.f32 [[R:%r[0-9]+]], {{%r[0-9]+}};
; CHECK: mul.f32 {{%r[0-9]+}}, {{%r[0-9]+}}, [[R]];
  %root = call fast float @llvm.sqrt.f32(float %y)
  %r = fdiv fast float %x, %root
  ret float %r
}

; An exact root or an exact quotient stays.
define float @exact(float %x) {
; CHECK-LABEL: exact(
; CHECK: sqrt.rn.f32
; CHECK: rcp.rn.f32
; FAST-LABEL: exact(
; FAST: rsqrt.approx.f32
  %root = call float @llvm.sqrt.f32(float %x)
  %r = fdiv float 1.0, %root
  ret float %r
}

define float @exact_root(float %x) {
; CHECK-LABEL: exact_root(
; CHECK: sqrt.rn.f32
; CHECK: rcp.approx.f32
  %root = call float @llvm.sqrt.f32(float %x)
  %r = fdiv afn float 1.0, %root
  ret float %r
}

define float @exact_quotient(float %x) {
; CHECK-LABEL: exact_quotient(
; CHECK: sqrt.approx.f32
; CHECK: rcp.rn.f32
  %root = call afn float @llvm.sqrt.f32(float %x)
  %r = fdiv float 1.0, %root
  ret float %r
}

; Quotients by one value share its reciprocal.
define float @twice(float %x, float %y, float %z) {
; CHECK-LABEL: twice(
; CHECK: rcp.rn.f32 [[R:%r[0-9]+]], {{%r[0-9]+}};
; CHECK: mul.rn.f32 {{%r[0-9]+}}, {{%r[0-9]+}}, [[R]];
; CHECK: mul.rn.f32 {{%r[0-9]+}}, {{%r[0-9]+}}, [[R]];
; CHECK-NOT: div
; CHECK: ret;
  %a = fdiv arcp float %x, %z
  %b = fdiv arcp float %y, %z
  %r = fsub float %a, %b
  ret float %r
}

define double @twice_in_double(double %x, double %y, double %z) {
; CHECK-LABEL: twice_in_double(
; CHECK: rcp.rn.f64
; CHECK-NOT: div
; CHECK: ret;
  %a = fdiv arcp double %x, %z
  %b = fdiv arcp double %y, %z
  %r = fsub double %a, %b
  ret double %r
}

; Half is divided in f32, so the reciprocal is one of f32.
define half @twice_in_half(half %x, half %y, half %z) {
; CHECK-LABEL: twice_in_half(
; CHECK: rcp.rn.f32
; CHECK-NOT: div
; CHECK: ret;
  %a = fdiv arcp half %x, %z
  %b = fdiv arcp half %y, %z
  %r = fsub half %a, %b
  ret half %r
}

define float @once(float %x, float %y, float %z) {
; CHECK-LABEL: once(
; CHECK: div.rn.f32
; CHECK: div.rn.f32
  %a = fdiv arcp float %x, %z
  %b = fdiv float %y, %z
  %r = fsub float %a, %b
  ret float %r
}

define double @negative_reciprocal(double %x) {
; CHECK-LABEL: negative_reciprocal(
; CHECK: rcp.rn.f64 [[R:%rd[0-9]+]], {{%rd[0-9]+}};
; CHECK: neg.f64 {{%rd[0-9]+}}, [[R]];
  %r = fdiv double -1.0, %x
  ret double %r
}
