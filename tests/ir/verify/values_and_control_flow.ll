; Each function breaks one rule of LLVM's verifier. The error is at the instruction.
;
; RUN: not ptxmir -x ir -emit-llvm %s 2>&1 | FileCheck %s

declare i32 @callee(i32)

define i32 @order(i32 %a) {
  %x = add i32 %y, 1
  %y = add i32 %a, 1
  ret i32 %x
}

define i32 @dominance(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}

define i32 @phi_missing(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ 0, %a ]
  ret i32 %x
}

define i32 @phi_wrong(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  %x = phi i32 [ 0, %a ]
  ret i32 %x
}

define i32 @phi_order(i1 %c) {
entry:
  br label %b
b:
  %x = add i32 1, 1
  %y = phi i32 [ 0, %entry ]
  ret i32 %y
}

define void @entry_branch() {
a:
  br label %a
}

define i32 @ret_type() {
  ret i64 0
}

define void @ret_void() {
  ret i64 0
}

define void @cases(i32 %a) {
  switch i32 %a, label %b [
    i32 1, label %b
    i32 1, label %b
  ]
b:
  ret void
}

; CHECK: values_and_control_flow.ll:8:8: error: Instruction does not dominate all uses!
; CHECK: values_and_control_flow.ll:19:3: error: Instruction does not dominate all uses!
; CHECK: values_and_control_flow.ll:28:8: error: PHINode should have one entry for each predecessor of its parent basic block!
; CHECK: values_and_control_flow.ll:38:8: error: PHI node entries do not match predecessors!
; CHECK: values_and_control_flow.ll:47:8: error: PHI nodes not grouped at top of basic block!
; CHECK: values_and_control_flow.ll:53:3: error: Entry block to function must not have predecessors!
; CHECK: values_and_control_flow.ll:57:3: error: Function return type does not match operand type of return inst!
; CHECK: values_and_control_flow.ll:61:3: error: Found return instr that returns non-void in Function of void return type!
; CHECK: values_and_control_flow.ll:65:3: error: Duplicate integer as switch case
