; Passes over variables and names say what they have done, and why not more. A variable is called one.
;
; RUN: ptxmir -mcpu=sm_80 -pass-remarks=. -pass-remarks-missed=. %s -o /dev/null 2>&1 | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 -pass-remarks-output=- -pass-remarks-filter=generic-to-nvvm %s -o /dev/null | FileCheck %s --check-prefix=YAML

; CHECK: remark: variable 'a.b': nvptx-assign-valid-global-names: is called 'a_$_b', which is a name in PTX
; CHECK-NEXT: remark: variable 'c.d': nvptx-assign-valid-global-names: keeps its name here, which metadata mentions; PTX has 'c_$_d'
; CHECK-NEXT: remark: variable 'generic': generic-to-nvvm: is in the global space now
; CHECK-NEXT: remark: function 'start': nvptx-lower-ctor-dtor: is listed in '.init_array.7', for 'nvptx$device$init' to call
; CHECK: remark: variable 'a_$_b': nvptx-set-global-array-alignment: is aligned to 16 bytes instead of 4
; CHECK-NEXT: remark: variable 'weak': nvptx-set-global-array-alignment: stays aligned to 4 bytes: it may be defined elsewhere

; YAML: --- !Passed
; YAML-NEXT: Pass: generic-to-nvvm
; YAML-NEXT: Name: MovedToGlobalSpace
; YAML-NEXT: Function: generic
; YAML-NEXT: Args:
; YAML-NEXT: - String: is in the global space now

target triple = "nvptx64-nvidia-cuda"

@a.b = internal addrspace(1) global [8 x i32] zeroinitializer, align 4
@c.d = internal addrspace(1) global i32 0, align 4
@weak = weak addrspace(1) global [8 x i32] zeroinitializer, align 4
@generic = internal global i32 0, align 4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @start, ptr null }]

define internal void @start() {
  store i32 1, ptr @generic
  store i32 1, ptr addrspace(1) @c.d
  store i32 1, ptr addrspace(1) @a.b
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr addrspace(1) @c.d, !"managed", i32 1}
