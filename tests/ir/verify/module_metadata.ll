; Damage to what NVPTX reads besides code is an error at its place, and not taken for absent.
;
; RUN: not ptxmir %s -o %t.ptx 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@texture = internal addrspace(1) global i64 0, align 8

define ptx_kernel void @k(ptr %p, i64 %image) {
  ret void
}

declare ptx_kernel void @variadic(i32, ...)

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17}
!llvm.module.flags = !{!20, !21, !22, !23, !24, !25}
!llvm.ident = !{!30}

; What is left of a function that was removed is nothing.
!0 = !{null, !"align", i32 8}
!1 = !{ptr undef, !"kernel", i32 1}
; Nobody knows this key.
!2 = !{ptr @k, !"unknown", !"text", !"kernel", i32 1}
!3 = !{ptr @k, !"rdoimage", i32 1, !"grid_constant", !{i32 1, i32 2}}
!4 = !{ptr addrspace(1) @texture, !"texture", i32 1}

!5 = !DIExpression()
!6 = !{!"k", !"kernel", i32 1}
!7 = !{ptr @k, i32 1, !"kernel"}
!8 = !{ptr @k, !"maxntidx", i32 128, !"maxntidy"}
!9 = !{ptr @k, !"maxntidx", !"128"}
!10 = !{ptr @k, !"minctasm", i32 -5}
!11 = !{ptr @k, !"texture", i32 1}
!12 = !{ptr addrspace(1) @texture, !"maxnreg", i32 64}
!13 = !{ptr @k, !"rdoimage", i32 2}
!14 = !{ptr @k, !"sampler", i32 7}
!15 = !{ptr @k, !"grid_constant", i32 1}
!16 = !{ptr @k, !"grid_constant", !{i32 0}}
!17 = !{ptr @k, !"grid_constant", !{i32 3}}

!20 = !{i32 1, !"wchar_size", i32 4}
!21 = !{i32 1, !"two"}
!22 = !{!"1", !"behavior", i32 1}
!23 = !{i32 9, !"behavior", i32 1}
!24 = !{i32 1, i32 1, i32 1}
!25 = !{i32 4, !"nvvm-reflect-ftz", !"1"}
!30 = !{!"clang"}

; CHECK: error: a node of !nvvm.annotations must be a list
; CHECK-NEXT: {{^}}!5 = !DIExpression()
; CHECK-NEXT: {{^     \^$}}
; CHECK: error: an annotation must begin with a function or a variable
; CHECK: error: the key of an annotation must be a string
; CHECK: error: annotation 'maxntidy' has no value
; CHECK: error: the value of annotation 'maxntidx' must be a natural number
; CHECK: error: the value of annotation 'minctasm' must be a natural number
; CHECK: error: annotation 'texture' is for variables
; CHECK: error: annotation 'maxnreg' is for functions
; CHECK: error: annotation 'rdoimage' names parameter 2, counted from 0, of a function with 2
; CHECK: error: annotation 'sampler' names parameter 7, counted from 0, of a function with 2
; CHECK: error: the value of annotation 'grid_constant' must be a list
; CHECK: error: annotation 'grid_constant' must list numbers of parameters, from 1 on
; CHECK: error: annotation 'grid_constant' names parameter 2, counted from 0, of a function with 2
; CHECK: error: incorrect number of operands in module flag
; CHECK: error: invalid behavior operand in module flag (expected constant integer)
; CHECK: error: invalid behavior operand in module flag (unexpected constant)
; CHECK: error: invalid ID operand in module flag (expected metadata string)
; CHECK: error: the value of module flag 'nvvm-reflect-ftz' must be an integer
; CHECK: module_metadata.ll:13:1: error: Calling convention does not support varargs or perfect forwarding!
