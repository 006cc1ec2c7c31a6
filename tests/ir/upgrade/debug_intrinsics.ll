; Calls of debug intrinsics, as LLVM wrote them before version 19, become debug records.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^}}define void @f(
; CHECK: {{^}}  %z = alloca i32
; CHECK-NEXT: {{^    }}#dbg_value(i32 %b, !6, !DIExpression(), !8)
; CHECK-NEXT: {{^    }}#dbg_value(!DIArgList(i32 %b, i32 %x), !6, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !8)
; CHECK-NEXT: {{^    }}#dbg_value(!2, !6, !DIExpression(), !8)
; CHECK-NEXT: {{^  }}%x = mul i32 %b, %b, !dbg !8
; CHECK-NEXT: {{^    }}#dbg_value(ptr %z, !6, !DIExpression(DW_OP_deref), !8)
; CHECK-NEXT: {{^    }}#dbg_value(ptr %z, !6, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref), !8)
; CHECK-NEXT: {{^    }}#dbg_value(ptr %z, !6, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref, DW_OP_LLVM_fragment, 0, 8), !8)
; CHECK-NEXT: {{^    }}#dbg_value(ptr %z, !6, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref, DW_OP_stack_value), !8)
; CHECK-NEXT: {{^    }}#dbg_declare(ptr %z, !6, !DIExpression(), !8)
; CHECK-NEXT: {{^    }}#dbg_assign(i32 %x, !6, !DIExpression(), !10, ptr %z, !DIExpression(), !8)
; CHECK-NEXT: {{^  }}store i32 %b, ptr %p
; CHECK-NEXT: {{^    }}#dbg_label(!9, !8)
; CHECK-NEXT: {{^  }}ret void
; CHECK-NOT: {{^}}declare

target triple = "nvptx64-nvidia-cuda"

declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.addr(metadata, metadata, metadata)
declare void @llvm.dbg.assign(metadata, metadata, metadata, metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)

define void @f(i32 %b, ptr %p) !dbg !4 {
entry:
  %z = alloca i32
  tail call void @llvm.dbg.value(metadata i32 %b, metadata !6, metadata !DIExpression()) #0, !dbg !8
  call void @llvm.dbg.value(metadata !DIArgList(i32 %b, i32 %x), metadata !6, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus)), !dbg !8
  call void @llvm.dbg.value(metadata !2, metadata !6, metadata !DIExpression()), !dbg !8
  %x = mul i32 %b, %b, !dbg !8
  call void @llvm.dbg.addr(metadata ptr %z, metadata !6, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.addr(metadata ptr %z, metadata !6, metadata !DIExpression(DW_OP_plus_uconst, 4)), !dbg !8
  call void @llvm.dbg.addr(metadata ptr %z, metadata !6, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_LLVM_fragment, 0, 8)), !dbg !8
  call void @llvm.dbg.addr(metadata ptr %z, metadata !6, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)), !dbg !8
  call void @llvm.dbg.declare(metadata ptr %z, metadata !6, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.assign(metadata i32 %x, metadata !6, metadata !DIExpression(), metadata !10, metadata ptr %z, metadata !DIExpression()), !dbg !8
  store i32 %b, ptr %p, !DIAssignID !10
  call void @llvm.dbg.label(metadata !9), !dbg !8
  ret void
}

attributes #0 = { nounwind }

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
!9 = !DILabel(scope: !4, name: "l", file: !1, line: 1)
!10 = distinct !DIAssignID()
!11 = !{i32 2, !"Dwarf Version", i32 2}
!12 = !{i32 2, !"Debug Info Version", i32 3}
