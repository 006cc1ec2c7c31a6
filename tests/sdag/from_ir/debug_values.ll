; Calls of debug intrinsics describe variables as debug records do. A truth value is 1, and a variable of the module has
; the class of its address space.
;
; RUN: ptxmir -mcpu=sm_80 -stop-after=finalize-isel %s -o - | FileCheck %s
; RUN: ptxmir -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=PTX

target triple = "nvptx64-nvidia-cuda"

; In an entry are the end of the name ("variable"), the type, three flags and numbers, the address class, and a location of
; 9 bytes that begins with DW_OP_addr.
; PTX: .section .debug_info
; PTX: .b8 118
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 114
; PTX-NEXT: .b8 105
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 98
; PTX-NEXT: .b8 108
; PTX-NEXT: .b8 101
; PTX-NEXT: .b8 0
; PTX-NEXT: .b32
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 5
; PTX-NEXT: .b8 9
; PTX-NEXT: .b8 3
; PTX-NEXT: .b64 generic_variable
; PTX: .b8 118
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 114
; PTX-NEXT: .b8 105
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 98
; PTX-NEXT: .b8 108
; PTX-NEXT: .b8 101
; PTX-NEXT: .b8 0
; PTX-NEXT: .b32
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 5
; PTX-NEXT: .b8 9
; PTX-NEXT: .b8 3
; PTX-NEXT: .b64 global_variable
; PTX: .b8 118
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 114
; PTX-NEXT: .b8 105
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 98
; PTX-NEXT: .b8 108
; PTX-NEXT: .b8 101
; PTX-NEXT: .b8 0
; PTX-NEXT: .b32
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 8
; PTX-NEXT: .b8 9
; PTX-NEXT: .b8 3
; PTX-NEXT: .b64 shared_variable
; PTX: .b8 118
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 114
; PTX-NEXT: .b8 105
; PTX-NEXT: .b8 97
; PTX-NEXT: .b8 98
; PTX-NEXT: .b8 108
; PTX-NEXT: .b8 101
; PTX-NEXT: .b8 0
; PTX-NEXT: .b32
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 1
; PTX-NEXT: .b8 4
; PTX-NEXT: .b8 9
; PTX-NEXT: .b8 3
; PTX-NEXT: .b64 constant_variable
@generic_variable = global i32 1, align 4, !dbg !20
@global_variable = addrspace(1) global i32 1, align 4, !dbg !22
@shared_variable = addrspace(3) global i32 undef, align 4, !dbg !24
@constant_variable = addrspace(4) constant i32 1, align 4, !dbg !26

declare void @llvm.dbg.value(metadata, metadata, metadata)

; CHECK-LABEL: name: {{ *}}f
; CHECK: DBG_VALUE {{%[0-9]+}}, $noreg, !6, !DIExpression()
; CHECK: DBG_VALUE 1, $noreg, !9, !DIExpression()
; CHECK: DBG_VALUE -1, $noreg, !6, !DIExpression()
define i32 @f(i32 %b) !dbg !4 {
  call void @llvm.dbg.value(metadata i32 %b, metadata !6, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.value(metadata i1 true, metadata !9, metadata !DIExpression()), !dbg !8
  %x = mul i32 %b, %b, !dbg !8
  call void @llvm.dbg.value(metadata i32 -1, metadata !6, metadata !DIExpression()), !dbg !8
  ret i32 %x
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!11, !12}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: true, emissionKind: FullDebug, globals: !3)
!1 = !DIFile(filename: "a.cc", directory: "/d")
!2 = !{}
!3 = !{!20, !22, !24, !26}
!4 = distinct !DISubprogram(name: "f", line: 1, spFlags: DISPFlagDefinition, unit: !0, scopeLine: 1, file: !1, scope: !1, type: !5)
!5 = !DISubroutineType(types: !2)
!6 = !DILocalVariable(name: "b", line: 1, arg: 1, scope: !4, file: !1, type: !7)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocation(line: 1, scope: !4)
!9 = !DILocalVariable(name: "truth", line: 1, scope: !4, file: !1, type: !10)
!10 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!11 = !{i32 2, !"Dwarf Version", i32 2}
!12 = !{i32 2, !"Debug Info Version", i32 3}
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "generic_variable", scope: !0, file: !1, line: 1, type: !7, isLocal: false, isDefinition: true)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "global_variable", scope: !0, file: !1, line: 1, type: !7, isLocal: false, isDefinition: true)
!24 = !DIGlobalVariableExpression(var: !25, expr: !DIExpression())
!25 = distinct !DIGlobalVariable(name: "shared_variable", scope: !0, file: !1, line: 1, type: !7, isLocal: false, isDefinition: true)
!26 = !DIGlobalVariableExpression(var: !27, expr: !DIExpression())
!27 = distinct !DIGlobalVariable(name: "constant_variable", scope: !0, file: !1, line: 1, type: !7, isLocal: false, isDefinition: true)
