; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

; A kernel that passes its own parameter on by value reads it where it is. It used to be copied to the stack first.

%s = type { i64, i64 }
declare void @take(ptr byval(%s) align 8)

define ptx_kernel void @passes_on(ptr byval(%s) align 8 %a) {
; CHECK-LABEL: passes_on(
; CHECK-NOT: __local_depot
; CHECK-DAG: ld.param.b64 [[A:%rd[0-9]+]], [passes_on_param_0];
; CHECK-DAG: ld.param.b64 [[B:%rd[0-9]+]], [passes_on_param_0+8];
; CHECK-DAG: st.param.b64 [param0], [[A]];
; CHECK-DAG: st.param.b64 [param0+8], [[B]];
; CHECK: call.uni take
  call void @take(ptr byval(%s) align 8 %a)
  ret void
}
