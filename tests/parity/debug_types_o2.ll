; Types of every kind, optimised code. Made from debug_types.cu by
;   clang-22 -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-device-only -std=c++20 -w -fgpu-rdc \
;     -fdebug-compilation-dir=. -O2 -g -Xclang -debug-info-kind=constructor -S -emit-llvm
; llc: -mcpu=sm_80
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"union.shapes::Word" = type { i32 }

@_ZN6shapes7Derived6numberE = dso_local local_unnamed_addr addrspace(1) externally_initialized global i32 7, align 4, !dbg !0
@table = dso_local addrspace(4) externally_initialized constant [3 x [5 x double]] zeroinitializer, align 8, !dbg !21
@in_shared = dso_local local_unnamed_addr addrspace(3) global %"union.shapes::Word" undef, align 4, !dbg !28
@target = dso_local addrspace(1) externally_initialized global i32 1, align 4, !dbg !45
@callback = dso_local addrspace(1) externally_initialized global ptr null, align 8, !dbg !47
@odd = dso_local addrspace(1) externally_initialized global i64 0, align 8, !dbg !55
@big = dso_local addrspace(1) externally_initialized global i128 0, align 16, !dbg !58
@complex_number = dso_local local_unnamed_addr addrspace(1) externally_initialized global { float, float } zeroinitializer, align 4, !dbg !61
@utf16 = dso_local addrspace(1) externally_initialized global i16 0, align 2, !dbg !64
@nothing = dso_local local_unnamed_addr addrspace(1) externally_initialized global ptr null, align 8, !dbg !67
@restricted = dso_local addrspace(1) externally_initialized global ptr null, align 8, !dbg !70
@.str1 = private unnamed_addr constant [2 x i8] c"s\00", align 1, !dbg !239
@llvm.compiler.used = appending global [7 x ptr] [ptr addrspacecast (ptr addrspace(1) @big to ptr), ptr addrspacecast (ptr addrspace(1) @callback to ptr), ptr addrspacecast (ptr addrspace(1) @odd to ptr), ptr addrspacecast (ptr addrspace(1) @restricted to ptr), ptr addrspacecast (ptr addrspace(4) @table to ptr), ptr addrspacecast (ptr addrspace(1) @target to ptr), ptr addrspacecast (ptr addrspace(1) @utf16 to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read)
define dso_local noundef range(i32 -128, 128) i32 @_Z8VariadicPKcz(ptr noundef readonly captures(none) %0, ...) local_unnamed_addr #0 !dbg !267 {
    #dbg_value(ptr %0, !271, !DIExpression(), !272)
  %2 = load i8, ptr %0, align 1, !dbg !273, !tbaa !274
  %3 = sext i8 %2 to i32, !dbg !273
  ret i32 %3, !dbg !275
}

; Function Attrs: noinline noreturn nounwind memory(inaccessiblemem: write)
define dso_local void @_Z4Stopi(i32 noundef %0) local_unnamed_addr #1 !dbg !276 {
    #dbg_value(i32 %0, !280, !DIExpression(), !281)
  %2 = icmp eq i32 %0, 0, !dbg !282
  br i1 %2, label %4, label %3, !dbg !282

3:                                                ; preds = %1
  tail call void @llvm.trap(), !dbg !284
  unreachable, !dbg !284

4:                                                ; preds = %1, %4
  br label %4, !dbg !285, !llvm.loop !286
}

; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
declare void @llvm.trap() #2

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @_Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi(ptr noundef captures(none) initializes((0, 12)) %0, ptr noundef readnone captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef nonnull align 4 dereferenceable(4) %3) local_unnamed_addr #3 !dbg !76 {
    #dbg_value(ptr poison, !206, !DIExpression(DW_OP_LLVM_fragment, 64, 32), !288)
    #dbg_value(ptr poison, !289, !DIExpression(DW_OP_LLVM_fragment, 0, 8), !293)
    #dbg_value(ptr poison, !295, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !306)
    #dbg_value(ptr poison, !295, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !306)
    #dbg_value(ptr poison, !218, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !288)
    #dbg_value(ptr poison, !218, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !288)
    #dbg_value(ptr %0, !100, !DIExpression(), !288)
    #dbg_value(ptr %1, !101, !DIExpression(), !288)
    #dbg_value(ptr %2, !102, !DIExpression(), !288)
    #dbg_value(ptr %3, !103, !DIExpression(), !288)
    #dbg_value(i32 3, !107, !DIExpression(), !288)
    #dbg_value(ptr poison, !115, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !288)
    #dbg_value(i32 4, !115, !DIExpression(DW_OP_LLVM_fragment, 384, 32), !288)
    #dbg_value(i64 1, !115, !DIExpression(DW_OP_LLVM_fragment, 192, 64), !288)
    #dbg_value(i64 0, !115, !DIExpression(DW_OP_LLVM_fragment, 256, 64), !288)
    #dbg_value(ptr null, !171, !DIExpression(), !288)
    #dbg_value(i8 -1, !174, !DIExpression(), !288)
    #dbg_value(i32 -5, !175, !DIExpression(), !288)
    #dbg_value(i32 2, !176, !DIExpression(DW_OP_LLVM_fragment, 64, 32), !288)
    #dbg_value(ptr undef, !289, !DIExpression(), !293)
    #dbg_value(i32 poison, !204, !DIExpression(), !288)
    #dbg_value(i32 poison, !206, !DIExpression(DW_OP_constu, 1, DW_OP_shl, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 32), !288)
    #dbg_value(ptr undef, !206, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !288)
    #dbg_value(i32 17, !212, !DIExpression(), !288)
    #dbg_value(float 2.500000e+00, !213, !DIExpression(), !288)
    #dbg_value(!DIArgList(i128 poison, i32 poison), !214, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_LLVM_convert, 32, DW_ATE_unsigned, DW_OP_LLVM_convert, 128, DW_ATE_unsigned, DW_OP_plus, DW_OP_stack_value), !288)
    #dbg_value(i32 poison, !215, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !288)
    #dbg_value(i32 2, !215, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !288)
    #dbg_value(i32 poison, !215, !DIExpression(DW_OP_LLVM_fragment, 64, 32), !288)
    #dbg_value(ptr undef, !218, !DIExpression(), !288)
    #dbg_value(ptr undef, !295, !DIExpression(), !306)
    #dbg_value(i32 5, !304, !DIExpression(), !306)
    #dbg_value(i32 poison, !206, !DIExpression(DW_OP_constu, 1, DW_OP_shl, DW_OP_plus_uconst, 5, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 32), !288)
    #dbg_value(i32 poison, !221, !DIExpression(DW_OP_constu, 1, DW_OP_shl, DW_OP_plus_uconst, 9, DW_OP_stack_value), !308)
    #dbg_value(i32 0, !226, !DIExpression(), !309)
    #dbg_value(i32 0, !226, !DIExpression(), !309)
  store float 3.000000e+00, ptr %0, align 4, !dbg !310, !tbaa !274
    #dbg_value(i32 1, !226, !DIExpression(), !309)
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 4, !dbg !313
  store float 5.000000e+00, ptr %5, align 4, !dbg !310, !tbaa !274
    #dbg_value(i32 2, !226, !DIExpression(), !309)
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8, !dbg !313
  store float 7.000000e+00, ptr %6, align 4, !dbg !310, !tbaa !274
    #dbg_value(i32 3, !226, !DIExpression(), !309)
  %7 = load volatile i32, ptr %3, align 4, !dbg !314, !tbaa !263
  %8 = load ptr, ptr addrspacecast (ptr addrspace(1) @callback to ptr), align 8, !dbg !315, !tbaa !317
  %9 = icmp eq ptr %8, null, !dbg !315
  br i1 %9, label %12, label %10, !dbg !315

10:                                               ; preds = %4
  tail call void (i32, ptr, ...) %8(i32 noundef 1, ptr noundef nonnull @.str1, i32 noundef 2) #4, !dbg !319
  %11 = load i32, ptr %6, align 4, !dbg !320, !tbaa !274
  br label %12, !dbg !319

12:                                               ; preds = %10, %4
  %13 = phi i32 [ %11, %10 ], [ 1088421888, %4 ], !dbg !320
  store i32 %13, ptr addrspacecast (ptr addrspace(3) @in_shared to ptr), align 4, !dbg !321, !tbaa !274
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 12, !dbg !322
  %15 = load i32, ptr %14, align 4, !dbg !324, !tbaa !274
  %16 = icmp eq i32 %15, 7, !dbg !325
  br i1 %16, label %17, label %18, !dbg !325

17:                                               ; preds = %12
  tail call void @_Z4Stopi(i32 noundef 3) #5, !dbg !326
  unreachable, !dbg !326

18:                                               ; preds = %12
  ret void, !dbg !327
}

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #1 = { noinline noreturn nounwind memory(inaccessiblemem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
attributes #3 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #4 = { convergent nounwind }
attributes #5 = { noreturn nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!256, !257, !258, !259, !260, !261}
!llvm.ident = !{!262}
!llvm.errno.tbaa = !{!263}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "number", linkageName: "_ZN6shapes7Derived6numberE", scope: !2, file: !3, line: 92, type: !13, isLocal: false, isDefinition: true, declaration: !147)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, retainedTypes: !18, globals: !20, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "debug_types.cu", directory: ".")
!4 = !{!5, !12}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Mode", scope: !6, file: !3, line: 10, baseType: !8, size: 8, flags: DIFlagEnumClass, elements: !9, identifier: "_ZTSN6shapes2v14ModeE")
!6 = !DINamespace(name: "v1", scope: !7, exportSymbols: true)
!7 = !DINamespace(name: "shapes", scope: null)
!8 = !DIBasicType(name: "unsigned char", size: 8, encoding: DW_ATE_unsigned_char)
!9 = !{!10, !11}
!10 = !DIEnumerator(name: "kA", value: 200, isUnsigned: true)
!11 = !DIEnumerator(name: "kB", value: 255, isUnsigned: true)
!12 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "Colour", scope: !6, file: !3, line: 9, baseType: !13, size: 32, elements: !14, identifier: "_ZTSN6shapes2v16ColourE")
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{!15, !16, !17}
!15 = !DIEnumerator(name: "kRed", value: 0)
!16 = !DIEnumerator(name: "kGreen", value: -5)
!17 = !DIEnumerator(name: "kBlue", value: -4)
!18 = !{!19, !13}
!19 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!20 = !{!0, !21, !28, !45, !47, !55, !58, !61, !64, !67, !70, !74, !231, !233, !237, !239, !241, !245, !248, !250}
!21 = !DIGlobalVariableExpression(var: !22, expr: !DIExpression(DW_OP_constu, 4, DW_OP_swap, DW_OP_xderef))
!22 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !3, line: 93, type: !23, isLocal: false, isDefinition: true)
!23 = !DICompositeType(tag: DW_TAG_array_type, baseType: !24, size: 960, elements: !25)
!24 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!25 = !{!26, !27}
!26 = !DISubrange(count: 3)
!27 = !DISubrange(count: 5)
!28 = !DIGlobalVariableExpression(var: !29, expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef))
!29 = distinct !DIGlobalVariable(name: "in_shared", scope: !2, file: !3, line: 94, type: !30, isLocal: false, isDefinition: true)
!30 = distinct !DICompositeType(tag: DW_TAG_union_type, name: "Word", scope: !7, file: !3, line: 52, size: 32, flags: DIFlagTypePassByValue, elements: !31, identifier: "_ZTSN6shapes4WordE")
!31 = !{!32, !33, !34, !40}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "i", scope: !30, file: !3, line: 53, baseType: !13, size: 32)
!33 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !30, file: !3, line: 54, baseType: !19, size: 32)
!34 = !DIDerivedType(tag: DW_TAG_member, scope: !30, file: !3, line: 55, baseType: !35, size: 32)
!35 = distinct !DICompositeType(tag: DW_TAG_structure_type, scope: !30, file: !3, line: 55, size: 32, flags: DIFlagExportSymbols | DIFlagTypePassByValue, elements: !36, identifier: "_ZTSN6shapes4WordUt_E")
!36 = !{!37, !39}
!37 = !DIDerivedType(tag: DW_TAG_member, name: "low", scope: !35, file: !3, line: 56, baseType: !38, size: 16)
!38 = !DIBasicType(name: "short", size: 16, encoding: DW_ATE_signed)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "high", scope: !35, file: !3, line: 56, baseType: !38, size: 16, offset: 16)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "raw", scope: !30, file: !3, line: 58, baseType: !41, size: 32)
!41 = !DICompositeType(tag: DW_TAG_array_type, baseType: !42, size: 32, elements: !43)
!42 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!43 = !{!44}
!44 = !DISubrange(count: 4)
!45 = !DIGlobalVariableExpression(var: !46, expr: !DIExpression())
!46 = distinct !DIGlobalVariable(name: "target", scope: !2, file: !3, line: 98, type: !13, isLocal: false, isDefinition: true)
!47 = !DIGlobalVariableExpression(var: !48, expr: !DIExpression())
!48 = distinct !DIGlobalVariable(name: "callback", scope: !2, file: !3, line: 99, type: !49, isLocal: false, isDefinition: true)
!49 = !DIDerivedType(tag: DW_TAG_typedef, name: "Callback", file: !3, line: 78, baseType: !50)
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !51, size: 64)
!51 = !DISubroutineType(types: !52)
!52 = !{null, !13, !53, null}
!53 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !54, size: 64)
!54 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !42)
!55 = !DIGlobalVariableExpression(var: !56, expr: !DIExpression())
!56 = distinct !DIGlobalVariable(name: "odd", scope: !2, file: !3, line: 100, type: !57, isLocal: false, isDefinition: true)
!57 = !DIBasicType(name: "_BitInt(37)", size: 64, dataSize: 37, encoding: DW_ATE_signed)
!58 = !DIGlobalVariableExpression(var: !59, expr: !DIExpression())
!59 = distinct !DIGlobalVariable(name: "big", scope: !2, file: !3, line: 101, type: !60, isLocal: false, isDefinition: true)
!60 = !DIBasicType(name: "__int128", size: 128, encoding: DW_ATE_signed)
!61 = !DIGlobalVariableExpression(var: !62, expr: !DIExpression())
!62 = distinct !DIGlobalVariable(name: "complex_number", scope: !2, file: !3, line: 102, type: !63, isLocal: false, isDefinition: true)
!63 = !DIBasicType(name: "complex", size: 64, encoding: DW_ATE_complex_float)
!64 = !DIGlobalVariableExpression(var: !65, expr: !DIExpression())
!65 = distinct !DIGlobalVariable(name: "utf16", scope: !2, file: !3, line: 103, type: !66, isLocal: false, isDefinition: true)
!66 = !DIBasicType(name: "char16_t", size: 16, encoding: DW_ATE_UTF)
!67 = !DIGlobalVariableExpression(var: !68, expr: !DIExpression())
!68 = distinct !DIGlobalVariable(name: "nothing", scope: !2, file: !3, line: 104, type: !69, isLocal: false, isDefinition: true)
!69 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "decltype(nullptr)")
!70 = !DIGlobalVariableExpression(var: !71, expr: !DIExpression())
!71 = distinct !DIGlobalVariable(name: "restricted", scope: !2, file: !3, line: 105, type: !72, isLocal: false, isDefinition: true)
!72 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !73)
!73 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!74 = !DIGlobalVariableExpression(var: !75, expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef))
!75 = distinct !DIGlobalVariable(name: "static_shared", scope: !76, file: !3, line: 128, type: !228, isLocal: true, isDefinition: true)
!76 = distinct !DISubprogram(name: "Use", linkageName: "_Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi", scope: !3, file: !3, line: 119, type: !77, scopeLine: 119, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !99)
!77 = !DISubroutineType(types: !78)
!78 = !{null, !79, !80, !82, !96}
!79 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64)
!80 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !81, size: 64)
!81 = !DICompositeType(tag: DW_TAG_structure_type, name: "Incomplete", file: !3, line: 77, flags: DIFlagFwdDecl | DIFlagNonTrivial, identifier: "_ZTS10Incomplete")
!82 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !83, size: 64)
!83 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !84)
!84 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Bits", scope: !7, file: !3, line: 44, size: 128, flags: DIFlagTypePassByValue, elements: !85, identifier: "_ZTSN6shapes4BitsE")
!85 = !{!86, !88, !89, !90, !92, !94}
!86 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !84, file: !3, line: 45, baseType: !87, size: 3, flags: DIFlagBitField, extraData: i64 0)
!87 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!88 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !84, file: !3, line: 45, baseType: !87, size: 7, offset: 3, flags: DIFlagBitField, extraData: i64 0)
!89 = !DIDerivedType(tag: DW_TAG_member, name: "c", scope: !84, file: !3, line: 47, baseType: !13, size: 20, offset: 32, flags: DIFlagBitField, extraData: i64 32)
!90 = !DIDerivedType(tag: DW_TAG_member, name: "d", scope: !84, file: !3, line: 48, baseType: !91, size: 40, offset: 64, flags: DIFlagBitField, extraData: i64 64)
!91 = !DIBasicType(name: "unsigned long long", size: 64, encoding: DW_ATE_unsigned)
!92 = !DIDerivedType(tag: DW_TAG_member, name: "e", scope: !84, file: !3, line: 49, baseType: !93, size: 1, offset: 104, flags: DIFlagBitField, extraData: i64 64)
!93 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!94 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !84, file: !3, line: 50, baseType: !95, size: 2, offset: 105, flags: DIFlagBitField, extraData: i64 64)
!95 = !DIBasicType(name: "signed char", size: 8, encoding: DW_ATE_signed_char)
!96 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !97, size: 64)
!97 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !98)
!98 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !13)
!99 = !{!100, !101, !102, !103, !104, !105, !106, !107, !115, !171, !174, !175, !176, !195, !204, !206, !212, !213, !214, !215, !218, !221, !223, !225, !226}
!100 = !DILocalVariable(name: "out", arg: 1, scope: !76, file: !3, line: 119, type: !79)
!101 = !DILocalVariable(name: "incomplete", arg: 2, scope: !76, file: !3, line: 119, type: !80)
!102 = !DILocalVariable(name: "bits", arg: 3, scope: !76, file: !3, line: 119, type: !82)
!103 = !DILocalVariable(name: "lvalue", arg: 4, scope: !76, file: !3, line: 119, type: !96)
!104 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !76, entity: !7, file: !3, line: 120)
!105 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !76, entity: !84, file: !3, line: 121)
!106 = !DIImportedEntity(tag: DW_TAG_imported_declaration, name: "alias", scope: !76, entity: !7, file: !3, line: 122)
!107 = !DILocalVariable(name: "local", scope: !76, file: !3, line: 127, type: !108)
!108 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Local", scope: !76, file: !3, line: 123, size: 32, flags: DIFlagTypePassByValue, elements: !109)
!109 = !{!110, !111}
!110 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !108, file: !3, line: 124, baseType: !13, size: 32)
!111 = !DISubprogram(name: "Get", scope: !108, file: !3, line: 125, type: !112, scopeLine: 125, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagOptimized)
!112 = !DISubroutineType(types: !113)
!113 = !{!13, !114}
!114 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !108, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!115 = !DILocalVariable(name: "derived", scope: !76, file: !3, line: 131, type: !116)
!116 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "Derived", scope: !7, file: !3, line: 27, size: 448, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !117, vtableHolder: !119, identifier: "_ZTSN6shapes7DerivedE")
!117 = !{!118, !138, !143, !145, !147, !148, !154, !156, !157, !158, !162, !163, !166}
!118 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !116, baseType: !119, flags: DIFlagPublic, extraData: i32 0)
!119 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Base", scope: !7, file: !3, line: 12, size: 128, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !120, vtableHolder: !119, identifier: "_ZTSN6shapes4BaseE")
!120 = !{!121, !126, !127, !128, !133, !137}
!121 = !DIDerivedType(tag: DW_TAG_member, name: "_vptr$Base", scope: !3, file: !3, baseType: !122, size: 64, flags: DIFlagArtificial)
!122 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !123, size: 64)
!123 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "__vtbl_ptr_type", baseType: !124, size: 64)
!124 = !DISubroutineType(types: !125)
!125 = !{!13}
!126 = !DIDerivedType(tag: DW_TAG_member, name: "id", scope: !119, file: !3, line: 16, baseType: !13, size: 32, offset: 64)
!127 = !DIDerivedType(tag: DW_TAG_member, name: "hidden", scope: !119, file: !3, line: 19, baseType: !13, size: 32, offset: 96, flags: DIFlagProtected)
!128 = !DISubprogram(name: "Area", linkageName: "_ZNK6shapes4Base4AreaEv", scope: !119, file: !3, line: 13, type: !129, scopeLine: 13, containingType: !119, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!129 = !DISubroutineType(types: !130)
!130 = !{!13, !131}
!131 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !132, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!132 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !119)
!133 = !DISubprogram(name: "Reset", linkageName: "_ZN6shapes4Base5ResetEv", scope: !119, file: !3, line: 14, type: !134, scopeLine: 14, containingType: !119, virtualIndex: 1, flags: DIFlagPrototyped, spFlags: DISPFlagPureVirtual | DISPFlagOptimized)
!134 = !DISubroutineType(types: !135)
!135 = !{null, !136}
!136 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !119, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!137 = !DISubprogram(name: "~Base", linkageName: "_ZN6shapes4BaseD4Ev", scope: !119, file: !3, line: 15, type: !134, scopeLine: 15, containingType: !119, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!138 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !116, baseType: !139, offset: 128, extraData: i32 0)
!139 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Other", scope: !7, file: !3, line: 21, size: 64, flags: DIFlagTypePassByValue, elements: !140, identifier: "_ZTSN6shapes5OtherE")
!140 = !{!141}
!141 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !139, file: !3, line: 22, baseType: !142, size: 64)
!142 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!143 = !DIDerivedType(tag: DW_TAG_member, name: "kSides", scope: !116, file: !3, line: 33, baseType: !144, flags: DIFlagPublic | DIFlagStaticMember, extraData: i32 4)
!144 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !13)
!145 = !DIDerivedType(tag: DW_TAG_member, name: "kHalf", scope: !116, file: !3, line: 34, baseType: !146, flags: DIFlagPublic | DIFlagStaticMember, extraData: float 5.000000e-01)
!146 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !19)
!147 = !DIDerivedType(tag: DW_TAG_member, name: "number", scope: !116, file: !3, line: 35, baseType: !13, flags: DIFlagPublic | DIFlagStaticMember)
!148 = !DIDerivedType(tag: DW_TAG_member, name: "method", scope: !116, file: !3, line: 36, baseType: !149, size: 128, offset: 192, flags: DIFlagPublic)
!149 = !DIDerivedType(tag: DW_TAG_ptr_to_member_type, baseType: !150, size: 128, extraData: !116)
!150 = !DISubroutineType(types: !151)
!151 = !{!13, !152}
!152 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !153, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!153 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !116)
!154 = !DIDerivedType(tag: DW_TAG_member, name: "field", scope: !116, file: !3, line: 37, baseType: !155, size: 64, offset: 320, flags: DIFlagPublic)
!155 = !DIDerivedType(tag: DW_TAG_ptr_to_member_type, baseType: !13, size: 64, extraData: !116)
!156 = !DIDerivedType(tag: DW_TAG_member, name: "side_", scope: !116, file: !3, line: 40, baseType: !13, size: 32, offset: 384)
!157 = !DIDerivedType(tag: DW_TAG_member, name: "cache", scope: !116, file: !3, line: 42, baseType: !98, size: 32, offset: 416)
!158 = !DISubprogram(name: "Derived", linkageName: "_ZN6shapes7DerivedC4Ei", scope: !116, file: !3, line: 29, type: !159, scopeLine: 29, flags: DIFlagPublic | DIFlagExplicit | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!159 = !DISubroutineType(types: !160)
!160 = !{null, !161, !13}
!161 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !116, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!162 = !DISubprogram(name: "Area", linkageName: "_ZNK6shapes7Derived4AreaEv", scope: !116, file: !3, line: 30, type: !150, scopeLine: 30, containingType: !116, virtualIndex: 0, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!163 = !DISubprogram(name: "Reset", linkageName: "_ZN6shapes7Derived5ResetEv", scope: !116, file: !3, line: 31, type: !164, scopeLine: 31, containingType: !116, virtualIndex: 1, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!164 = !DISubroutineType(types: !165)
!165 = !{null, !161}
!166 = !DISubprogram(name: "operator=", linkageName: "_ZN6shapes7DerivedaSERKS0_", scope: !116, file: !3, line: 32, type: !167, scopeLine: 32, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!167 = !DISubroutineType(types: !168)
!168 = !{!169, !161, !170}
!169 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !116, size: 64)
!170 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !153, size: 64)
!171 = !DILocalVariable(name: "virtual_base", scope: !76, file: !3, line: 133, type: !172)
!172 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !173, size: 64)
!173 = !DICompositeType(tag: DW_TAG_structure_type, name: "VirtualBase", scope: !7, file: !3, line: 24, size: 256, flags: DIFlagFwdDecl | DIFlagNonTrivial, identifier: "_ZTSN6shapes11VirtualBaseE")
!174 = !DILocalVariable(name: "mode", scope: !76, file: !3, line: 134, type: !5)
!175 = !DILocalVariable(name: "colour", scope: !76, file: !3, line: 135, type: !12)
!176 = !DILocalVariable(name: "many", scope: !76, file: !3, line: 136, type: !177)
!177 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Many<int, 3, shapes::Box, int>", scope: !7, file: !3, line: 67, size: 224, flags: DIFlagTypePassByValue, elements: !178, templateParams: !189, identifier: "_ZTSN6shapes4ManyIiLi3ENS_3BoxEiJEEE")
!178 = !{!179, !183}
!179 = !DIDerivedType(tag: DW_TAG_member, name: "data", scope: !177, file: !3, line: 68, baseType: !180, size: 192)
!180 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 192, elements: !181)
!181 = !{!26, !182}
!182 = !DISubrange(count: 2)
!183 = !DIDerivedType(tag: DW_TAG_member, name: "c", scope: !177, file: !3, line: 69, baseType: !184, size: 32, offset: 192)
!184 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Box<int>", scope: !7, file: !3, line: 61, size: 32, flags: DIFlagTypePassByValue, elements: !185, templateParams: !187, identifier: "_ZTSN6shapes3BoxIiEE")
!185 = !{!186}
!186 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !184, file: !3, line: 62, baseType: !13, size: 32)
!187 = !{!188}
!188 = !DITemplateTypeParameter(name: "T", type: !13)
!189 = !{!188, !190, !191, !192, !193}
!190 = !DITemplateValueParameter(name: "N", type: !13, value: i32 3)
!191 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "C", value: !"shapes::Box")
!192 = !DITemplateTypeParameter(name: "U", type: !13, defaulted: true)
!193 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_parameter_pack, name: "Ts", value: !194)
!194 = !{}
!195 = !DILocalVariable(name: "pointee", scope: !76, file: !3, line: 138, type: !196)
!196 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Pointee<&target>", scope: !7, file: !3, line: 72, size: 8, flags: DIFlagTypePassByValue, elements: !197, templateParams: !202, identifier: "_ZTSN6shapes7PointeeIXadL_Z6targetEEEE")
!197 = !{!198}
!198 = !DISubprogram(name: "Get", linkageName: "_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv", scope: !196, file: !3, line: 73, type: !199, scopeLine: 73, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!199 = !DISubroutineType(types: !200)
!200 = !{!13, !201}
!201 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !196, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!202 = !{!203}
!203 = !DITemplateValueParameter(name: "P", type: !73, value: ptr addrspace(1) @target)
!204 = !DILocalVariable(name: "number", scope: !76, file: !3, line: 139, type: !205)
!205 = !DIDerivedType(tag: DW_TAG_typedef, name: "LocalInt", scope: !76, file: !3, line: 130, baseType: !13)
!206 = !DILocalVariable(name: "lambda", scope: !76, file: !3, line: 140, type: !207)
!207 = distinct !DICompositeType(tag: DW_TAG_class_type, scope: !76, file: !3, line: 140, size: 128, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !208)
!208 = !{!209, !210}
!209 = !DIDerivedType(tag: DW_TAG_member, name: "k", scope: !207, file: !3, line: 140, baseType: !13, size: 32)
!210 = !DIDerivedType(tag: DW_TAG_member, name: "local", scope: !207, file: !3, line: 142, baseType: !211, size: 64, offset: 64)
!211 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !108, size: 64)
!212 = !DILocalVariable(name: "folded", scope: !76, file: !3, line: 144, type: !144)
!213 = !DILocalVariable(name: "half", scope: !76, file: !3, line: 145, type: !146)
!214 = !DILocalVariable(name: "wide", scope: !76, file: !3, line: 146, type: !60)
!215 = !DILocalVariable(name: "list", scope: !76, file: !3, line: 147, type: !216)
!216 = !DICompositeType(tag: DW_TAG_array_type, baseType: !205, size: 96, elements: !217)
!217 = !{!26}
!218 = !DILocalVariable(name: "to_list", scope: !76, file: !3, line: 148, type: !219)
!219 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !220, size: 64)
!220 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 96, elements: !217)
!221 = !DILocalVariable(name: "q", scope: !222, file: !3, line: 149, type: !13)
!222 = distinct !DILexicalBlock(scope: !76, file: !3, line: 149, column: 26)
!223 = !DILocalVariable(name: "inner", scope: !224, file: !3, line: 150, type: !84)
!224 = distinct !DILexicalBlock(scope: !222, file: !3, line: 149, column: 33)
!225 = !DILabel(scope: !224, name: "again", file: !3, line: 153, column: 3)
!226 = !DILocalVariable(name: "i", scope: !227, file: !3, line: 156, type: !13)
!227 = distinct !DILexicalBlock(scope: !76, file: !3, line: 156, column: 3)
!228 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, size: 256, elements: !229)
!229 = !{!230}
!230 = !DISubrange(count: 8)
!231 = !DIGlobalVariableExpression(var: !232, expr: !DIExpression())
!232 = distinct !DIGlobalVariable(name: "static_global", scope: !76, file: !3, line: 129, type: !13, isLocal: true, isDefinition: true)
!233 = !DIGlobalVariableExpression(var: !234, expr: !DIExpression())
!234 = distinct !DIGlobalVariable(scope: null, file: !3, line: 160, type: !235, isLocal: true, isDefinition: true)
!235 = !DICompositeType(tag: DW_TAG_array_type, baseType: !54, size: 16, elements: !236)
!236 = !{!182}
!237 = !DIGlobalVariableExpression(var: !238, expr: !DIExpression(DW_OP_constu, 42, DW_OP_stack_value))
!238 = distinct !DIGlobalVariable(name: "kConst", scope: !2, file: !3, line: 96, type: !144, isLocal: true, isDefinition: true)
!239 = !DIGlobalVariableExpression(var: !240, expr: !DIExpression())
!240 = distinct !DIGlobalVariable(scope: null, file: !3, line: 163, type: !235, isLocal: true, isDefinition: true)
!241 = !DIGlobalVariableExpression(var: !242, expr: !DIExpression())
!242 = distinct !DIGlobalVariable(name: "_vtable$", linkageName: "_ZTVN6shapes7DerivedE", scope: !2, file: !3, type: !243, isLocal: false, isDefinition: true, declaration: !244, align: 64)
!243 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!244 = !DIDerivedType(tag: DW_TAG_member, name: "_vtable$", scope: !116, file: !3, baseType: !243, flags: DIFlagArtificial | DIFlagStaticMember)
!245 = !DIGlobalVariableExpression(var: !246, expr: !DIExpression())
!246 = distinct !DIGlobalVariable(name: "_vtable$", linkageName: "_ZTVN6shapes4BaseE", scope: !2, file: !3, type: !243, isLocal: false, isDefinition: true, declaration: !247, align: 64)
!247 = !DIDerivedType(tag: DW_TAG_member, name: "_vtable$", scope: !119, file: !3, baseType: !243, flags: DIFlagPrivate | DIFlagArtificial | DIFlagStaticMember)
!248 = !DIGlobalVariableExpression(var: !249, expr: !DIExpression())
!249 = distinct !DIGlobalVariable(name: "counter", linkageName: "_ZL7counter", scope: !2, file: !3, line: 95, type: !13, isLocal: true, isDefinition: true)
!250 = !DIGlobalVariableExpression(var: !251, expr: !DIExpression())
!251 = distinct !DIGlobalVariable(name: "anonymous", linkageName: "_ZN12_GLOBAL__N_19anonymousE", scope: !252, file: !3, line: 89, type: !253, isLocal: true, isDefinition: true)
!252 = !DINamespace(scope: null)
!253 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Anonymous", scope: !252, file: !3, line: 86, size: 32, flags: DIFlagTypePassByValue, elements: !254)
!254 = !{!255}
!255 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !253, file: !3, line: 87, baseType: !13, size: 32)
!256 = !{i32 7, !"Dwarf Version", i32 2}
!257 = !{i32 2, !"Debug Info Version", i32 3}
!258 = !{i32 1, !"wchar_size", i32 4}
!259 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!260 = !{i32 7, !"frame-pointer", i32 2}
!261 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!262 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!263 = !{!264, !264, i64 0}
!264 = !{!"int", !265, i64 0}
!265 = !{!"omnipotent char", !266, i64 0}
!266 = !{!"Simple C++ TBAA"}
!267 = distinct !DISubprogram(name: "Variadic", linkageName: "_Z8VariadicPKcz", scope: !3, file: !3, line: 107, type: !268, scopeLine: 107, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !270)
!268 = !DISubroutineType(types: !269)
!269 = !{!13, !53, null}
!270 = !{!271}
!271 = !DILocalVariable(name: "format", arg: 1, scope: !267, file: !3, line: 107, type: !53)
!272 = !DILocation(line: 0, scope: !267)
!273 = !DILocation(line: 107, column: 81, scope: !267)
!274 = !{!265, !265, i64 0}
!275 = !DILocation(line: 107, column: 74, scope: !267)
!276 = distinct !DISubprogram(name: "Stop", linkageName: "_Z4Stopi", scope: !3, file: !3, line: 108, type: !277, scopeLine: 108, flags: DIFlagPrototyped | DIFlagNoReturn, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !279)
!277 = !DISubroutineType(types: !278)
!278 = !{null, !13}
!279 = !{!280}
!280 = !DILocalVariable(name: "x", arg: 1, scope: !276, file: !3, line: 108, type: !13)
!281 = !DILocation(line: 0, scope: !276)
!282 = !DILocation(line: 109, column: 7, scope: !283)
!283 = distinct !DILexicalBlock(scope: !276, file: !3, line: 109, column: 7)
!284 = !DILocation(line: 109, column: 10, scope: !283)
!285 = !DILocation(line: 110, column: 3, scope: !276)
!286 = distinct !{!286, !285, !287}
!287 = !DILocation(line: 111, column: 3, scope: !276)
!288 = !DILocation(line: 0, scope: !76)
!289 = !DILocalVariable(name: "this", arg: 1, scope: !290, type: !292, flags: DIFlagArtificial | DIFlagObjectPointer)
!290 = distinct !DISubprogram(name: "Get", linkageName: "_ZN6shapes7PointeeIXadL_Z6targetEEE3GetEv", scope: !196, file: !3, line: 73, type: !199, scopeLine: 73, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !198, retainedNodes: !291)
!291 = !{!289}
!292 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !196, size: 64)
!293 = !DILocation(line: 0, scope: !290, inlinedAt: !294)
!294 = distinct !DILocation(line: 139, column: 29, scope: !76)
!295 = !DILocalVariable(name: "this", arg: 1, scope: !296, type: !305, flags: DIFlagArtificial | DIFlagObjectPointer)
!296 = distinct !DISubprogram(name: "operator()<int>", linkageName: "_ZZ3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKiENUlT_E_clIiEEDaS9_", scope: !207, file: !3, line: 140, type: !297, scopeLine: 140, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, templateParams: !301, declaration: !300, retainedNodes: !303)
!297 = !DISubroutineType(types: !298)
!298 = !{!13, !299, !13}
!299 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !207, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!300 = !DISubprogram(name: "operator()<int>", scope: !207, file: !3, line: 140, type: !297, scopeLine: 140, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagOptimized, templateParams: !301)
!301 = !{!302}
!302 = !DITemplateTypeParameter(name: "z:auto", type: !13)
!303 = !{!295, !304}
!304 = !DILocalVariable(name: "z", arg: 2, scope: !296, file: !3, line: 140, type: !13)
!305 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !207, size: 64)
!306 = !DILocation(line: 0, scope: !296, inlinedAt: !307)
!307 = distinct !DILocation(line: 149, column: 15, scope: !222)
!308 = !DILocation(line: 0, scope: !222)
!309 = !DILocation(line: 0, scope: !227)
!310 = !DILocation(line: 157, column: 14, scope: !311)
!311 = distinct !DILexicalBlock(scope: !312, file: !3, line: 156, column: 31)
!312 = distinct !DILexicalBlock(scope: !227, file: !3, line: 156, column: 3)
!313 = !DILocation(line: 157, column: 5, scope: !311)
!314 = !DILocation(line: 161, column: 14, scope: !76)
!315 = !DILocation(line: 163, column: 7, scope: !316)
!316 = distinct !DILexicalBlock(scope: !76, file: !3, line: 163, column: 7)
!317 = !{!318, !318, i64 0}
!318 = !{!"any pointer", !265, i64 0}
!319 = !DILocation(line: 163, column: 17, scope: !316)
!320 = !DILocation(line: 164, column: 24, scope: !76)
!321 = !DILocation(line: 164, column: 15, scope: !76)
!322 = !DILocation(line: 165, column: 7, scope: !323)
!323 = distinct !DILexicalBlock(scope: !76, file: !3, line: 165, column: 7)
!324 = !DILocation(line: 165, column: 14, scope: !323)
!325 = !DILocation(line: 165, column: 16, scope: !323)
!326 = !DILocation(line: 165, column: 22, scope: !323)
!327 = !DILocation(line: 166, column: 1, scope: !76)
