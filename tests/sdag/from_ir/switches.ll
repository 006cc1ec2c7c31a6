; Cases of few targets that lie within the bits of a register are tested by bits; others become ranges and tables.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-machineinstrs -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

; Two targets. The first test is that of the target with the most cases that come first.
; CHECK-LABEL: .visible .entry two_targets(
; CHECK: setp.gt.u32 {{%p[0-9]+}}, [[C:%r[0-9]+]], 54;
; CHECK: shl.b64 [[BIT:%rd[0-9]+]], {{.*}}, [[C]];
; CHECK: and.b64 {{%rd[0-9]+}}, [[BIT]], 4294977024;
; CHECK: and.b64 {{%rd[0-9]+}}, [[BIT]], 23925373020405760;
; CHECK-NOT: brx
define ptx_kernel void @two_targets(ptr %p, i32 %c) {
  switch i32 %c, label %no [
    i32 32, label %yes
    i32 9, label %yes
    i32 10, label %yes
    i32 13, label %yes
    i32 48, label %digit
    i32 50, label %digit
    i32 52, label %digit
    i32 54, label %digit
  ]
yes:
  store i32 1, ptr %p
  ret void
digit:
  store i32 3, ptr %p
  ret void
no:
  store i32 2, ptr %p
  ret void
}

; Values that need 32 bits only, after the lowest is subtracted. A single value is compared.
; CHECK-LABEL: .visible .entry from_low(
; CHECK: add.s32 [[FROM:%r[0-9]+]], {{%r[0-9]+}}, 7;
; CHECK: setp.gt.u32 {{%p[0-9]+}}, [[FROM]], 10;
; CHECK: shl.b32 [[BIT:%r[0-9]+]], {{%r[0-9]+}}, {{%r[0-9]+}};
; CHECK: and.b32 {{%r[0-9]+}}, [[BIT]], 1365;
; CHECK: setp.eq.b32 {{%p[0-9]+}}, {{%r[0-9]+}}, -6;
define ptx_kernel void @from_low(ptr %p, i32 %c) {
  switch i32 %c, label %no [
    i32 -7, label %even
    i32 -5, label %even
    i32 -3, label %even
    i32 -1, label %even
    i32 1, label %even
    i32 3, label %even
    i32 -6, label %one
  ]
even:
  store i32 1, ptr %p
  ret void
one:
  store i32 3, ptr %p
  ret void
no:
  store i32 2, ptr %p
  ret void
}

; The last test is not needed where the values leave no gap.
; CHECK-LABEL: .visible .entry no_gap(
; CHECK: and.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 85;
; CHECK-NOT: and.b32
; CHECK: ret;
define ptx_kernel void @no_gap(ptr %p, i8 %c) {
  switch i8 %c, label %no [
    i8 0, label %even
    i8 1, label %odd
    i8 2, label %even
    i8 3, label %odd
    i8 4, label %even
    i8 5, label %odd
    i8 6, label %even
    i8 7, label %odd
  ]
even:
  store i32 1, ptr %p
  ret void
odd:
  store i32 3, ptr %p
  ret void
no:
  store i32 2, ptr %p
  ret void
}

; Too few comparisons for three targets: a table.
; CHECK-LABEL: .visible .entry few(
; CHECK-NOT: shl.b32
; CHECK: brx.idx
define ptx_kernel void @few(ptr %p, i32 %c) {
  switch i32 %c, label %no [
    i32 1, label %a
    i32 2, label %b
    i32 3, label %d
    i32 5, label %a
  ]
a:
  store i32 1, ptr %p
  ret void
b:
  store i32 3, ptr %p
  ret void
d:
  store i32 4, ptr %p
  ret void
no:
  store i32 2, ptr %p
  ret void
}

; Cases more than 63 apart are not tested together.
; CHECK-LABEL: .visible .entry wide(
; CHECK-NOT: shl.b
; CHECK: ret;
define ptx_kernel void @wide(ptr %p, i64 %c) {
  switch i64 %c, label %no [
    i64 1, label %a
    i64 101, label %a
    i64 1001, label %a
  ]
a:
  store i32 1, ptr %p
  ret void
no:
  store i32 2, ptr %p
  ret void
}
