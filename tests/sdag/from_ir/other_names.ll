; A name that PTX cannot have changes if no other module refers to it, or if each that does has the same definition.
;
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@inner.variable = internal addrspace(1) global i32 2
@merged.variable = linkonce_odr addrspace(1) global i32 3

; CHECK: .global .align 4 .u32 inner_$_variable = 2;
; CHECK: .weak .global .align 4 .u32 merged_$_variable = 3;
; CHECK: .func (.param .b32 func_retval0) inner_$_function(
define internal i32 @inner.function() noinline {
  %a = load volatile i32, ptr addrspace(1) @inner.variable
  %b = load volatile i32, ptr addrspace(1) @merged.variable
  %c = add i32 %a, %b
  ret i32 %c
}

define i32 @f() {
  %r = call i32 @inner.function()
  ret i32 %r
}
