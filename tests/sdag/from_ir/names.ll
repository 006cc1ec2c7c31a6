; A name that PTX cannot have is an error if other modules may refer to it.
;
; RUN: not ptxmir -mcpu=sm_80 %s -o - 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: unused
; CHECK: names.ll:{{[0-9]+:[0-9]+}}: error: PTX cannot have the name 'dotted.declaration', which other modules may refer to
; CHECK: error: PTX cannot have the name 'dotted.function', which other modules may refer to
; CHECK: error: PTX cannot have the name 'dotted.variable', which other modules may refer to
; CHECK-NOT: error:
@dotted.variable = addrspace(1) global i32 1
@dotted.inner.variable = internal addrspace(1) global i32 2
declare void @unused.declaration()
declare void @dotted.declaration()
define void @dotted.function() { ret void }

define i32 @f() {
  call void @dotted.declaration()
  %r = load volatile i32, ptr addrspace(1) @dotted.inner.variable
  ret i32 %r
}
