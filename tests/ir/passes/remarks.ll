; What passes on IR have done, and why not more.
;
; RUN: ptxmir -mcpu=sm_80 -pass-remarks=sroa -pass-remarks-missed=sroa %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SROA
; RUN: ptxmir -mcpu=sm_80 -pass-remarks-missed=infer-address-spaces %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
; RUN: ptxmir -mcpu=sm_80 -pass-remarks=nvptx-lower-args -pass-remarks-missed=nvptx-lower-args %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARGS
; RUN: ptxmir -mcpu=sm_80 -pass-remarks=relax-atomicrmw %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: ptxmir -mcpu=sm_80 -j2 -pass-remarks=simplifycfg %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
; RUN: ptxmir -mcpu=sm_80 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

; SROA: remark: function 'objects': sroa: 1 stack objects became values
; SROA-NEXT: remark: function 'objects': sroa: stack object of 16 bytes stays in memory: it is indexed by a variable, or beyond its end
; SROA-NEXT: remark: function 'objects': sroa: stack object of 4 bytes stays in memory: its address is passed to a call
; SROA-NEXT: remark: function 'byval': sroa: 2 stack objects became values
; SROA-NOT: sroa

; SPACE-NOT: objects
; SPACE: remark: function 'spaces': infer-address-spaces: access stays generic: its address is loaded from memory
; SPACE-NEXT: remark: function 'spaces': infer-address-spaces: access stays generic: its address is a parameter of the function
; SPACE-NEXT: remark: function 'spaces': infer-address-spaces: access stays generic: its address is computed from a number
; SPACE-NEXT: remark: function 'spaces': infer-address-spaces: access stays generic: its address is one of several, which are not all known to be of one space

; ARGS: remark: function 'byval': nvptx-lower-args: parameter 0, passed by value, is read in place
; ARGS-NEXT: remark: function 'byval': nvptx-lower-args: parameter 1, passed by value, is copied to the stack: its address is used by 'store', which is no plain load
; ARGS-NOT: nvptx-lower-args

; ATOMIC: remark: function 'atomic': relax-atomicrmw: atomic operation made relaxed at the scope 'device'

; CHANGED: remark: function 'decided': simplifycfg: blocks removed: 1

; NONE-NOT: remark

target triple = "nvptx64-nvidia-cuda"

declare void @use(ptr)

define i32 @objects(i32 %i, i32 %n) {
  %value = alloca i32
  %array = alloca [4 x i32]
  %passed = alloca i32
  store i32 %n, ptr %value
  %v = load i32, ptr %value
  %p = getelementptr [4 x i32], ptr %array, i32 0, i32 %i
  store i32 %v, ptr %p
  %w = load i32, ptr %p
  call void @use(ptr %passed)
  ret i32 %w
}

define void @spaces(ptr %p, ptr addrspace(1) %g, i64 %number, i1 %c) {
  %q = load ptr, ptr addrspace(1) %g
  store i32 1, ptr %q
  store i32 2, ptr %p
  %r = inttoptr i64 %number to ptr
  store i32 3, ptr %r
  %s = select i1 %c, ptr %p, ptr %q
  store i32 4, ptr %s
  ret void
}

%pair = type { i32, i32 }

define ptx_kernel void @byval(ptr byval(%pair) %a, ptr byval(%pair) %b, ptr addrspace(1) %out) {
  %x = load i32, ptr %a
  store i32 %x, ptr %b
  %y = load i32, ptr %b
  store i32 %y, ptr addrspace(1) %out
  ret void
}

define i32 @atomic(ptr addrspace(1) %p) {
  %v = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  ret i32 %v
}

define i32 @decided(i32 %a) {
entry:
  br i1 true, label %yes, label %no
yes:
  ret i32 %a
no:
  ret i32 0
}
