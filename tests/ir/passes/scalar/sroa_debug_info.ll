; A declared variable gets a value where it is stored to; parts of a variable are fragments of it.
;
; RUN: ptxmir -x ir -emit-llvm -passes=sroa %s -o - | FileCheck %s

define i32 @f(i32 %a, i32 %b) !dbg !4 {
; CHECK: #dbg_value(i32 %a, ![[V:[0-9]+]], !DIExpression(DW_OP_LLVM_fragment, 0, 32), !{{[0-9]+}})
; CHECK-NEXT: #dbg_value(i32 %b, ![[V]], !DIExpression(DW_OP_LLVM_fragment, 32, 32), !{{[0-9]+}})
; CHECK-NEXT: ret i32 %b
  %p = alloca [2 x i32], align 4
    #dbg_declare(ptr %p, !7, !DIExpression(), !8)
  store i32 %a, ptr %p, align 4, !dbg !8
  %q = getelementptr i8, ptr %p, i64 4
  store i32 %b, ptr %q, align 4, !dbg !8
  %v = load i32, ptr %q, align 4, !dbg !8
  ret i32 %v, !dbg !8
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "p", scope: !4, file: !1, line: 2, type: !3)
!8 = !DILocation(line: 2, column: 1, scope: !4)
