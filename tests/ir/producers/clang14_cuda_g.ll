; Made by make_producers.py with Debian clang version 14.0.6.
; ModuleID = 'kernels.cu'
source_filename = "kernels.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Box = type { [3 x float], [3 x float], i32* }

@table = dso_local addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4
@counter = dso_local addrspace(1) externally_initialized global i32 0, align 4
@dynamic = external dso_local local_unnamed_addr addrspace(3) global [0 x float], align 4
@llvm.compiler.used = appending global [2 x i8*] [i8* addrspacecast (i8 addrspace(1)* bitcast (i32 addrspace(1)* @counter to i8 addrspace(1)*) to i8*), i8* addrspacecast (i8 addrspace(4)* bitcast ([4 x float] addrspace(4)* @table to i8 addrspace(4)*) to i8*)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind
define dso_local %struct.Box @_Z4Grow3Boxf(%struct.Box* nocapture noundef byval(%struct.Box) align 8 %0, float noundef %1) local_unnamed_addr #0 !dbg !12 {
  br label %25, !dbg !15

3:                                                ; preds = %25
  %4 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 0, !dbg !16
  %5 = load float, float* %4, align 8, !dbg !16, !tbaa.struct !17
  %6 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 1, !dbg !16
  %7 = load float, float* %6, align 4, !dbg !16, !tbaa.struct !23
  %8 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 2, !dbg !16
  %9 = load float, float* %8, align 8, !dbg !16, !tbaa.struct !24
  %10 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 0, !dbg !16
  %11 = load float, float* %10, align 4, !dbg !16, !tbaa.struct !25
  %12 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 1, !dbg !16
  %13 = load float, float* %12, align 8, !dbg !16, !tbaa.struct !26
  %14 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 2, !dbg !16
  %15 = load float, float* %14, align 4, !dbg !16, !tbaa.struct !27
  %16 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 2, !dbg !16
  %17 = load i32*, i32** %16, align 8, !dbg !16, !tbaa.struct !28
  %18 = insertvalue %struct.Box poison, float %5, 0, 0, !dbg !29
  %19 = insertvalue %struct.Box %18, float %7, 0, 1, !dbg !29
  %20 = insertvalue %struct.Box %19, float %9, 0, 2, !dbg !29
  %21 = insertvalue %struct.Box %20, float %11, 1, 0, !dbg !29
  %22 = insertvalue %struct.Box %21, float %13, 1, 1, !dbg !29
  %23 = insertvalue %struct.Box %22, float %15, 1, 2, !dbg !29
  %24 = insertvalue %struct.Box %23, i32* %17, 2, !dbg !29
  ret %struct.Box %24, !dbg !29

25:                                               ; preds = %2, %25
  %26 = phi i32 [ 0, %2 ], [ %34, %25 ]
  %27 = zext i32 %26 to i64, !dbg !30
  %28 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 %27, !dbg !30
  %29 = load float, float* %28, align 4, !dbg !31, !tbaa !32
  %30 = fsub contract float %29, %1, !dbg !31
  store float %30, float* %28, align 4, !dbg !31, !tbaa !32
  %31 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 %27, !dbg !34
  %32 = load float, float* %31, align 4, !dbg !35, !tbaa !32
  %33 = fadd contract float %32, %1, !dbg !35
  store float %33, float* %31, align 4, !dbg !35, !tbaa !32
  %34 = add nuw nsw i32 %26, 1, !dbg !36
  %35 = icmp eq i32 %34, 3, !dbg !37
  br i1 %35, label %3, label %25, !dbg !15, !llvm.loop !38
}

; Function Attrs: argmemonly mustprogress nofree nosync nounwind willreturn
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #1

; Function Attrs: argmemonly mustprogress nofree nosync nounwind willreturn
declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #1

; Function Attrs: convergent mustprogress nofree norecurse nounwind
define dso_local void @_Z3Hit3BoxPKfi(%struct.Box* nocapture noundef readonly byval(%struct.Box) align 8 %0, float* noalias nocapture noundef readonly %1, i32 noundef %2) local_unnamed_addr #2 !dbg !42 {
  %4 = alloca %struct.Box, align 8
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !43
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !44
  %7 = mul nsw i32 %5, %6, !dbg !45
  %8 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !46
  %9 = add nsw i32 %7, %8, !dbg !47
  %10 = icmp slt i32 %9, %2, !dbg !48
  br i1 %10, label %11, label %60, !dbg !49

11:                                               ; preds = %3
  %12 = bitcast %struct.Box* %4 to i8*, !dbg !50
  call void @llvm.lifetime.start.p0i8(i64 32, i8* nonnull %12) #10, !dbg !50
  %13 = and i32 %9, 3, !dbg !51
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds [4 x float], [4 x float] addrspace(4)* @table, i64 0, i64 %14, !dbg !52
  %16 = addrspacecast float addrspace(4)* %15 to float*, !dbg !52
  %17 = load float, float* %16, align 4, !dbg !52, !tbaa !32
  %18 = call %struct.Box @_Z4Grow3Boxf(%struct.Box* noundef nonnull byval(%struct.Box) align 8 %0, float noundef %17) #10, !dbg !53
  %19 = extractvalue %struct.Box %18, 0, !dbg !53
  %20 = extractvalue [3 x float] %19, 0, !dbg !53
  %21 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 0, i64 0, !dbg !53
  store float %20, float* %21, align 8, !dbg !53
  %22 = extractvalue [3 x float] %19, 1, !dbg !53
  %23 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 0, i64 1, !dbg !53
  store float %22, float* %23, align 4, !dbg !53
  %24 = extractvalue [3 x float] %19, 2, !dbg !53
  %25 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 0, i64 2, !dbg !53
  store float %24, float* %25, align 8, !dbg !53
  %26 = extractvalue %struct.Box %18, 1, !dbg !53
  %27 = extractvalue [3 x float] %26, 0, !dbg !53
  %28 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 1, i64 0, !dbg !53
  store float %27, float* %28, align 4, !dbg !53
  %29 = extractvalue [3 x float] %26, 1, !dbg !53
  %30 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 1, i64 1, !dbg !53
  store float %29, float* %30, align 8, !dbg !53
  %31 = extractvalue [3 x float] %26, 2, !dbg !53
  %32 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 1, i64 2, !dbg !53
  store float %31, float* %32, align 4, !dbg !53
  %33 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 2, !dbg !53
  %34 = extractvalue %struct.Box %18, 2, !dbg !53
  store i32* %34, i32** %33, align 8, !dbg !53
  %35 = mul nsw i32 %9, 3
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds float, float* %1, i64 %36
  br label %39, !dbg !54

38:                                               ; preds = %53
  br i1 %54, label %57, label %59, !dbg !55

39:                                               ; preds = %11, %53
  %40 = phi i32 [ 0, %11 ], [ %55, %53 ]
  %41 = phi i1 [ true, %11 ], [ %54, %53 ]
  %42 = zext i32 %40 to i64, !dbg !56
  %43 = getelementptr inbounds float, float* %37, i64 %42, !dbg !56
  %44 = call contract float @llvm.nvvm.ldg.global.f.f32.p0f32(float* %43, i32 4), !dbg !57
  br i1 %41, label %45, label %53, !dbg !58

45:                                               ; preds = %39
  %46 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 0, i64 %42, !dbg !59
  %47 = load float, float* %46, align 4, !dbg !59, !tbaa !32
  %48 = fcmp contract ult float %44, %47, !dbg !60
  br i1 %48, label %53, label %49, !dbg !61

49:                                               ; preds = %45
  %50 = getelementptr inbounds %struct.Box, %struct.Box* %4, i64 0, i32 1, i64 %42, !dbg !62
  %51 = load float, float* %50, align 4, !dbg !62, !tbaa !32
  %52 = fcmp contract ole float %44, %51, !dbg !63
  br label %53

53:                                               ; preds = %49, %45, %39
  %54 = phi i1 [ false, %45 ], [ false, %39 ], [ %52, %49 ], !dbg !64
  %55 = add nuw nsw i32 %40, 1, !dbg !65
  %56 = icmp eq i32 %55, 3, !dbg !66
  br i1 %56, label %38, label %39, !dbg !54, !llvm.loop !67

57:                                               ; preds = %38
  %58 = atomicrmw add i32* %34, i32 1 seq_cst, align 4, !dbg !69
  br label %59, !dbg !69

59:                                               ; preds = %57, %38
  call void @llvm.lifetime.end.p0i8(i64 32, i8* nonnull %12) #10, !dbg !70
  br label %60, !dbg !70

60:                                               ; preds = %3, %59
  ret void, !dbg !70
}

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: argmemonly nofree nounwind readonly
declare float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nocapture, i32) #4

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z3SumPKfPf(float* nocapture noundef readonly %0, float* nocapture noundef writeonly %1) local_unnamed_addr #5 !dbg !71 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !72
  %4 = sext i32 %3 to i64, !dbg !73
  %5 = getelementptr inbounds float, float* %0, i64 %4, !dbg !73
  %6 = load float, float* %5, align 4, !dbg !73, !tbaa !32
  %7 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %4, !dbg !74
  %8 = addrspacecast float addrspace(3)* %7 to float*, !dbg !74
  store float %6, float* %8, align 4, !dbg !75, !tbaa !32
  call void @llvm.nvvm.barrier0(), !dbg !76
  br label %11, !dbg !77

9:                                                ; preds = %22
  %10 = icmp eq i32 %3, 0, !dbg !78
  br i1 %10, label %25, label %31, !dbg !79

11:                                               ; preds = %2, %22
  %12 = phi i32 [ 64, %2 ], [ %23, %22 ]
  %13 = icmp slt i32 %3, %12, !dbg !80
  br i1 %13, label %14, label %22, !dbg !81

14:                                               ; preds = %11
  %15 = add nsw i32 %12, %3, !dbg !82
  %16 = sext i32 %15 to i64, !dbg !83
  %17 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %16, !dbg !83
  %18 = addrspacecast float addrspace(3)* %17 to float*, !dbg !83
  %19 = load float, float* %18, align 4, !dbg !83, !tbaa !32
  %20 = load float, float* %8, align 4, !dbg !84, !tbaa !32
  %21 = fadd contract float %19, %20, !dbg !84
  store float %21, float* %8, align 4, !dbg !84, !tbaa !32
  br label %22, !dbg !85

22:                                               ; preds = %14, %11
  call void @llvm.nvvm.barrier0(), !dbg !86
  %23 = lshr i32 %12, 1, !dbg !87
  %24 = icmp ult i32 %12, 2, !dbg !88
  br i1 %24, label %9, label %11, !dbg !77, !llvm.loop !89

25:                                               ; preds = %9
  %26 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 0), align 4, !dbg !91, !tbaa !32
  %27 = call float @llvm.fabs.f32(float %26), !dbg !92
  %28 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 1), align 4, !dbg !93, !tbaa !32
  %29 = call contract float @llvm.nvvm.ex2.approx.f(float %28), !dbg !94
  %30 = fadd contract float %27, %29, !dbg !95
  store float %30, float* %1, align 4, !dbg !96, !tbaa !32
  br label %31, !dbg !97

31:                                               ; preds = %25, %9
  %32 = icmp eq i32 %3, 3, !dbg !98
  %33 = zext i1 %32 to i32, !dbg !99
  %34 = call i32 @llvm.nvvm.barrier0.or(i32 %33), !dbg !100
  %35 = icmp eq i32 %34, 0, !dbg !100
  br i1 %35, label %39, label %36, !dbg !100

36:                                               ; preds = %31
  %37 = load i32, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4, !dbg !101, !tbaa !102
  %38 = call i32 @llvm.ctpop.i32(i32 %37), !dbg !104, !range !105
  store i32 %38, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4, !dbg !106, !tbaa !102
  br label %39, !dbg !107

39:                                               ; preds = %36, %31
  ret void, !dbg !108
}

; Function Attrs: convergent nounwind
declare void @llvm.nvvm.barrier0() #6

; Function Attrs: mustprogress nofree nosync nounwind readnone willreturn
declare float @llvm.nvvm.ex2.approx.f(float) #7

; Function Attrs: convergent nounwind
declare i32 @llvm.nvvm.barrier0.or(i32) #6

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.ctpop.i32(i32) #8

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.fabs.f32(float) #9

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #1 = { argmemonly mustprogress nofree nosync nounwind willreturn }
attributes #2 = { convergent mustprogress nofree norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #3 = { nofree nosync nounwind readnone speculatable }
attributes #4 = { argmemonly nofree nounwind readonly }
attributes #5 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #6 = { convergent nounwind }
attributes #7 = { mustprogress nofree nosync nounwind readnone willreturn }
attributes #8 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #9 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #10 = { nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3, !4, !5}
!llvm.module.flags = !{!6, !7, !8, !9, !10}
!llvm.ident = !{!11}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "kernels.cu", directory: "sources")
!2 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"kernel", i32 1}
!3 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"maxntidx", i32 256}
!4 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"minctasm", i32 2}
!5 = !{void (float*, float*)* @_Z3SumPKfPf, !"kernel", i32 1}
!6 = !{i32 7, !"Dwarf Version", i32 2}
!7 = !{i32 2, !"Debug Info Version", i32 3}
!8 = !{i32 1, !"wchar_size", i32 4}
!9 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!10 = !{i32 7, !"frame-pointer", i32 2}
!11 = !{!"Debian clang version 14.0.6"}
!12 = distinct !DISubprogram(name: "Grow", scope: !1, file: !1, line: 21, type: !13, scopeLine: 21, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14)
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !DILocation(line: 22, column: 3, scope: !12)
!16 = !DILocation(line: 26, column: 10, scope: !12)
!17 = !{i64 0, i64 12, !18, i64 12, i64 12, !18, i64 24, i64 8, !21}
!18 = !{!19, !19, i64 0}
!19 = !{!"omnipotent char", !20, i64 0}
!20 = !{!"Simple C++ TBAA"}
!21 = !{!22, !22, i64 0}
!22 = !{!"any pointer", !19, i64 0}
!23 = !{i64 0, i64 8, !18, i64 8, i64 12, !18, i64 20, i64 8, !21}
!24 = !{i64 0, i64 4, !18, i64 4, i64 12, !18, i64 16, i64 8, !21}
!25 = !{i64 0, i64 12, !18, i64 12, i64 8, !21}
!26 = !{i64 0, i64 8, !18, i64 8, i64 8, !21}
!27 = !{i64 0, i64 4, !18, i64 4, i64 8, !21}
!28 = !{i64 0, i64 8, !21}
!29 = !DILocation(line: 26, column: 3, scope: !12)
!30 = !DILocation(line: 23, column: 5, scope: !12)
!31 = !DILocation(line: 23, column: 16, scope: !12)
!32 = !{!33, !33, i64 0}
!33 = !{!"float", !19, i64 0}
!34 = !DILocation(line: 24, column: 5, scope: !12)
!35 = !DILocation(line: 24, column: 17, scope: !12)
!36 = !DILocation(line: 22, column: 26, scope: !12)
!37 = !DILocation(line: 22, column: 21, scope: !12)
!38 = distinct !{!38, !15, !39, !40, !41}
!39 = !DILocation(line: 25, column: 3, scope: !12)
!40 = !{!"llvm.loop.mustprogress"}
!41 = !{!"llvm.loop.unroll.disable"}
!42 = distinct !DISubprogram(name: "Hit", scope: !1, file: !1, line: 29, type: !13, scopeLine: 29, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14)
!43 = !DILocation(line: 30, column: 17, scope: !42)
!44 = !DILocation(line: 30, column: 50, scope: !42)
!45 = !DILocation(line: 30, column: 48, scope: !42)
!46 = !DILocation(line: 30, column: 82, scope: !42)
!47 = !DILocation(line: 30, column: 80, scope: !42)
!48 = !DILocation(line: 31, column: 9, scope: !42)
!49 = !DILocation(line: 31, column: 7, scope: !42)
!50 = !DILocation(line: 32, column: 3, scope: !42)
!51 = !DILocation(line: 32, column: 39, scope: !42)
!52 = !DILocation(line: 32, column: 31, scope: !42)
!53 = !DILocation(line: 32, column: 21, scope: !42)
!54 = !DILocation(line: 34, column: 3, scope: !42)
!55 = !DILocation(line: 38, column: 7, scope: !42)
!56 = !DILocation(line: 35, column: 49, scope: !42)
!57 = !DILocation(line: 35, column: 21, scope: !42)
!58 = !DILocation(line: 36, column: 21, scope: !42)
!59 = !DILocation(line: 36, column: 29, scope: !42)
!60 = !DILocation(line: 36, column: 26, scope: !42)
!61 = !DILocation(line: 36, column: 45, scope: !42)
!62 = !DILocation(line: 36, column: 53, scope: !42)
!63 = !DILocation(line: 36, column: 50, scope: !42)
!64 = !DILocation(line: 0, scope: !42)
!65 = !DILocation(line: 34, column: 32, scope: !42)
!66 = !DILocation(line: 34, column: 27, scope: !42)
!67 = distinct !{!67, !54, !68, !40, !41}
!68 = !DILocation(line: 37, column: 3, scope: !42)
!69 = !DILocation(line: 38, column: 15, scope: !42)
!70 = !DILocation(line: 39, column: 1, scope: !42)
!71 = distinct !DISubprogram(name: "Sum", scope: !1, file: !1, line: 41, type: !13, scopeLine: 41, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14)
!72 = !DILocation(line: 42, column: 22, scope: !71)
!73 = !DILocation(line: 43, column: 21, scope: !71)
!74 = !DILocation(line: 43, column: 3, scope: !71)
!75 = !DILocation(line: 43, column: 19, scope: !71)
!76 = !DILocation(line: 44, column: 3, scope: !71)
!77 = !DILocation(line: 45, column: 3, scope: !71)
!78 = !DILocation(line: 49, column: 14, scope: !71)
!79 = !DILocation(line: 49, column: 7, scope: !71)
!80 = !DILocation(line: 46, column: 16, scope: !71)
!81 = !DILocation(line: 46, column: 9, scope: !71)
!82 = !DILocation(line: 46, column: 59, scope: !71)
!83 = !DILocation(line: 46, column: 44, scope: !71)
!84 = !DILocation(line: 46, column: 41, scope: !71)
!85 = !DILocation(line: 46, column: 25, scope: !71)
!86 = !DILocation(line: 47, column: 5, scope: !71)
!87 = !DILocation(line: 45, column: 41, scope: !71)
!88 = !DILocation(line: 45, column: 30, scope: !71)
!89 = distinct !{!89, !77, !90, !40, !41}
!90 = !DILocation(line: 48, column: 3, scope: !71)
!91 = !DILocation(line: 49, column: 41, scope: !71)
!92 = !DILocation(line: 49, column: 27, scope: !71)
!93 = !DILocation(line: 49, column: 75, scope: !71)
!94 = !DILocation(line: 49, column: 55, scope: !71)
!95 = !DILocation(line: 49, column: 53, scope: !71)
!96 = !DILocation(line: 49, column: 25, scope: !71)
!97 = !DILocation(line: 49, column: 20, scope: !71)
!98 = !DILocation(line: 50, column: 29, scope: !71)
!99 = !DILocation(line: 50, column: 22, scope: !71)
!100 = !DILocation(line: 50, column: 7, scope: !71)
!101 = !DILocation(line: 50, column: 65, scope: !71)
!102 = !{!103, !103, i64 0}
!103 = !{!"int", !19, i64 0}
!104 = !DILocation(line: 50, column: 46, scope: !71)
!105 = !{i32 0, i32 33}
!106 = !DILocation(line: 50, column: 44, scope: !71)
!107 = !DILocation(line: 50, column: 36, scope: !71)
!108 = !DILocation(line: 51, column: 1, scope: !71)
