; Lines and inlined calls only. Made from debug_types.cu by
;   clang-22 -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-device-only -std=c++20 -w -fgpu-rdc \
;     -fdebug-compilation-dir=. -O2 -gline-tables-only -Xclang -debug-info-kind=line-tables-only -S -emit-llvm
; llc: -mcpu=sm_80
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"union.shapes::Word" = type { i32 }

@_ZN6shapes7Derived6numberE = dso_local local_unnamed_addr addrspace(1) externally_initialized global i32 7, align 4
@table = dso_local addrspace(4) externally_initialized constant [3 x [5 x double]] zeroinitializer, align 8
@in_shared = dso_local local_unnamed_addr addrspace(3) global %"union.shapes::Word" undef, align 4
@target = dso_local addrspace(1) externally_initialized global i32 1, align 4
@callback = dso_local addrspace(1) externally_initialized global ptr null, align 8
@odd = dso_local addrspace(1) externally_initialized global i64 0, align 8
@big = dso_local addrspace(1) externally_initialized global i128 0, align 16
@complex_number = dso_local local_unnamed_addr addrspace(1) externally_initialized global { float, float } zeroinitializer, align 4
@utf16 = dso_local addrspace(1) externally_initialized global i16 0, align 2
@nothing = dso_local local_unnamed_addr addrspace(1) externally_initialized global ptr null, align 8
@restricted = dso_local addrspace(1) externally_initialized global ptr null, align 8
@.str1 = private unnamed_addr constant [2 x i8] c"s\00", align 1
@llvm.compiler.used = appending global [7 x ptr] [ptr addrspacecast (ptr addrspace(1) @big to ptr), ptr addrspacecast (ptr addrspace(1) @callback to ptr), ptr addrspacecast (ptr addrspace(1) @odd to ptr), ptr addrspacecast (ptr addrspace(1) @restricted to ptr), ptr addrspacecast (ptr addrspace(4) @table to ptr), ptr addrspacecast (ptr addrspace(1) @target to ptr), ptr addrspacecast (ptr addrspace(1) @utf16 to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read)
define dso_local noundef range(i32 -128, 128) i32 @_Z8VariadicPKcz(ptr noundef readonly captures(none) %0, ...) local_unnamed_addr #0 !dbg !12 {
  %2 = load i8, ptr %0, align 1, !dbg !15, !tbaa !16
  %3 = sext i8 %2 to i32, !dbg !15
  ret i32 %3, !dbg !17
}

; Function Attrs: noinline noreturn nounwind memory(inaccessiblemem: write)
define dso_local void @_Z4Stopi(i32 noundef %0) local_unnamed_addr #1 !dbg !18 {
  %2 = icmp eq i32 %0, 0, !dbg !19
  br i1 %2, label %4, label %3, !dbg !19

3:                                                ; preds = %1
  tail call void @llvm.trap(), !dbg !20
  unreachable, !dbg !20

4:                                                ; preds = %1, %4
  br label %4, !dbg !21, !llvm.loop !22
}

; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
declare void @llvm.trap() #2

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @_Z3UsePN6shapes4WordEP10IncompletePKNS_4BitsERVKi(ptr noundef captures(none) initializes((0, 12)) %0, ptr noundef readnone captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef nonnull align 4 dereferenceable(4) %3) local_unnamed_addr #3 !dbg !24 {
  store float 3.000000e+00, ptr %0, align 4, !dbg !25, !tbaa !16
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 4, !dbg !26
  store float 5.000000e+00, ptr %5, align 4, !dbg !25, !tbaa !16
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 8, !dbg !26
  store float 7.000000e+00, ptr %6, align 4, !dbg !25, !tbaa !16
  %7 = load volatile i32, ptr %3, align 4, !dbg !27, !tbaa !8
  %8 = load ptr, ptr addrspacecast (ptr addrspace(1) @callback to ptr), align 8, !dbg !28, !tbaa !29
  %9 = icmp eq ptr %8, null, !dbg !28
  br i1 %9, label %12, label %10, !dbg !28

10:                                               ; preds = %4
  tail call void (i32, ptr, ...) %8(i32 noundef 1, ptr noundef nonnull @.str1, i32 noundef 2) #4, !dbg !31
  %11 = load i32, ptr %6, align 4, !dbg !32, !tbaa !16
  br label %12, !dbg !31

12:                                               ; preds = %10, %4
  %13 = phi i32 [ %11, %10 ], [ 1088421888, %4 ], !dbg !32
  store i32 %13, ptr addrspacecast (ptr addrspace(3) @in_shared to ptr), align 4, !dbg !33, !tbaa !16
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 12, !dbg !34
  %15 = load i32, ptr %14, align 4, !dbg !35, !tbaa !16
  %16 = icmp eq i32 %15, 7, !dbg !36
  br i1 %16, label %17, label %18, !dbg !36

17:                                               ; preds = %12
  tail call void @_Z4Stopi(i32 noundef 3) #5, !dbg !37
  unreachable, !dbg !37

18:                                               ; preds = %12
  ret void, !dbg !38
}

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #1 = { noinline noreturn nounwind memory(inaccessiblemem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" }
attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
attributes #3 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx88,+sm_80" "uniform-work-group-size"="true" }
attributes #4 = { convergent nounwind }
attributes #5 = { noreturn nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6}
!llvm.ident = !{!7}
!llvm.errno.tbaa = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "debug_types.cu", directory: ".")
!2 = !{i32 7, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C++ TBAA"}
!12 = distinct !DISubprogram(name: "Variadic", scope: !1, file: !1, line: 107, type: !13, scopeLine: 107, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !DILocation(line: 107, column: 81, scope: !12)
!16 = !{!10, !10, i64 0}
!17 = !DILocation(line: 107, column: 74, scope: !12)
!18 = distinct !DISubprogram(name: "Stop", scope: !1, file: !1, line: 108, type: !13, scopeLine: 108, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!19 = !DILocation(line: 109, column: 7, scope: !18)
!20 = !DILocation(line: 109, column: 10, scope: !18)
!21 = !DILocation(line: 110, column: 3, scope: !18)
!22 = distinct !{!22, !21, !23}
!23 = !DILocation(line: 111, column: 3, scope: !18)
!24 = distinct !DISubprogram(name: "Use", scope: !1, file: !1, line: 119, type: !13, scopeLine: 119, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!25 = !DILocation(line: 157, column: 14, scope: !24)
!26 = !DILocation(line: 157, column: 5, scope: !24)
!27 = !DILocation(line: 161, column: 14, scope: !24)
!28 = !DILocation(line: 163, column: 7, scope: !24)
!29 = !{!30, !30, i64 0}
!30 = !{!"any pointer", !10, i64 0}
!31 = !DILocation(line: 163, column: 17, scope: !24)
!32 = !DILocation(line: 164, column: 24, scope: !24)
!33 = !DILocation(line: 164, column: 15, scope: !24)
!34 = !DILocation(line: 165, column: 7, scope: !24)
!35 = !DILocation(line: 165, column: 14, scope: !24)
!36 = !DILocation(line: 165, column: 16, scope: !24)
!37 = !DILocation(line: 165, column: 22, scope: !24)
!38 = !DILocation(line: 166, column: 1, scope: !24)
