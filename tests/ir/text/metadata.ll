; Attachments, debug records and metadata operands keep their values and nodes.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)

; CHECK-LABEL: define void @f(
; CHECK-NEXT: #dbg_declare(ptr %p, !7, !DIExpression(), !9)
; CHECK-NEXT: #dbg_value(!DIArgList(i32 %x, i64 4), !8, !DIExpression(DW_OP_LLVM_arg, 0), !9)
; CHECK-NEXT: #dbg_value(i32 poison, !8, !DIExpression(), !9)
; CHECK-NEXT: %1 = load i32, ptr %p, align 4, !dbg !9, !range !10, !noundef !11
; CHECK-NEXT: #dbg_assign(i32 %1, !8, !DIExpression(), !12, ptr %p, !DIExpression(), !9)
; CHECK-NEXT: #dbg_value(!11, !8, !DIExpression(), !9)
; CHECK-NEXT: #dbg_label(!13, !9)
; CHECK-NEXT: store i32 %1, ptr %p, align 4, !dbg !9, !DIAssignID !12, !custom !{!"x"}
; CHECK-NEXT: %2 = call float @llvm.experimental.constrained.fadd.f32(float 0.000000e+00, float 1.000000e+00, metadata !"round.tonearest", metadata !"fpexcept.strict")
; CHECK-NEXT: #dbg_value(i32 %x, !8, !DIExpression(), !9)
; CHECK-NEXT: ret void, !dbg !9
define void @f(ptr %p, i32 %x) !dbg !4 {
    #dbg_declare(ptr %p, !7, !DIExpression(), !9)
    #dbg_value(!DIArgList(i32 %x, i64 4), !8, !DIExpression(DW_OP_LLVM_arg, 0), !9)
    #dbg_value(i32 poison, !8, !DIExpression(), !9)
  %1 = load i32, ptr %p, align 4, !dbg !9, !range !10, !noundef !11
    #dbg_assign(i32 %1, !8, !DIExpression(), !12, ptr %p, !DIExpression(), !9)
    #dbg_value(!11, !8, !DIExpression(), !9)
    #dbg_label(!13, !9)
  store i32 %1, ptr %p, align 4, !dbg !9, !DIAssignID !12, !custom !{!"x"}
  %2 = call float @llvm.experimental.constrained.fadd.f32(float 0.0, float 1.0, metadata !"round.tonearest", metadata !"fpexcept.strict")
    #dbg_value(i32 %x, !8, !DIExpression(), !9)
  ret void, !dbg !9
}

; A location may have an operand that is defined later.
; CHECK-LABEL: define void @later(
; CHECK-NEXT: #dbg_value(i32 %1, !15, !DIExpression(), !16)
; CHECK-NEXT: %1 = add i32 %x, 1
define void @later(i32 %x) !dbg !14 {
    #dbg_value(i32 %1, !15, !DIExpression(), !16)
  %1 = add i32 %x, 1
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "p", scope: !4, file: !1, line: 1)
!8 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 1)
!9 = !DILocation(line: 2, column: 3, scope: !4)
!10 = !{i32 0, i32 5}
!11 = !{}
!12 = distinct !DIAssignID()
!13 = !DILabel(scope: !4, name: "l", file: !1, line: 1)
!14 = distinct !DISubprogram(name: "later", scope: !1, file: !1, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!15 = !DILocalVariable(name: "x", scope: !14, file: !1, line: 9)
!16 = !DILocation(line: 10, column: 3, scope: !14)
