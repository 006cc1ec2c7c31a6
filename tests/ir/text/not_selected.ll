; IR is read and verified, but not selected. The error names the way to MIR. -emit-llvm needs IR.
;
; RUN: not ptxmir -x ir %s -o - 2>&1 | FileCheck %s
; RUN: not ptxmir -emit-llvm %s 2>&1 | FileCheck %s --check-prefix=LANGUAGE

; CHECK: error: there is no instruction selection from LLVM IR yet: use llc -stop-after=finalize-isel
; LANGUAGE: error: -emit-llvm needs LLVM IR as input: -x ir
define void @f() {
  ret void
}
