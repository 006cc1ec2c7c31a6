; llvm.dbg.value had an offset before LLVM 6. One that is not 0 has no equivalent.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^}}define void @f(
; CHECK-NEXT: {{^    }}#dbg_value(i32 %b, !6, !DIExpression(), !8)
; CHECK-NEXT: {{^  }}ret void

target triple = "nvptx64-nvidia-cuda"

declare void @llvm.dbg.value(metadata, i64, metadata, metadata)

define void @f(i32 %b) !dbg !4 {
  call void @llvm.dbg.value(metadata i32 %b, i64 0, metadata !6, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.value(metadata i32 %b, i64 4, metadata !6, metadata !DIExpression()), !dbg !8
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!11, !12}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cc", directory: "/d")
!2 = !{}
!4 = distinct !DISubprogram(name: "f", line: 1, spFlags: DISPFlagDefinition, unit: !0, scopeLine: 1, file: !1, scope: !1, type: !5)
!5 = !DISubroutineType(types: !2)
!6 = !DILocalVariable(name: "b", line: 1, arg: 1, scope: !4, file: !1, type: !7)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocation(line: 1, scope: !4)
!11 = !{i32 2, !"Dwarf Version", i32 2}
!12 = !{i32 2, !"Debug Info Version", i32 3}
