; RUN: ptxmir -x ir -emit-llvm -passes=early-cse %s -o - | FileCheck %s

define i1 @bit_test_of_variable(i32 %x, i32 %n) !dbg !4 {
; Debug records do not keep the mask; a variable that has the masked value is not known any more.
; CHECK-LABEL: define i1 @bit_test_of_variable(
; CHECK: lshr i32 %x, %n
; CHECK: #dbg_value(i32 poison,
; CHECK-NEXT: icmp eq i32
  %m = shl i32 1, %n, !dbg !7
    #dbg_value(i32 %m, !6, !DIExpression(), !7)
  %a = and i32 %m, %x, !dbg !7
    #dbg_value(i32 %a, !6, !DIExpression(), !7)
  %c = icmp eq i32 %a, 0, !dbg !7
  ret i1 %c, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "bits.cu", directory: "/")
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "bit_test_of_variable", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{}
!6 = !DILocalVariable(name: "a", scope: !4, file: !2, line: 2)
!7 = !DILocation(line: 3, scope: !4)
