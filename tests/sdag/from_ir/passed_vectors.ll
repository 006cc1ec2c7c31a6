; What calls pass and get back is stored and loaded as vectors, as far as its alignment is known.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -load-store-vectorizer=false %s -o - | FileCheck %s --check-prefix=OFF
; RUN: ptxmir -mcpu=sm_80 -verify-exec %s -o /dev/null

target triple = "nvptx64-nvidia-cuda"

%four = type { float, float, float, float }
%mixed = type { [4 x i32], i64, [8 x i8] }

declare %four @elsewhere()
declare %mixed @of_bytes(ptr byval(%mixed) align 16)

; The callee is known, so that its result is aligned to 16 bytes.
define internal %four @inner(float %x) noinline {
; CHECK-LABEL: ) inner(
; CHECK: st.param.v4.b32 [func_retval0], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}};
; OFF-LABEL: ) inner(
; OFF: st.param.b32 [func_retval0+12]
  %a = insertvalue %four undef, float %x, 0
  %b = insertvalue %four %a, float %x, 1
  %c = insertvalue %four %b, float %x, 2
  %d = insertvalue %four %c, float %x, 3
  ret %four %d
}

define ptx_kernel void @inside(ptr %out, float %x) {
; CHECK-LABEL: .entry inside(
; CHECK: call.uni (retval0), inner
; CHECK-NEXT: ld.param.v4.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, [retval0];
  %r = call %four @inner(float %x)
  store %four %r, ptr %out, align 16
  ret void
}

; Of another one it is aligned as its type is.
define void @outside(ptr %out) {
; CHECK-LABEL: .func outside(
; CHECK: call.uni (retval0), elsewhere
; CHECK-NEXT: ld.param.b32 %r{{[0-9]+}}, [retval0];
; CHECK-NEXT: ld.param.b32 %r{{[0-9]+}}, [retval0+4];
  %r = call %four @elsewhere()
  store %four %r, ptr %out, align 16
  ret void
}

define void @bytes(ptr %out, ptr %in) {
; CHECK-LABEL: .func bytes(
; CHECK: st.param.v4.b32 [param0], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}};
; CHECK-NEXT: st.param.v2.b64 [param0+16], {%rd{{[0-9]+}}, %rd{{[0-9]+}}};
; CHECK-NEXT: call.uni (retval0), of_bytes
; CHECK-NEXT: ld.param.v2.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}}, [retval0];
; CHECK-NEXT: ld.param.v2.b32 {%r{{[0-9]+}}, %r{{[0-9]+}}}, [retval0+8];
; CHECK-NEXT: ld.param.b64 %rd{{[0-9]+}}, [retval0+16];
; CHECK-NEXT: ld.param.v4.b8 {{.*}}, [retval0+24];
; CHECK-NEXT: ld.param.v4.b8 {{.*}}, [retval0+28];
  %r = call %mixed @of_bytes(ptr byval(%mixed) align 16 %in)
  store %mixed %r, ptr %out, align 16
  ret void
}
