; An old intrinsic that gets a new name has it in initial values, too, which were written as they had been read. (opt-22 crashes
; on this one, so that it is not among the inputs of tests/ir/upgrade, which opt reads.)
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm %s -o - | ptxmir -x ir -emit-llvm - -o - | FileCheck %s

; CHECK: @table = global [2 x ptr] [ptr @llvm.smax.i32, ptr null]
; CHECK: @other = global i32 7
; CHECK: declare i32 @llvm.smax.i32(i32, i32)
; CHECK: call i32 @llvm.smax.i32(i32 %a, i32 7)

@table = global [2 x ptr] [ptr @llvm.nvvm.max.i, ptr null]
@other = global i32 7

declare i32 @llvm.nvvm.max.i(i32, i32)

define i32 @f(i32 %a) {
  %b = call i32 @llvm.nvvm.max.i(i32 %a, i32 7)
  ret i32 %b
}
