; Two units with common types and tables of names. Made from debug_units.cu, with and without -DFIRST, as
; debug_types_o2.ll, by llvm-link-22 and with nameTableKind changed.
; llc: -mcpu=sm_80 -mattr=+ptx75
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"struct.common::Pair" = type { i32, float }

@shared_counter = dso_local local_unnamed_addr addrspace(1) externally_initialized global i32 4, align 4, !dbg !0

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @_Z5FirstPii(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #0 !dbg !19 {
  %3 = alloca %"struct.common::Pair", align 4, !DIAssignID !49
    #dbg_assign(i1 poison, !26, !DIExpression(), !49, ptr %3, !DIExpression(), !50)
    #dbg_value(ptr %0, !24, !DIExpression(), !50)
    #dbg_value(i32 %1, !25, !DIExpression(), !50)
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #4, !dbg !51
  store i32 %1, ptr %3, align 4, !dbg !52, !tbaa !53, !DIAssignID !56
    #dbg_assign(i32 %1, !26, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !56, ptr %3, !DIExpression(), !50)
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 4, !dbg !52
  store float 2.000000e+00, ptr %4, align 4, !dbg !52, !tbaa !57, !DIAssignID !58
    #dbg_assign(float 2.000000e+00, !26, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !58, ptr %4, !DIExpression(), !50)
    #dbg_value(i32 0, !41, !DIExpression(), !59)
  %5 = icmp sgt i32 %1, 0, !dbg !60
  br i1 %5, label %6, label %43, !dbg !61

6:                                                ; preds = %2
    #dbg_value(i32 0, !41, !DIExpression(), !59)
    #dbg_value(i32 0, !62, !DIExpression(), !68)
    #dbg_value(i32 0, !65, !DIExpression(), !68)
    #dbg_value(i32 0, !43, !DIExpression(), !70)
  %7 = load i32, ptr addrspacecast (ptr addrspace(1) @shared_counter to ptr), align 4, !dbg !71, !tbaa !9
    #dbg_value(ptr %3, !72, !DIExpression(), !76)
  %8 = call noundef i32 @_Z6HelperPKN6common4PairE(ptr noundef nonnull %3) #5, !dbg !78
  %9 = load i32, ptr %0, align 4, !dbg !79, !tbaa !9
  %10 = add nuw i32 %1, 2, !dbg !80
  %11 = add nsw i32 %10, %7, !dbg !81
  %12 = add nsw i32 %11, %8, !dbg !82
  %13 = add nsw i32 %12, %9, !dbg !79
  store i32 %13, ptr %0, align 4, !dbg !79, !tbaa !9
    #dbg_value(i32 1, !41, !DIExpression(), !59)
  %14 = icmp eq i32 %1, 1, !dbg !60
  br i1 %14, label %43, label %15, !dbg !61

15:                                               ; preds = %6
    #dbg_value(i32 1, !41, !DIExpression(), !59)
    #dbg_value(i32 1, !62, !DIExpression(), !68)
    #dbg_value(i32 3, !65, !DIExpression(), !68)
    #dbg_value(i32 3, !43, !DIExpression(), !70)
    #dbg_value(ptr %3, !72, !DIExpression(), !76)
  %16 = load i32, ptr %3, align 4, !dbg !83, !tbaa !53
  %17 = load float, ptr %4, align 4, !dbg !84, !tbaa !57
  %18 = fptosi float %17 to i32, !dbg !84
  %19 = load i32, ptr addrspacecast (ptr addrspace(1) @shared_counter to ptr), align 4, !dbg !71, !tbaa !9
  %20 = call noundef i32 @_Z6HelperPKN6common4PairE(ptr noundef nonnull %3) #5, !dbg !78
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 4, !dbg !85
  %22 = load i32, ptr %21, align 4, !dbg !79, !tbaa !9
  %23 = add i32 %16, 3, !dbg !86
  %24 = add i32 %23, %18, !dbg !80
  %25 = add nsw i32 %24, %19, !dbg !81
  %26 = add nsw i32 %25, %20, !dbg !82
  %27 = add nsw i32 %26, %22, !dbg !79
  store i32 %27, ptr %21, align 4, !dbg !79, !tbaa !9
    #dbg_value(i32 2, !41, !DIExpression(), !59)
  %28 = icmp eq i32 %1, 2, !dbg !60
  br i1 %28, label %43, label %29, !dbg !61

29:                                               ; preds = %15
    #dbg_value(i32 2, !41, !DIExpression(), !59)
    #dbg_value(i32 2, !62, !DIExpression(), !68)
    #dbg_value(i32 6, !65, !DIExpression(), !68)
    #dbg_value(i32 6, !43, !DIExpression(), !70)
    #dbg_value(ptr %3, !72, !DIExpression(), !76)
  %30 = load i32, ptr %3, align 4, !dbg !83, !tbaa !53
  %31 = load float, ptr %4, align 4, !dbg !84, !tbaa !57
  %32 = fptosi float %31 to i32, !dbg !84
  %33 = load i32, ptr addrspacecast (ptr addrspace(1) @shared_counter to ptr), align 4, !dbg !71, !tbaa !9
  %34 = call noundef i32 @_Z6HelperPKN6common4PairE(ptr noundef nonnull %3) #5, !dbg !78
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 8, !dbg !85
  %36 = load i32, ptr %35, align 4, !dbg !79, !tbaa !9
  %37 = add i32 %30, 6, !dbg !86
  %38 = add i32 %37, %32, !dbg !80
  %39 = add nsw i32 %38, %33, !dbg !81
  %40 = add nsw i32 %39, %34, !dbg !82
  %41 = add nsw i32 %40, %36, !dbg !79
  store i32 %41, ptr %35, align 4, !dbg !79, !tbaa !9
    #dbg_value(i32 3, !41, !DIExpression(), !59)
  %42 = icmp eq i32 %1, 3, !dbg !60
  br i1 %42, label %43, label %44, !dbg !61

43:                                               ; preds = %44, %29, %15, %6, %2
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #4, !dbg !87
  ret void, !dbg !87

44:                                               ; preds = %44, %29
  %45 = phi i32 [ %62, %44 ], [ 3, %29 ]
    #dbg_value(i32 %45, !41, !DIExpression(), !59)
    #dbg_value(i32 %45, !62, !DIExpression(), !68)
  %46 = mul nuw nsw i32 %45, 3, !dbg !88
    #dbg_value(i32 %46, !65, !DIExpression(), !68)
    #dbg_value(i32 %46, !43, !DIExpression(), !70)
  %47 = zext nneg i32 %45 to i64
  %48 = getelementptr inbounds nuw i32, ptr %0, i64 %47
  %49 = mul i32 %45, 6
    #dbg_value(i32 %49, !46, !DIExpression(), !89)
  store i32 %49, ptr %48, align 4, !dbg !90, !tbaa !9
    #dbg_value(ptr %3, !72, !DIExpression(), !76)
  %50 = load i32, ptr %3, align 4, !dbg !83, !tbaa !53
  %51 = load float, ptr %4, align 4, !dbg !84, !tbaa !57
  %52 = fptosi float %51 to i32, !dbg !84
  %53 = load i32, ptr addrspacecast (ptr addrspace(1) @shared_counter to ptr), align 4, !dbg !71, !tbaa !9
  %54 = call noundef i32 @_Z6HelperPKN6common4PairE(ptr noundef nonnull %3) #5, !dbg !78
  %55 = getelementptr inbounds nuw i32, ptr %0, i64 %47, !dbg !85
  %56 = load i32, ptr %55, align 4, !dbg !79, !tbaa !9
  %57 = add i32 %50, %46, !dbg !86
  %58 = add i32 %57, %52, !dbg !80
  %59 = add nsw i32 %58, %53, !dbg !81
  %60 = add nsw i32 %59, %54, !dbg !82
  %61 = add nsw i32 %60, %56, !dbg !79
  store i32 %61, ptr %55, align 4, !dbg !79, !tbaa !9
  %62 = add nuw nsw i32 %45, 1, !dbg !91
    #dbg_value(i32 %62, !41, !DIExpression(), !59)
  %63 = icmp eq i32 %62, %1, !dbg !60
  br i1 %63, label %43, label %44, !dbg !61, !llvm.loop !92
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: read)
define dso_local noundef range(i32 1, 0) i32 @_Z6HelperPKN6common4PairE(ptr noundef readonly captures(none) %0) local_unnamed_addr #2 !dbg !96 {
    #dbg_value(ptr %0, !100, !DIExpression(), !102)
  %2 = load i32, ptr %0, align 4, !dbg !103, !tbaa !53
    #dbg_value(i32 %2, !101, !DIExpression(DW_OP_constu, 3, DW_OP_mul, DW_OP_stack_value), !102)
  %3 = mul i32 %2, 6, !dbg !104
  %4 = or disjoint i32 %3, 1, !dbg !104
  ret i32 %4, !dbg !105
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: write)
define dso_local ptx_kernel void @_Z6SecondPfi(ptr noundef writeonly captures(none) %0, i32 noundef %1) local_unnamed_addr #3 !dbg !106 {
    #dbg_value(ptr %0, !111, !DIExpression(), !114)
    #dbg_value(i32 %1, !112, !DIExpression(), !114)
    #dbg_value(i32 1, !113, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !114)
    #dbg_value(float 2.000000e+00, !113, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !114)
  %3 = sext i32 %1 to i64, !dbg !115
  %4 = getelementptr inbounds float, ptr %0, i64 %3, !dbg !115
  store float 1.750000e+01, ptr %4, align 4, !dbg !116, !tbaa !117
  ret void, !dbg !118
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #3 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #4 = { nounwind }
attributes #5 = { convergent nounwind }

!llvm.dbg.cu = !{!7, !2}
!llvm.ident = !{!8}
!llvm.errno.tbaa = !{!9}
!llvm.module.flags = !{!13, !14, !15, !16, !17, !18}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "shared_counter", scope: !2, file: !3, line: 35, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !6, splitDebugInlining: false, nameTableKind: GNU)
!3 = !DIFile(filename: "debug_units.cu", directory: ".")
!4 = !{!5}
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !{!0}
!7 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, splitDebugInlining: false, nameTableKind: Default)
!8 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!9 = !{!10, !10, i64 0}
!10 = !{!"int", !11, i64 0}
!11 = !{!"omnipotent char", !12, i64 0}
!12 = !{!"Simple C++ TBAA"}
!13 = !{i32 7, !"Dwarf Version", i32 2}
!14 = !{i32 2, !"Debug Info Version", i32 3}
!15 = !{i32 1, !"wchar_size", i32 4}
!16 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!17 = !{i32 7, !"frame-pointer", i32 2}
!18 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!19 = distinct !DISubprogram(name: "First", linkageName: "_Z5FirstPii", scope: !3, file: !3, line: 23, type: !20, scopeLine: 23, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !7, retainedNodes: !23)
!20 = !DISubroutineType(types: !21)
!21 = !{null, !22, !5}
!22 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
!23 = !{!24, !25, !26, !41, !43, !46}
!24 = !DILocalVariable(name: "out", arg: 1, scope: !19, file: !3, line: 23, type: !22)
!25 = !DILocalVariable(name: "n", arg: 2, scope: !19, file: !3, line: 23, type: !5)
!26 = !DILocalVariable(name: "p", scope: !19, file: !3, line: 24, type: !27)
!27 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Pair", scope: !28, file: !3, line: 4, size: 64, flags: DIFlagTypePassByValue, elements: !29, identifier: "_ZTSN6common4PairE")
!28 = !DINamespace(name: "common", scope: null)
!29 = !{!30, !31, !33, !38}
!30 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !27, file: !3, line: 5, baseType: !5, size: 32)
!31 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !27, file: !3, line: 6, baseType: !32, size: 32, offset: 32)
!32 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!33 = !DISubprogram(name: "Sum", linkageName: "_ZNK6common4Pair3SumEv", scope: !27, file: !3, line: 7, type: !34, scopeLine: 7, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!34 = !DISubroutineType(types: !35)
!35 = !{!5, !36}
!36 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !37, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!37 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !27)
!38 = !DISubprogram(name: "Make", linkageName: "_ZN6common4Pair4MakeEi", scope: !27, file: !3, line: 8, type: !39, scopeLine: 8, flags: DIFlagPrototyped | DIFlagStaticMember, spFlags: DISPFlagOptimized)
!39 = !DISubroutineType(types: !40)
!40 = !{!5, !5}
!41 = !DILocalVariable(name: "i", scope: !42, file: !3, line: 25, type: !5)
!42 = distinct !DILexicalBlock(scope: !19, file: !3, line: 25, column: 3)
!43 = !DILocalVariable(name: "t", scope: !44, file: !3, line: 26, type: !5)
!44 = distinct !DILexicalBlock(scope: !45, file: !3, line: 25, column: 31)
!45 = distinct !DILexicalBlock(scope: !42, file: !3, line: 25, column: 3)
!46 = !DILocalVariable(name: "u", scope: !47, file: !3, line: 28, type: !5)
!47 = distinct !DILexicalBlock(scope: !48, file: !3, line: 27, column: 16)
!48 = distinct !DILexicalBlock(scope: !44, file: !3, line: 27, column: 9)
!49 = distinct !DIAssignID()
!50 = !DILocation(line: 0, scope: !19)
!51 = !DILocation(line: 24, column: 3, scope: !19)
!52 = !DILocation(line: 24, column: 17, scope: !19)
!53 = !{!54, !10, i64 0}
!54 = !{!"_ZTSN6common4PairE", !10, i64 0, !55, i64 4}
!55 = !{!"float", !11, i64 0}
!56 = distinct !DIAssignID()
!57 = !{!54, !55, i64 4}
!58 = distinct !DIAssignID()
!59 = !DILocation(line: 0, scope: !42)
!60 = !DILocation(line: 25, column: 21, scope: !45)
!61 = !DILocation(line: 25, column: 3, scope: !42)
!62 = !DILocalVariable(name: "x", arg: 1, scope: !63, file: !3, line: 14, type: !5)
!63 = distinct !DISubprogram(name: "Scale<int>", linkageName: "_ZN6common5ScaleIiEET_S1_", scope: !28, file: !3, line: 14, type: !39, scopeLine: 14, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !7, templateParams: !66, retainedNodes: !64)
!64 = !{!62, !65}
!65 = !DILocalVariable(name: "r", scope: !63, file: !3, line: 15, type: !5)
!66 = !{!67}
!67 = !DITemplateTypeParameter(name: "T", type: !5)
!68 = !DILocation(line: 0, scope: !63, inlinedAt: !69)
!69 = distinct !DILocation(line: 26, column: 13, scope: !44)
!70 = !DILocation(line: 0, scope: !44)
!71 = !DILocation(line: 31, column: 29, scope: !44)
!72 = !DILocalVariable(name: "this", arg: 1, scope: !73, type: !75, flags: DIFlagArtificial | DIFlagObjectPointer)
!73 = distinct !DISubprogram(name: "Sum", linkageName: "_ZNK6common4Pair3SumEv", scope: !27, file: !3, line: 7, type: !34, scopeLine: 7, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !7, declaration: !33, retainedNodes: !74)
!74 = !{!72}
!75 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !37, size: 64)
!76 = !DILocation(line: 0, scope: !73, inlinedAt: !77)
!77 = distinct !DILocation(line: 31, column: 21, scope: !44)
!78 = !DILocation(line: 31, column: 46, scope: !44)
!79 = !DILocation(line: 31, column: 12, scope: !44)
!80 = !DILocation(line: 31, column: 17, scope: !44)
!81 = !DILocation(line: 31, column: 27, scope: !44)
!82 = !DILocation(line: 31, column: 44, scope: !44)
!83 = !DILocation(line: 7, column: 35, scope: !73, inlinedAt: !77)
!84 = !DILocation(line: 7, column: 56, scope: !73, inlinedAt: !77)
!85 = !DILocation(line: 31, column: 5, scope: !44)
!86 = !DILocation(line: 7, column: 37, scope: !73, inlinedAt: !77)
!87 = !DILocation(line: 33, column: 1, scope: !19)
!88 = !DILocation(line: 15, column: 11, scope: !63, inlinedAt: !69)
!89 = !DILocation(line: 0, scope: !47)
!90 = !DILocation(line: 29, column: 14, scope: !47)
!91 = !DILocation(line: 25, column: 26, scope: !45)
!92 = distinct !{!92, !61, !93, !94, !95}
!93 = !DILocation(line: 32, column: 3, scope: !42)
!94 = !{!"llvm.loop.mustprogress"}
!95 = !{!"llvm.loop.peeled.count", i32 3}
!96 = distinct !DISubprogram(name: "Helper", linkageName: "_Z6HelperPKN6common4PairE", scope: !3, file: !3, line: 36, type: !97, scopeLine: 36, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !99)
!97 = !DISubroutineType(types: !98)
!98 = !{!5, !75}
!99 = !{!100, !101}
!100 = !DILocalVariable(name: "p", arg: 1, scope: !96, file: !3, line: 36, type: !75)
!101 = !DILocalVariable(name: "v", scope: !96, file: !3, line: 37, type: !5)
!102 = !DILocation(line: 0, scope: !96)
!103 = !DILocation(line: 37, column: 28, scope: !96)
!104 = !DILocation(line: 38, column: 12, scope: !96)
!105 = !DILocation(line: 38, column: 3, scope: !96)
!106 = distinct !DISubprogram(name: "Second", linkageName: "_Z6SecondPfi", scope: !3, file: !3, line: 40, type: !107, scopeLine: 40, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !110)
!107 = !DISubroutineType(types: !108)
!108 = !{null, !109, !5}
!109 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !32, size: 64)
!110 = !{!111, !112, !113}
!111 = !DILocalVariable(name: "out", arg: 1, scope: !106, file: !3, line: 40, type: !109)
!112 = !DILocalVariable(name: "i", arg: 2, scope: !106, file: !3, line: 40, type: !5)
!113 = !DILocalVariable(name: "q", scope: !106, file: !3, line: 41, type: !27)
!114 = !DILocation(line: 0, scope: !106)
!115 = !DILocation(line: 42, column: 3, scope: !106)
!116 = !DILocation(line: 42, column: 10, scope: !106)
!117 = !{!55, !55, i64 0}
!118 = !DILocation(line: 43, column: 1, scope: !106)
