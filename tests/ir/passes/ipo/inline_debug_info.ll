; Inlined code is located where it was written, and inlined at the call.
;
; RUN: ptxmir -x ir -emit-llvm -passes=inline %s -o - | FileCheck %s

define internal i32 @g(i32 %x) !dbg !4 {
; CHECK-LABEL: define i32 @f(
; CHECK: #dbg_value(i32 %a, !{{[0-9]+}}, !DIExpression(), !DILocation(line: 2, column: 1, scope: !4, inlinedAt: !9))
; CHECK: %{{.*}} = add i32 %a, 1, !dbg !DILocation(line: 2, column: 5, scope: !4, inlinedAt: !9)
    #dbg_value(i32 %x, !7, !DIExpression(), !10)
  %r = add i32 %x, 1, !dbg !8
  ret i32 %r, !dbg !8
}

define i32 @f(i32 %a) !dbg !11 {
  %r = call i32 @g(i32 %a), !dbg !9
  ret i32 %r, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = distinct !DISubprogram(name: "g", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2, type: !3)
!8 = !DILocation(line: 2, column: 5, scope: !4)
!9 = !DILocation(line: 9, column: 3, scope: !11)
!10 = !DILocation(line: 2, column: 1, scope: !4)
!11 = distinct !DISubprogram(name: "f", file: !1, line: 8, type: !5, unit: !0, spFlags: DISPFlagDefinition)
