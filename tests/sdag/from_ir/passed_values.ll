; Parameters, arguments and results are moved in as few accesses as their alignment allows, and what is only handed on
; stays as it came.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare <6 x float> @of_six(<7 x i64>, <9 x i8>)
declare i8 @of_byte(i8)
declare signext i16 @of_short(i16 signext)
declare i1 @of_truth(i1)
declare <8 x i8> @of_bytes(<8 x i8>)

define <6 x float> @odd_vectors(<7 x i64> %a, <9 x i8> %b) {
; CHECK-LABEL: odd_vectors(
; CHECK: ld.param.v2.b64 {{{.*}}}, [odd_vectors_param_0];
; CHECK: ld.param.v2.b64 {{{.*}}}, [odd_vectors_param_0+32];
; CHECK: ld.param.b64 %rd{{[0-9]+}}, [odd_vectors_param_0+48];
; CHECK: ld.param.v4.b8 {{{.*}}}, [odd_vectors_param_1+4];
; CHECK: call.uni (retval0), of_six
; CHECK-NEXT: ld.param.v4.b32 {{{.*}}}, [retval0];
; CHECK-NEXT: ld.param.v2.b32 {{{.*}}}, [retval0+16];
  %r = call <6 x float> @of_six(<7 x i64> %a, <9 x i8> %b)
  ret <6 x float> %r
}

define <16 x float> @wide_vector(<16 x float> %a) {
; CHECK-LABEL: wide_vector(
; CHECK: ld.param.v4.b32 {{{.*}}}, [wide_vector_param_0+48];
; CHECK: st.param.v4.b32 [func_retval0+48]
  ret <16 x float> %a
}

; The parameters of a kernel are constants for ptxas.
define ptx_kernel void @kernel({i64, i64} %a, ptr %out) {
; CHECK-LABEL: kernel(
; CHECK: ld.param.b64 %rd{{[0-9]+}}, [kernel_param_0];
; CHECK: ld.param.b64 %rd{{[0-9]+}}, [kernel_param_0+8];
  store {i64, i64} %a, ptr %out, align 8
  ret void
}

define i8 @byte(i8 %a) {
; CHECK-LABEL: byte(
; CHECK: ld.param.b32 %r[[BYTE:[0-9]+]], [retval0];
; CHECK-NOT: and
; CHECK: st.param.b32 [func_retval0], %r[[BYTE]];
  %r = call i8 @of_byte(i8 %a)
  ret i8 %r
}

define signext i16 @short(i16 signext %a) {
; CHECK-LABEL: short(
; CHECK: ld.param.b32 %r[[SHORT:[0-9]+]], [retval0];
; CHECK-NOT: cvt
; CHECK: st.param.b32 [func_retval0], %r[[SHORT]];
  %r = call signext i16 @of_short(i16 signext %a)
  ret i16 %r
}

; Truth values are passed as 0 or 1.
define i1 @truth(i1 %a) {
; CHECK-LABEL: truth(
; CHECK-NOT: setp
; CHECK: ret;
  %r = call i1 @of_truth(i1 %a)
  ret i1 %r
}
define i1 @both(i1 %a, i1 %b) {
; CHECK-LABEL: both(
; CHECK: and.b16
; CHECK-NOT: setp
; CHECK: ret;
  %r = and i1 %a, %b
  ret i1 %r
}

define <8 x i8> @bytes(<8 x i8> %a) {
; CHECK-LABEL: bytes(
; CHECK-NOT: prmt
; CHECK: ret;
  %r = call <8 x i8> @of_bytes(<8 x i8> %a)
  ret <8 x i8> %r
}

; Bytes of a packed structure are not put together.
define void @packed(ptr %in, ptr %out) {
; CHECK-LABEL: packed(
; CHECK-NOT: prmt
; CHECK-NOT: shl
; CHECK: ret;
  %v = load <{i8, i32, i64}>, ptr %in, align 1
  store <{i8, i32, i64}> %v, ptr %out, align 1
  ret void
}

; A truth value is passed as a byte of 0 or 1, unless its sign is extended.
define i32 @truth_value(i1 %a, i1 %b) {
; CHECK-LABEL: truth_value(
; CHECK-NOT: setp
; CHECK: and.b16
; CHECK-NOT: setp
; CHECK: ret;
  %c = and i1 %a, %b
  %r = zext i1 %c to i32
  ret i32 %r
}

define i32 @signed_truth_value(i1 signext %a, i1 signext %b) {
; CHECK-LABEL: signed_truth_value(
; CHECK: selp.b32 {{%r[0-9]+}}, 1, 0,
  %c = and i1 %a, %b
  %r = zext i1 %c to i32
  ret i32 %r
}
