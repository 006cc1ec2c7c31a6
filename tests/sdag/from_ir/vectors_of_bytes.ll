; Bytes in a word: PTX permutes and inserts them.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

define <4 x i8> @reverse(<4 x i8> %a) {
; CHECK-LABEL: reverse(
; CHECK: ld.param.b32
; CHECK-NEXT: mov.b32 %r[[SELECTOR:[0-9]+]], 291;
; CHECK-NEXT: prmt.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0, %r[[SELECTOR]];
; CHECK-NEXT: st.param.b32
  %r = shufflevector <4 x i8> %a, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  ret <4 x i8> %r
}

define <4 x i8> @interleave(<4 x i8> %a, <4 x i8> %b) {
; CHECK-LABEL: interleave(
; CHECK: mov.b32 %r[[SELECTOR:[0-9]+]], 20800;
; CHECK-NEXT: prmt.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r[[SELECTOR]];
; CHECK-NOT: prmt
; CHECK: ret;
  %r = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  ret <4 x i8> %r
}

define <4 x i8> @insert_constant(<4 x i8> %a) {
; CHECK-LABEL: insert_constant(
; CHECK: prmt.b32
; CHECK-NOT: prmt
; CHECK: ret;
  %r = insertelement <4 x i8> %a, i8 7, i32 2
  ret <4 x i8> %r
}

define i8 @extract(<4 x i8> %a, i32 %i) {
; CHECK-LABEL: extract(
; CHECK: prmt.b32
; CHECK-NOT: setp
; CHECK: ret;
  %r = extractelement <4 x i8> %a, i32 %i
  ret i8 %r
}

define i8 @extract_wide(<16 x i8> %a, i32 %i) {
; CHECK-LABEL: extract_wide(
; CHECK: prmt.b32
; CHECK: prmt.b32
; CHECK: selp
; CHECK: ret;
  %r = extractelement <16 x i8> %a, i32 %i
  ret i8 %r
}

define <4 x i8> @insert(<4 x i8> %a, i8 %x, i32 %i) {
; CHECK-LABEL: insert(
; CHECK: shl.b32 %r[[PLACE:[0-9]+]], %r{{[0-9]+}}, 3;
; CHECK: bfi.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r[[PLACE]], 8;
; CHECK-NOT: setp
; CHECK: ret;
  %r = insertelement <4 x i8> %a, i8 %x, i32 %i
  ret <4 x i8> %r
}

; Fields of other widths are extracted from 32 bits.
define i16 @odd_width(i9 %a) {
; CHECK-LABEL: odd_width(
; CHECK: bfe.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0, 9;
  %r = sext i9 %a to i16
  ret i16 %r
}
