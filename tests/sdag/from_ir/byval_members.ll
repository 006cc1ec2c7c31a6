; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -verify-exec %s -o /dev/null

; An object that is passed by value is read member by member, as it was stored. Its values then need no memory. It used
; to be read 64 bits at a time, which no store of 32 bits could be forwarded to.

target triple = "nvptx64-nvidia-cuda"

%words = type { [4 x i32] }
%mixed = type { float, [4 x i8], <2 x float>, ptr }
%bytes = type { [8 x i8], i32 }
%bits = type { <32 x i1>, i8 }
%packed = type <{ i8, i32, i8 }>

define internal i32 @words(ptr byval(%words) align 16 %p) noinline {
  %at = getelementptr i8, ptr %p, i64 12
  %v = load i32, ptr %at, align 4
  ret i32 %v
}

define internal float @mixed(ptr byval(%mixed) align 8 %p) noinline {
  %v = load float, ptr %p, align 8
  ret float %v
}

define internal i32 @bytes(ptr byval(%bytes) align 8 %p) noinline {
  %at = getelementptr i8, ptr %p, i64 8
  %v = load i32, ptr %at, align 8
  ret i32 %v
}

define internal i8 @bits(ptr byval(%bits) align 4 %p) noinline {
  %at = getelementptr i8, ptr %p, i64 4
  %v = load i8, ptr %at, align 4
  ret i8 %v
}

define internal i8 @packed(ptr byval(%packed) align 1 %p) noinline {
  %v = load i8, ptr %p, align 1
  ret i8 %v
}

define ptx_kernel void @fills_words(ptr %out, i32 %a, i32 %b) {
; CHECK-LABEL: .entry fills_words(
; CHECK-NOT: local
; CHECK: ld.param.b32 [[A:%r[0-9]+]], [fills_words_param_1];
; CHECK: ld.param.b32 [[B:%r[0-9]+]], [fills_words_param_2];
; CHECK: st.param.v4.b32 [param0], {[[A]], [[B]], [[A]], [[B]]};
; CHECK-NOT: local
; CHECK: ret;
  %p = alloca %words, align 16
  store i32 %a, ptr %p, align 16
  %p1 = getelementptr i8, ptr %p, i64 4
  store i32 %b, ptr %p1, align 4
  %p2 = getelementptr i8, ptr %p, i64 8
  store i32 %a, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %p, i64 12
  store i32 %b, ptr %p3, align 4
  %v = call i32 @words(ptr byval(%words) align 16 %p)
  store i32 %v, ptr %out, align 4
  ret void
}

; Members of less than 32 bits are read together.
define ptx_kernel void @reads_mixed(ptr %out, ptr %in) {
; CHECK-LABEL: .entry reads_mixed(
; CHECK: ld.global.v2.b32 {{{%r[0-9]+}}, {{%r[0-9]+}}}, [{{%rd[0-9]+}}];
; CHECK: ld.global.v2.b32 {{{%r[0-9]+}}, {{%r[0-9]+}}}, [{{%rd[0-9]+}}+8];
; CHECK: ld.global.b64 {{%rd[0-9]+}}, [{{%rd[0-9]+}}+16];
; CHECK: call.uni
  %v = call float @mixed(ptr byval(%mixed) align 8 %in)
  store float %v, ptr %out, align 4
  ret void
}

define ptx_kernel void @reads_bytes(ptr %out, ptr %in) {
; CHECK-LABEL: .entry reads_bytes(
; CHECK: ld.global.b64
; CHECK: ld.global.b32
; CHECK: call.uni
  %v = call i32 @bytes(ptr byval(%bytes) align 8 %in)
  store i32 %v, ptr %out, align 4
  ret void
}

; A member at an address that its size does not divide is read as bytes.
define ptx_kernel void @reads_packed(ptr %out, ptr %in) {
; CHECK-LABEL: .entry reads_packed(
; CHECK-COUNT-6: ld.global.{{.*}}b8
; CHECK: call.uni
  %v = call i8 @packed(ptr byval(%packed) align 1 %in)
  store i8 %v, ptr %out, align 4
  ret void
}

; A vector of bits is an integer in memory.
define ptx_kernel void @reads_bits(ptr %out, ptr %in) {
; CHECK-LABEL: .entry reads_bits(
; CHECK: ld.global.b32
; CHECK-NEXT: ld.global.b32
; CHECK: call.uni
  %v = call i8 @bits(ptr byval(%bits) align 4 %in)
  store i8 %v, ptr %out, align 4
  ret void
}
