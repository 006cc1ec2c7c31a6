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
define dso_local %struct.Box @_Z4Grow3Boxf(%struct.Box* nocapture noundef byval(%struct.Box) align 8 %0, float noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 0
  %4 = load float, float* %3, align 8, !tbaa !8
  %5 = fsub contract float %4, %1
  %6 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 0
  %7 = load float, float* %6, align 4, !tbaa !8
  %8 = fadd contract float %7, %1
  %9 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 1
  %10 = load float, float* %9, align 4, !tbaa !8
  %11 = fsub contract float %10, %1
  %12 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 1
  %13 = load float, float* %12, align 8, !tbaa !8
  %14 = fadd contract float %13, %1
  %15 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 0, i64 2
  %16 = load float, float* %15, align 8, !tbaa !8
  %17 = fsub contract float %16, %1
  %18 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 1, i64 2
  %19 = load float, float* %18, align 4, !tbaa !8
  %20 = fadd contract float %19, %1
  %21 = getelementptr inbounds %struct.Box, %struct.Box* %0, i64 0, i32 2
  %22 = load i32*, i32** %21, align 8, !tbaa.struct !12
  %23 = insertvalue %struct.Box poison, float %5, 0, 0
  %24 = insertvalue %struct.Box %23, float %11, 0, 1
  %25 = insertvalue %struct.Box %24, float %17, 0, 2
  %26 = insertvalue %struct.Box %25, float %8, 1, 0
  %27 = insertvalue %struct.Box %26, float %14, 1, 1
  %28 = insertvalue %struct.Box %27, float %20, 1, 2
  %29 = insertvalue %struct.Box %28, i32* %22, 2
  ret %struct.Box %29
}

; Function Attrs: convergent mustprogress nofree norecurse nounwind
define dso_local void @_Z3Hit3BoxPKfi(%struct.Box* nocapture noundef readonly byval(%struct.Box) align 8 %0, float* noalias nocapture noundef readonly %1, i32 noundef %2) local_unnamed_addr #1 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nsw i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nsw i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %49

10:                                               ; preds = %3
  %11 = and i32 %8, 3
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds [4 x float], [4 x float] addrspace(4)* @table, i64 0, i64 %12
  %14 = addrspacecast float addrspace(4)* %13 to float*
  %15 = load float, float* %14, align 4, !tbaa !8
  %16 = tail call %struct.Box @_Z4Grow3Boxf(%struct.Box* noundef nonnull byval(%struct.Box) align 8 %0, float noundef %15) #9
  %17 = extractvalue %struct.Box %16, 0
  %18 = extractvalue [3 x float] %17, 1
  %19 = extractvalue [3 x float] %17, 2
  %20 = extractvalue %struct.Box %16, 1
  %21 = extractvalue [3 x float] %20, 0
  %22 = extractvalue [3 x float] %20, 2
  %23 = extractvalue %struct.Box %16, 2
  %24 = mul nsw i32 %8, 3
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds float, float* %1, i64 %25
  %27 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0f32(float* %26, i32 4)
  %28 = extractvalue [3 x float] %17, 0
  %29 = fcmp contract ult float %27, %28
  %30 = fcmp contract ugt float %27, %21
  %31 = select i1 %29, i1 true, i1 %30
  %32 = getelementptr inbounds float, float* %26, i64 1
  %33 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nonnull %32, i32 4)
  %34 = fcmp contract ult float %33, %18
  %35 = select i1 %31, i1 true, i1 %34
  br i1 %35, label %39, label %36

36:                                               ; preds = %10
  %37 = extractvalue [3 x float] %20, 1
  %38 = fcmp contract ole float %33, %37
  br label %39

39:                                               ; preds = %36, %10
  %40 = phi i1 [ false, %10 ], [ %38, %36 ]
  %41 = getelementptr inbounds float, float* %26, i64 2
  %42 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nonnull %41, i32 4)
  %43 = fcmp contract oge float %42, %19
  %44 = select i1 %40, i1 %43, i1 false
  %45 = fcmp contract ole float %42, %22
  %46 = select i1 %44, i1 %45, i1 false
  br i1 %46, label %47, label %49

47:                                               ; preds = %39
  %48 = atomicrmw add i32* %23, i32 1 seq_cst, align 4
  br label %49

49:                                               ; preds = %47, %39, %3
  ret void
}

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: argmemonly nofree nounwind readonly
declare float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nocapture, i32) #3

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z3SumPKfPf(float* nocapture noundef readonly %0, float* nocapture noundef writeonly %1) local_unnamed_addr #4 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds float, float* %0, i64 %4
  %6 = load float, float* %5, align 4, !tbaa !8
  %7 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %4
  %8 = addrspacecast float addrspace(3)* %7 to float*
  store float %6, float* %8, align 4, !tbaa !8
  tail call void @llvm.nvvm.barrier0()
  %9 = icmp slt i32 %3, 64
  br i1 %9, label %10, label %18

10:                                               ; preds = %2
  %11 = add nsw i32 %3, 64
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %12
  %14 = addrspacecast float addrspace(3)* %13 to float*
  %15 = load float, float* %14, align 4, !tbaa !8
  %16 = load float, float* %8, align 4, !tbaa !8
  %17 = fadd contract float %15, %16
  store float %17, float* %8, align 4, !tbaa !8
  br label %18

18:                                               ; preds = %10, %2
  tail call void @llvm.nvvm.barrier0()
  %19 = icmp slt i32 %3, 32
  br i1 %19, label %20, label %28

20:                                               ; preds = %18
  %21 = add nsw i32 %3, 32
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %22
  %24 = addrspacecast float addrspace(3)* %23 to float*
  %25 = load float, float* %24, align 4, !tbaa !8
  %26 = load float, float* %8, align 4, !tbaa !8
  %27 = fadd contract float %25, %26
  store float %27, float* %8, align 4, !tbaa !8
  br label %28

28:                                               ; preds = %20, %18
  tail call void @llvm.nvvm.barrier0()
  %29 = icmp slt i32 %3, 16
  br i1 %29, label %30, label %38

30:                                               ; preds = %28
  %31 = add nsw i32 %3, 16
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %32
  %34 = addrspacecast float addrspace(3)* %33 to float*
  %35 = load float, float* %34, align 4, !tbaa !8
  %36 = load float, float* %8, align 4, !tbaa !8
  %37 = fadd contract float %35, %36
  store float %37, float* %8, align 4, !tbaa !8
  br label %38

38:                                               ; preds = %30, %28
  tail call void @llvm.nvvm.barrier0()
  %39 = icmp slt i32 %3, 8
  br i1 %39, label %40, label %48

40:                                               ; preds = %38
  %41 = add nsw i32 %3, 8
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %42
  %44 = addrspacecast float addrspace(3)* %43 to float*
  %45 = load float, float* %44, align 4, !tbaa !8
  %46 = load float, float* %8, align 4, !tbaa !8
  %47 = fadd contract float %45, %46
  store float %47, float* %8, align 4, !tbaa !8
  br label %48

48:                                               ; preds = %40, %38
  tail call void @llvm.nvvm.barrier0()
  %49 = icmp slt i32 %3, 4
  br i1 %49, label %50, label %58

50:                                               ; preds = %48
  %51 = add nsw i32 %3, 4
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %52
  %54 = addrspacecast float addrspace(3)* %53 to float*
  %55 = load float, float* %54, align 4, !tbaa !8
  %56 = load float, float* %8, align 4, !tbaa !8
  %57 = fadd contract float %55, %56
  store float %57, float* %8, align 4, !tbaa !8
  br label %58

58:                                               ; preds = %50, %48
  tail call void @llvm.nvvm.barrier0()
  %59 = icmp slt i32 %3, 2
  br i1 %59, label %60, label %68

60:                                               ; preds = %58
  %61 = add nsw i32 %3, 2
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %62
  %64 = addrspacecast float addrspace(3)* %63 to float*
  %65 = load float, float* %64, align 4, !tbaa !8
  %66 = load float, float* %8, align 4, !tbaa !8
  %67 = fadd contract float %65, %66
  store float %67, float* %8, align 4, !tbaa !8
  br label %68

68:                                               ; preds = %60, %58
  tail call void @llvm.nvvm.barrier0()
  %69 = icmp slt i32 %3, 1
  br i1 %69, label %70, label %78

70:                                               ; preds = %68
  %71 = add nsw i32 %3, 1
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds [0 x float], [0 x float] addrspace(3)* @dynamic, i64 0, i64 %72
  %74 = addrspacecast float addrspace(3)* %73 to float*
  %75 = load float, float* %74, align 4, !tbaa !8
  %76 = load float, float* %8, align 4, !tbaa !8
  %77 = fadd contract float %75, %76
  store float %77, float* %8, align 4, !tbaa !8
  br label %78

78:                                               ; preds = %70, %68
  tail call void @llvm.nvvm.barrier0()
  %79 = icmp eq i32 %3, 0
  br i1 %79, label %80, label %86

80:                                               ; preds = %78
  %81 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 0), align 4, !tbaa !8
  %82 = tail call float @llvm.fabs.f32(float %81)
  %83 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 1), align 4, !tbaa !8
  %84 = tail call contract float @llvm.nvvm.ex2.approx.f(float %83)
  %85 = fadd contract float %82, %84
  store float %85, float* %1, align 4, !tbaa !8
  br label %86

86:                                               ; preds = %80, %78
  %87 = icmp eq i32 %3, 3
  %88 = zext i1 %87 to i32
  %89 = tail call i32 @llvm.nvvm.barrier0.or(i32 %88)
  %90 = icmp eq i32 %89, 0
  br i1 %90, label %94, label %91

91:                                               ; preds = %86
  %92 = load i32, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4, !tbaa !15
  %93 = tail call i32 @llvm.ctpop.i32(i32 %92), !range !17
  store i32 %93, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4, !tbaa !15
  br label %94

94:                                               ; preds = %91, %86
  ret void
}

; Function Attrs: convergent nounwind
declare void @llvm.nvvm.barrier0() #5

; Function Attrs: mustprogress nofree nosync nounwind readnone willreturn
declare float @llvm.nvvm.ex2.approx.f(float) #6

; Function Attrs: convergent nounwind
declare i32 @llvm.nvvm.barrier0.or(i32) #5

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.ctpop.i32(i32) #7

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.fabs.f32(float) #8

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #1 = { convergent mustprogress nofree norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { argmemonly nofree nounwind readonly }
attributes #4 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #5 = { convergent nounwind }
attributes #6 = { mustprogress nofree nosync nounwind readnone willreturn }
attributes #7 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #8 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #9 = { nounwind }

!nvvm.annotations = !{!0, !1, !2, !3}
!llvm.module.flags = !{!4, !5, !6}
!llvm.ident = !{!7}

!0 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"kernel", i32 1}
!1 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"maxntidx", i32 256}
!2 = !{void (%struct.Box*, float*, i32)* @_Z3Hit3BoxPKfi, !"minctasm", i32 2}
!3 = !{void (float*, float*)* @_Z3SumPKfPf, !"kernel", i32 1}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 14.0.6"}
!8 = !{!9, !9, i64 0}
!9 = !{!"float", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C++ TBAA"}
!12 = !{i64 0, i64 8, !13}
!13 = !{!14, !14, i64 0}
!14 = !{!"any pointer", !10, i64 0}
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !10, i64 0}
!17 = !{i32 0, i32 33}
