; Vectors of 256 bits are loaded and stored whole from sm_100 on, and in halves before, through the read-only cache, too.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_100 -mattr=+ptx88 %s -o - | FileCheck %s --check-prefix=WHOLE

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .entry halves(
; CHECK: ld.global.nc.v4.b32 {{.*}}, [%rd{{[0-9]+}}];
; CHECK: ld.global.nc.v4.b32 {{.*}}, [%rd{{[0-9]+}}+16];
; CHECK: ld.global.nc.v2.b64 {{.*}}, [%rd{{[0-9]+}}+32];
; CHECK: ld.global.nc.v2.b64 {{.*}}, [%rd{{[0-9]+}}+48];
; CHECK: st.global.v4.b32
; CHECK: st.global.v4.b32
; CHECK: st.global.v2.b64
; CHECK: st.global.v2.b64
; CHECK-NOT: st.
;
; WHOLE: ld.global.nc.v4.b64 {{.*}}, [%rd{{[0-9]+}}];
; WHOLE: ld.global.nc.v4.b64 {{.*}}, [%rd{{[0-9]+}}+32];
; WHOLE: st.global.v4.b64
; WHOLE: st.global.v4.b64
; WHOLE-NOT: st.
define ptx_kernel void @halves(ptr noalias readonly %p, ptr noalias %q) {
  %a = load <8 x i32>, ptr %p, align 32
  %b.address = getelementptr i8, ptr %p, i64 32
  %b = load <4 x double>, ptr %b.address, align 32, !invariant.load !0
  %sum = add <8 x i32> %a, %a
  store <8 x i32> %sum, ptr %q, align 32
  %c.address = getelementptr i8, ptr %q, i64 64
  store <4 x double> %b, ptr %c.address, align 32
  ret void
}

!0 = !{}
