; Each function has one error. The reader reports it at its place and goes on with the next function.
;
; RUN: not ptxmir -x ir -emit-llvm %s 2>&1 | FileCheck %s

define void @opcode() {
  ad i32 1, 2
  ret void
}
define i32 @undefined_value() {
  ret i32 %x
}
define void @undefined_block() {
  br label %nowhere
}
define void @undefined_global() {
  store i32 0, ptr @nothing
  ret void
}
define float @type_mismatch(i32 %x) {
  ret float %x
}
define void @number() {
  %3 = add i32 1, 2
  %2 = add i32 1, 2
  ret void
}
define void @twice() {
  %a = add i32 1, 2
  %a = add i32 1, 2
  ret void
}
define void @no_terminator() {
  fence seq_cst
}
define void @align(ptr %p) {
  store i32 0, ptr %p, align 3
  ret void
}
define void @predicate(i32 %x) {
  %1 = icmp olt i32 %x, 0
  ret void
}
define void @index({ i32 } %s) {
  %1 = extractvalue { i32 } %s, 1
  ret void
}
define void @void_name() {
  %1 = fence seq_cst
  ret void
}
define void @metadata() {
  ret void, !dbg !99
}
define void @forward_type() {
entry:
  br label %next
next:
  %1 = phi i32 [ %2, %next ], [ 0, %entry ]
  %2 = fadd float 0.0, 0.0
  br label %next
}

define void @block_with_the_number_of_a_value(float %p) {
  %f = select i1 true, float %1, float -0.0
  br label %3
  %1 = fmul float %p, 2.0
  br label %3
3:
  ret void
}
define void @record_in_such_a_block(float %p) {
  %f = select i1 true, float %1, float -0.0
  br label %3
    #dbg_value(float %p, !0, !DIExpression(), !0)
  %1 = fmul float %p, 2.0
  br label %3
3:
  ret void
}
; CHECK: errors.ll:6:3: error: expected instruction opcode
; CHECK-NEXT: ad i32 1, 2
; CHECK-NEXT: {{^ +\^}}
; CHECK: errors.ll:10:11: error: use of undefined value '%x'
; CHECK: errors.ll:13:12: error: use of undefined value '%nowhere'
; CHECK: errors.ll:16:20: error: use of undefined value '@nothing'
; CHECK: errors.ll:20:13: error: '%x' defined with type 'i32' but expected 'float'
; CHECK: errors.ll:24:3: error: instruction expected to be numbered '%4' or greater
; CHECK: errors.ll:29:3: error: multiple definition of local value named 'a'
; CHECK: errors.ll:34:1: error: expected instruction opcode
; CHECK: errors.ll:36:30: error: alignment is not a power of two
; CHECK: errors.ll:40:13: error: expected icmp predicate (e.g. 'eq')
; CHECK: errors.ll:44:33: error: invalid index for '{ i32 }'
; CHECK: errors.ll:48:3: error: instructions returning void cannot have a name
; CHECK: errors.ll:52:18: error: use of undefined metadata '!99'
; CHECK: errors.ll:59:3: error: instruction forward referenced with type 'i32'
; CHECK: errors.ll:66:12: error: unable to create block '%1': it is the name of a value
; CHECK: errors.ll:74:15: error: unable to create block '%1': it is the name of a value
