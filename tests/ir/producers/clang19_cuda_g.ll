; Made by make_producers.py with Debian clang version 19.1.7 (3~deb12u1).
; ModuleID = 'kernels.cu'
source_filename = "kernels.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Box = type { [3 x float], [3 x float], ptr }

@table = dso_local addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4
@counter = dso_local addrspace(1) externally_initialized global i32 0, align 4
@dynamic = external dso_local local_unnamed_addr addrspace(3) global [0 x float], align 4
@llvm.compiler.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr addrspacecast (ptr addrspace(4) @table to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local %struct.Box @_Z4Grow3Boxf(ptr nocapture noundef byval(%struct.Box) align 8 %0, float noundef %1) local_unnamed_addr #0 !dbg !12 {
  %3 = getelementptr inbounds i8, ptr %0, i64 12
  br label %25, !dbg !15

4:                                                ; preds = %25
  %5 = load float, ptr %0, align 8, !dbg !16
  %6 = getelementptr inbounds i8, ptr %0, i64 4, !dbg !16
  %7 = load float, ptr %6, align 4, !dbg !16
  %8 = getelementptr inbounds i8, ptr %0, i64 8, !dbg !16
  %9 = load float, ptr %8, align 8, !dbg !16, !tbaa !17
  %10 = getelementptr inbounds i8, ptr %0, i64 12, !dbg !16
  %11 = load float, ptr %10, align 4, !dbg !16
  %12 = getelementptr inbounds i8, ptr %0, i64 16, !dbg !16
  %13 = load float, ptr %12, align 8, !dbg !16
  %14 = getelementptr inbounds i8, ptr %0, i64 20, !dbg !16
  %15 = load float, ptr %14, align 4, !dbg !16, !tbaa !17
  %16 = getelementptr inbounds i8, ptr %0, i64 24, !dbg !16
  %17 = load ptr, ptr %16, align 8, !dbg !16, !tbaa !20
  %18 = insertvalue %struct.Box poison, float %5, 0, 0, !dbg !22
  %19 = insertvalue %struct.Box %18, float %7, 0, 1, !dbg !22
  %20 = insertvalue %struct.Box %19, float %9, 0, 2, !dbg !22
  %21 = insertvalue %struct.Box %20, float %11, 1, 0, !dbg !22
  %22 = insertvalue %struct.Box %21, float %13, 1, 1, !dbg !22
  %23 = insertvalue %struct.Box %22, float %15, 1, 2, !dbg !22
  %24 = insertvalue %struct.Box %23, ptr %17, 2, !dbg !22
  ret %struct.Box %24, !dbg !22

25:                                               ; preds = %2, %25
  %26 = phi i32 [ 0, %2 ], [ %34, %25 ]
  %27 = zext nneg i32 %26 to i64, !dbg !23
  %28 = getelementptr inbounds [3 x float], ptr %0, i64 0, i64 %27, !dbg !23
  %29 = load float, ptr %28, align 4, !dbg !24, !tbaa !25
  %30 = fsub contract float %29, %1, !dbg !24
  store float %30, ptr %28, align 4, !dbg !24, !tbaa !25
  %31 = getelementptr inbounds [3 x float], ptr %3, i64 0, i64 %27, !dbg !27
  %32 = load float, ptr %31, align 4, !dbg !28, !tbaa !25
  %33 = fadd contract float %32, %1, !dbg !28
  store float %33, ptr %31, align 4, !dbg !28, !tbaa !25
  %34 = add nuw nsw i32 %26, 1, !dbg !29
  %35 = icmp eq i32 %34, 3, !dbg !30
  br i1 %35, label %4, label %25, !dbg !15, !llvm.loop !31
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nofree norecurse nounwind memory(readwrite, inaccessiblemem: none)
define dso_local void @_Z3Hit3BoxPKfi(ptr nocapture noundef readonly byval(%struct.Box) align 8 %0, ptr noalias nocapture noundef readonly %1, i32 noundef %2) local_unnamed_addr #2 !dbg !35 {
  %4 = alloca %struct.Box, align 8
  %5 = tail call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !36
  %6 = tail call range(i32 1, 257) i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !37
  %7 = mul nuw nsw i32 %5, %6, !dbg !38
  %8 = tail call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !39
  %9 = add nuw nsw i32 %7, %8, !dbg !40
  %10 = icmp slt i32 %9, %2, !dbg !41
  br i1 %10, label %11, label %57, !dbg !42

11:                                               ; preds = %3
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4) #8, !dbg !43
  %12 = and i32 %9, 3, !dbg !44
  %13 = zext nneg i32 %12 to i64, !dbg !45
  %14 = getelementptr inbounds [4 x float], ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 0, i64 %13, !dbg !45
  %15 = load float, ptr %14, align 4, !dbg !45, !tbaa !25
  %16 = tail call %struct.Box @_Z4Grow3Boxf(ptr noundef nonnull byval(%struct.Box) align 8 %0, float noundef %15) #8, !dbg !46
  %17 = extractvalue %struct.Box %16, 0, !dbg !46
  %18 = extractvalue [3 x float] %17, 0, !dbg !46
  store float %18, ptr %4, align 8, !dbg !46
  %19 = extractvalue [3 x float] %17, 1, !dbg !46
  %20 = getelementptr inbounds i8, ptr %4, i64 4, !dbg !46
  store float %19, ptr %20, align 4, !dbg !46
  %21 = extractvalue [3 x float] %17, 2, !dbg !46
  %22 = getelementptr inbounds i8, ptr %4, i64 8, !dbg !46
  store float %21, ptr %22, align 8, !dbg !46
  %23 = getelementptr inbounds i8, ptr %4, i64 12, !dbg !46
  %24 = extractvalue %struct.Box %16, 1, !dbg !46
  %25 = extractvalue [3 x float] %24, 0, !dbg !46
  store float %25, ptr %23, align 4, !dbg !46
  %26 = extractvalue [3 x float] %24, 1, !dbg !46
  %27 = getelementptr inbounds i8, ptr %4, i64 16, !dbg !46
  store float %26, ptr %27, align 8, !dbg !46
  %28 = extractvalue [3 x float] %24, 2, !dbg !46
  %29 = getelementptr inbounds i8, ptr %4, i64 20, !dbg !46
  store float %28, ptr %29, align 4, !dbg !46
  %30 = getelementptr inbounds i8, ptr %4, i64 24, !dbg !46
  %31 = extractvalue %struct.Box %16, 2, !dbg !46
  store ptr %31, ptr %30, align 8, !dbg !46
  %32 = mul nuw nsw i32 %9, 3
  %33 = zext nneg i32 %32 to i64
  %34 = getelementptr inbounds float, ptr %1, i64 %33
  br label %36, !dbg !47

35:                                               ; preds = %50
  br i1 %51, label %54, label %56, !dbg !48

36:                                               ; preds = %11, %50
  %37 = phi i32 [ 0, %11 ], [ %52, %50 ]
  %38 = phi i1 [ true, %11 ], [ %51, %50 ]
  %39 = zext nneg i32 %37 to i64, !dbg !49
  %40 = getelementptr inbounds float, ptr %34, i64 %39, !dbg !49
  %41 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0(ptr %40, i32 4), !dbg !50
  br i1 %38, label %42, label %50, !dbg !51

42:                                               ; preds = %36
  %43 = getelementptr inbounds [3 x float], ptr %4, i64 0, i64 %39, !dbg !52
  %44 = load float, ptr %43, align 4, !dbg !52, !tbaa !25
  %45 = fcmp contract ult float %41, %44, !dbg !53
  br i1 %45, label %50, label %46, !dbg !54

46:                                               ; preds = %42
  %47 = getelementptr inbounds [3 x float], ptr %23, i64 0, i64 %39, !dbg !55
  %48 = load float, ptr %47, align 4, !dbg !55, !tbaa !25
  %49 = fcmp contract ole float %41, %48, !dbg !56
  br label %50

50:                                               ; preds = %46, %42, %36
  %51 = phi i1 [ false, %42 ], [ false, %36 ], [ %49, %46 ], !dbg !57
  %52 = add nuw nsw i32 %37, 1, !dbg !58
  %53 = icmp eq i32 %52, 3, !dbg !59
  br i1 %53, label %35, label %36, !dbg !47, !llvm.loop !60

54:                                               ; preds = %35
  %55 = atomicrmw add ptr %31, i32 1 seq_cst, align 4, !dbg !62
  br label %56, !dbg !62

56:                                               ; preds = %54, %35
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4) #8, !dbg !63
  br label %57, !dbg !63

57:                                               ; preds = %3, %56
  ret void, !dbg !63
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: nocallback nofree nounwind memory(argmem: read)
declare float @llvm.nvvm.ldg.global.f.f32.p0(ptr nocapture, i32) #4

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z3SumPKfPf(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #5 !dbg !64 {
  %3 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !65
  %4 = zext nneg i32 %3 to i64, !dbg !66
  %5 = getelementptr inbounds float, ptr %0, i64 %4, !dbg !66
  %6 = load float, ptr %5, align 4, !dbg !66, !tbaa !25
  %7 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %4, !dbg !67
  store float %6, ptr %7, align 4, !dbg !68, !tbaa !25
  tail call void @llvm.nvvm.barrier0(), !dbg !69
  br label %10, !dbg !70

8:                                                ; preds = %20
  %9 = icmp eq i32 %3, 0, !dbg !71
  br i1 %9, label %23, label %29, !dbg !72

10:                                               ; preds = %2, %20
  %11 = phi i32 [ 64, %2 ], [ %21, %20 ]
  %12 = icmp ult i32 %3, %11, !dbg !73
  br i1 %12, label %13, label %20, !dbg !74

13:                                               ; preds = %10
  %14 = add nuw nsw i32 %11, %3, !dbg !75
  %15 = zext nneg i32 %14 to i64, !dbg !76
  %16 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %15, !dbg !76
  %17 = load float, ptr %16, align 4, !dbg !76, !tbaa !25
  %18 = load float, ptr %7, align 4, !dbg !77, !tbaa !25
  %19 = fadd contract float %17, %18, !dbg !77
  store float %19, ptr %7, align 4, !dbg !77, !tbaa !25
  br label %20, !dbg !78

20:                                               ; preds = %13, %10
  tail call void @llvm.nvvm.barrier0(), !dbg !79
  %21 = lshr i32 %11, 1, !dbg !80
  %22 = icmp ult i32 %11, 2, !dbg !81
  br i1 %22, label %8, label %10, !dbg !70, !llvm.loop !82

23:                                               ; preds = %8
  %24 = load float, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), align 4, !dbg !84, !tbaa !25
  %25 = tail call contract float @llvm.nvvm.fabs.f(float %24), !dbg !85
  %26 = load float, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 4), align 4, !dbg !86, !tbaa !25
  %27 = tail call contract float @llvm.nvvm.ex2.approx.f(float %26), !dbg !87
  %28 = fadd contract float %25, %27, !dbg !88
  store float %28, ptr %1, align 4, !dbg !89, !tbaa !25
  br label %29, !dbg !90

29:                                               ; preds = %23, %8
  %30 = icmp eq i32 %3, 3, !dbg !91
  %31 = zext i1 %30 to i32, !dbg !92
  %32 = tail call i32 @llvm.nvvm.barrier0.or(i32 %31), !dbg !93
  %33 = icmp eq i32 %32, 0, !dbg !93
  br i1 %33, label %37, label %34, !dbg !93

34:                                               ; preds = %29
  %35 = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4, !dbg !94, !tbaa !95
  %36 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %35), !dbg !97
  store i32 %36, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4, !dbg !98, !tbaa !95
  br label %37, !dbg !99

37:                                               ; preds = %34, %29
  ret void, !dbg !100
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #6

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fabs.f(float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f(float) #7

; Function Attrs: convergent nocallback nounwind
declare i32 @llvm.nvvm.barrier0.or(i32) #6

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #3

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nofree norecurse nounwind memory(readwrite, inaccessiblemem: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" "uniform-work-group-size"="true" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nounwind memory(argmem: read) }
attributes #5 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx85,+sm_70" "uniform-work-group-size"="true" }
attributes #6 = { convergent nocallback nounwind }
attributes #7 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #8 = { nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2, !3, !4, !5}
!llvm.module.flags = !{!6, !7, !8, !9, !10}
!llvm.ident = !{!11}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "kernels.cu", directory: "sources")
!2 = !{ptr @_Z3Hit3BoxPKfi, !"kernel", i32 1}
!3 = !{ptr @_Z3Hit3BoxPKfi, !"maxntidx", i32 256}
!4 = !{ptr @_Z3Hit3BoxPKfi, !"minctasm", i32 2}
!5 = !{ptr @_Z3SumPKfPf, !"kernel", i32 1}
!6 = !{i32 7, !"Dwarf Version", i32 2}
!7 = !{i32 2, !"Debug Info Version", i32 3}
!8 = !{i32 1, !"wchar_size", i32 4}
!9 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!10 = !{i32 7, !"frame-pointer", i32 2}
!11 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!12 = distinct !DISubprogram(name: "Grow", scope: !1, file: !1, line: 21, type: !13, scopeLine: 21, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !DILocation(line: 22, column: 3, scope: !12)
!16 = !DILocation(line: 26, column: 10, scope: !12)
!17 = !{!18, !18, i64 0}
!18 = !{!"omnipotent char", !19, i64 0}
!19 = !{!"Simple C++ TBAA"}
!20 = !{!21, !21, i64 0}
!21 = !{!"any pointer", !18, i64 0}
!22 = !DILocation(line: 26, column: 3, scope: !12)
!23 = !DILocation(line: 23, column: 5, scope: !12)
!24 = !DILocation(line: 23, column: 16, scope: !12)
!25 = !{!26, !26, i64 0}
!26 = !{!"float", !18, i64 0}
!27 = !DILocation(line: 24, column: 5, scope: !12)
!28 = !DILocation(line: 24, column: 17, scope: !12)
!29 = !DILocation(line: 22, column: 26, scope: !12)
!30 = !DILocation(line: 22, column: 21, scope: !12)
!31 = distinct !{!31, !15, !32, !33, !34}
!32 = !DILocation(line: 25, column: 3, scope: !12)
!33 = !{!"llvm.loop.mustprogress"}
!34 = !{!"llvm.loop.unroll.disable"}
!35 = distinct !DISubprogram(name: "Hit", scope: !1, file: !1, line: 29, type: !13, scopeLine: 29, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!36 = !DILocation(line: 30, column: 17, scope: !35)
!37 = !DILocation(line: 30, column: 50, scope: !35)
!38 = !DILocation(line: 30, column: 48, scope: !35)
!39 = !DILocation(line: 30, column: 82, scope: !35)
!40 = !DILocation(line: 30, column: 80, scope: !35)
!41 = !DILocation(line: 31, column: 9, scope: !35)
!42 = !DILocation(line: 31, column: 7, scope: !35)
!43 = !DILocation(line: 32, column: 3, scope: !35)
!44 = !DILocation(line: 32, column: 39, scope: !35)
!45 = !DILocation(line: 32, column: 31, scope: !35)
!46 = !DILocation(line: 32, column: 21, scope: !35)
!47 = !DILocation(line: 34, column: 3, scope: !35)
!48 = !DILocation(line: 38, column: 7, scope: !35)
!49 = !DILocation(line: 35, column: 49, scope: !35)
!50 = !DILocation(line: 35, column: 21, scope: !35)
!51 = !DILocation(line: 36, column: 21, scope: !35)
!52 = !DILocation(line: 36, column: 29, scope: !35)
!53 = !DILocation(line: 36, column: 26, scope: !35)
!54 = !DILocation(line: 36, column: 45, scope: !35)
!55 = !DILocation(line: 36, column: 53, scope: !35)
!56 = !DILocation(line: 36, column: 50, scope: !35)
!57 = !DILocation(line: 0, scope: !35)
!58 = !DILocation(line: 34, column: 32, scope: !35)
!59 = !DILocation(line: 34, column: 27, scope: !35)
!60 = distinct !{!60, !47, !61, !33, !34}
!61 = !DILocation(line: 37, column: 3, scope: !35)
!62 = !DILocation(line: 38, column: 15, scope: !35)
!63 = !DILocation(line: 39, column: 1, scope: !35)
!64 = distinct !DISubprogram(name: "Sum", scope: !1, file: !1, line: 41, type: !13, scopeLine: 41, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!65 = !DILocation(line: 42, column: 22, scope: !64)
!66 = !DILocation(line: 43, column: 21, scope: !64)
!67 = !DILocation(line: 43, column: 3, scope: !64)
!68 = !DILocation(line: 43, column: 19, scope: !64)
!69 = !DILocation(line: 44, column: 3, scope: !64)
!70 = !DILocation(line: 45, column: 3, scope: !64)
!71 = !DILocation(line: 49, column: 14, scope: !64)
!72 = !DILocation(line: 49, column: 7, scope: !64)
!73 = !DILocation(line: 46, column: 16, scope: !64)
!74 = !DILocation(line: 46, column: 9, scope: !64)
!75 = !DILocation(line: 46, column: 59, scope: !64)
!76 = !DILocation(line: 46, column: 44, scope: !64)
!77 = !DILocation(line: 46, column: 41, scope: !64)
!78 = !DILocation(line: 46, column: 25, scope: !64)
!79 = !DILocation(line: 47, column: 5, scope: !64)
!80 = !DILocation(line: 45, column: 41, scope: !64)
!81 = !DILocation(line: 45, column: 30, scope: !64)
!82 = distinct !{!82, !70, !83, !33, !34}
!83 = !DILocation(line: 48, column: 3, scope: !64)
!84 = !DILocation(line: 49, column: 41, scope: !64)
!85 = !DILocation(line: 49, column: 27, scope: !64)
!86 = !DILocation(line: 49, column: 75, scope: !64)
!87 = !DILocation(line: 49, column: 55, scope: !64)
!88 = !DILocation(line: 49, column: 53, scope: !64)
!89 = !DILocation(line: 49, column: 25, scope: !64)
!90 = !DILocation(line: 49, column: 20, scope: !64)
!91 = !DILocation(line: 50, column: 29, scope: !64)
!92 = !DILocation(line: 50, column: 22, scope: !64)
!93 = !DILocation(line: 50, column: 7, scope: !64)
!94 = !DILocation(line: 50, column: 65, scope: !64)
!95 = !{!96, !96, i64 0}
!96 = !{!"int", !18, i64 0}
!97 = !DILocation(line: 50, column: 46, scope: !64)
!98 = !DILocation(line: 50, column: 44, scope: !64)
!99 = !DILocation(line: 50, column: 36, scope: !64)
!100 = !DILocation(line: 51, column: 1, scope: !64)
