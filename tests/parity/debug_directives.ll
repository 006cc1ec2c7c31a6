; Line directives: functions without a location, lexical blocks, inlined calls, line 0, several files and
; units, unknown locations at block tops, a unit that wants no debug information.
; llc: -mcpu=sm_80
target triple = "nvptx64-nvidia-cuda"

define void @no_locations() !dbg !5 { ret void }
define void @no_subprogram() { ret void }
define void @last_only(i32 %x) !dbg !6 { ret void, !dbg !9 }
define void @call_on_line_0(i32 %x) !dbg !7 {
  call void @no_subprogram(), !dbg !8
  ret void, !dbg !10
}
define void @no_locations_but_blocks(ptr %p, i32 %x) !dbg !12 {
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  store volatile i32 1, ptr %p
  br label %b
b:
  store volatile i32 2, ptr %p
  ret void
}
define void @blocks(ptr %p, i32 %x, i32 %y) !dbg !13 {
  %c = icmp eq i32 %x, 3, !dbg !14
  br i1 %c, label %a, label %b, !dbg !15
a:
  store volatile i32 1, ptr %p
  store volatile i32 4, ptr %p, !dbg !15
  %d = icmp eq i32 %y, 3, !dbg !15
  br i1 %d, label %b, label %d1, !dbg !16
b:
  store volatile i32 2, ptr %p, !dbg !16
  store volatile i32 5, ptr %p, !dbg !21
  store volatile i32 6, ptr %p, !dbg !22
  store volatile i32 7, ptr %p, !dbg !23
  store volatile i32 8, ptr %p, !dbg !24
  store volatile i32 9, ptr %p, !dbg !25
  br label %loop, !dbg !16
loop:
  %i = phi i32 [ 0, %b ], [ %n, %loop ], !dbg !16
  store volatile i32 %i, ptr %p, !dbg !16
  %n = add i32 %i, 1, !dbg !17
  %e = icmp ult i32 %n, %y, !dbg !17
  br i1 %e, label %loop, label %d1, !dbg !15
d1:
  store volatile i32 3, ptr %p
  ret void, !dbg !26
}
define void @nodebug_unit() !dbg !31 { ret void, !dbg !32 }
define i32 @call_first(i32 %x) !dbg !33 {
  %r = call i32 @ext(i32 %x), !dbg !34
  ret i32 %r, !dbg !35
}
define i32 @line_0_first(i32 %x, ptr %p) !dbg !36 {
  %a = add i32 %x, 1, !dbg !37
  store volatile i32 %a, ptr %p, !dbg !38
  ret i32 %a, !dbg !37
}
declare i32 @ext(i32)

!llvm.dbg.cu = !{!0, !20, !30}
!llvm.module.flags = !{!1, !2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!20 = distinct !DICompileUnit(language: DW_LANG_C, file: !19, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!30 = distinct !DICompileUnit(language: DW_LANG_C, file: !19, producer: "x", isOptimized: true, runtimeVersion: 0, emissionKind: NoDebug)
!1 = !{i32 7, !"Dwarf Version", i32 2}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "a.c", directory: "/x y/\22q")
!19 = !DIFile(filename: "b.c", directory: "/other")
!40 = !DIFile(filename: "/abs/c.h", directory: "/other")
!41 = !DIFile(filename: "sub/d.h", directory: "")
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "no_locations", scope: !3, file: !3, line: 4, type: !4, scopeLine: 5, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "last_only", scope: !3, file: !3, line: 14, type: !4, scopeLine: 15, spFlags: DISPFlagDefinition, unit: !0)
!7 = distinct !DISubprogram(name: "call_on_line_0", scope: !3, file: !19, line: 24, type: !4, scopeLine: 25, spFlags: DISPFlagDefinition, unit: !20)
!8 = !DILocation(line: 0, scope: !7)
!9 = !DILocation(line: 16, column: 3, scope: !6)
!10 = !DILocation(line: 16, column: 3, scope: !11)
!11 = distinct !DILexicalBlock(scope: !7, file: !19, line: 15)
!12 = distinct !DISubprogram(name: "no_locations_but_blocks", scope: !3, file: !3, line: 30, type: !4, scopeLine: 31, spFlags: DISPFlagDefinition, unit: !0)
!13 = distinct !DISubprogram(name: "blocks", scope: !3, file: !3, line: 40, type: !4, scopeLine: 41, spFlags: DISPFlagDefinition, unit: !0)
!14 = !DILocation(line: 42, column: 1, scope: !13)
!15 = !DILocation(line: 43, column: 2, scope: !18)
!16 = !DILocation(line: 44, column: 3, scope: !18)
!17 = !DILocation(line: 45, column: 3, scope: !28)
!18 = distinct !DILexicalBlock(scope: !13, file: !3, line: 42)
!28 = !DILexicalBlockFile(scope: !18, file: !40, discriminator: 3)
!21 = !DILocation(line: 7, column: 9, scope: !27, inlinedAt: !29)
!22 = !DILocation(line: 8, column: 9, scope: !42, inlinedAt: !29)
!23 = !DILocation(line: 9, column: 9, scope: !43, inlinedAt: !44)
!24 = !DILocation(line: 0, scope: !27, inlinedAt: !29)
!25 = !DILocation(line: 7, column: 9, scope: !27, inlinedAt: !45)
!26 = !DILocation(line: 50, column: 3, scope: !13)
!27 = distinct !DISubprogram(name: "inl", scope: !40, file: !40, line: 6, type: !4, scopeLine: 6, spFlags: DISPFlagDefinition, unit: !0)
!29 = distinct !DILocation(line: 44, column: 8, scope: !18)
!42 = distinct !DILexicalBlock(scope: !27, file: !40, line: 8)
!43 = distinct !DISubprogram(name: "inl2", scope: !41, file: !41, line: 6, type: !4, scopeLine: 6, spFlags: DISPFlagDefinition, unit: !0)
!44 = distinct !DILocation(line: 8, column: 10, scope: !42, inlinedAt: !29)
!45 = distinct !DILocation(line: 44, column: 12, scope: !18)
!31 = distinct !DISubprogram(name: "nodebug_unit", scope: !3, file: !3, line: 60, type: !4, scopeLine: 61, spFlags: DISPFlagDefinition, unit: !30)
!32 = !DILocation(line: 62, column: 3, scope: !31)
!33 = distinct !DISubprogram(name: "call_first", scope: !3, file: !3, line: 70, type: !4, scopeLine: 71, spFlags: DISPFlagDefinition, unit: !0)
!34 = !DILocation(line: 0, scope: !33)
!35 = !DILocation(line: 72, column: 3, scope: !33)
!36 = distinct !DISubprogram(name: "line_0_first", scope: !3, file: !3, line: 80, type: !4, scopeLine: 81, spFlags: DISPFlagDefinition, unit: !0)
!37 = !DILocation(line: 0, scope: !36)
!38 = !DILocation(line: 82, column: 3, scope: !36)
