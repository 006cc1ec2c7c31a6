; The options of pipelines on IR.
;
; RUN: ptxmir -x ir -emit-llvm -O2 %s -o - | FileCheck %s --check-prefix=NONE
; RUN: ptxmir -x ir -emit-llvm -passes='default<O2>' %s -o - | FileCheck %s --check-prefix=O2
; RUN: ptxmir -x ir -emit-llvm -passes='function(sroa),verify' -print-after=sroa %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
; RUN: ptxmir -x ir -emit-llvm -passes=sroa,dce -opt-bisect-limit=1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=BISECT
; RUN: ptxmir -x ir -emit-llvm -passes=sroa -stats %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
; RUN: not ptxmir -x ir -emit-llvm -passes=machine-cse %s 2>&1 | FileCheck %s --check-prefix=LEVEL
; RUN: not ptxmir -x ir -emit-llvm -passes='print<domtree>' %s 2>&1 | FileCheck %s --check-prefix=ANALYSIS
; RUN: not ptxmir -passes=sroa %s 2>&1 | FileCheck %s --check-prefix=MACHINE

define i32 @f(i32 %a) {
; NONE: alloca
; O2-LABEL: define i32 @f(
; O2-NEXT: ret i32 %a
; DUMP: ; *** IR Dump After Scalar Replacement Of Aggregates (sroa) ***:
; DUMP-NEXT: define i32 @f(i32 %a) {
; DUMP-NEXT: ret i32 %a
; BISECT: BISECT: running pass (1) sroa on function (f)
; BISECT: BISECT: NOT running pass (2) dce on function (f)
; STATS: 1 sroa - objects that became values
; LEVEL: error: pass 'machine-cse' does not work on LLVM IR
; ANALYSIS: error: a pipeline on LLVM IR has no analyses
; MACHINE: error: pass 'sroa' works on LLVM IR (-x ir), not on machine code
  %x = alloca i32, align 4
  store i32 %a, ptr %x, align 4
  %v = load i32, ptr %x, align 4
  ret i32 %v
}
