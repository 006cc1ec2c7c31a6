; Made by make_producers.py with Debian clang version 16.0.6 (15~deb12u1).
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
define dso_local %struct.Box @_Z4Grow3Boxf(ptr nocapture noundef byval(%struct.Box) align 8 %0, float noundef %1) local_unnamed_addr #0 {
  %3 = load float, ptr %0, align 8, !tbaa !8
  %4 = fsub contract float %3, %1
  %5 = getelementptr inbounds %struct.Box, ptr %0, i64 0, i32 1, i64 0
  %6 = load float, ptr %5, align 4, !tbaa !8
  %7 = fadd contract float %6, %1
  %8 = getelementptr inbounds [3 x float], ptr %0, i64 0, i64 1
  %9 = load float, ptr %8, align 4, !tbaa !8
  %10 = fsub contract float %9, %1
  %11 = getelementptr inbounds %struct.Box, ptr %0, i64 0, i32 1, i64 1
  %12 = load float, ptr %11, align 8, !tbaa !8
  %13 = fadd contract float %12, %1
  %14 = getelementptr inbounds [3 x float], ptr %0, i64 0, i64 2
  %15 = load float, ptr %14, align 8, !tbaa !8
  %16 = fsub contract float %15, %1
  %17 = getelementptr inbounds %struct.Box, ptr %0, i64 0, i32 1, i64 2
  %18 = load float, ptr %17, align 4, !tbaa !8
  %19 = fadd contract float %18, %1
  %20 = getelementptr inbounds i8, ptr %0, i64 24
  %21 = load ptr, ptr %20, align 8, !tbaa.struct !12
  %22 = insertvalue %struct.Box poison, float %4, 0, 0
  %23 = insertvalue %struct.Box %22, float %10, 0, 1
  %24 = insertvalue %struct.Box %23, float %16, 0, 2
  %25 = insertvalue %struct.Box %24, float %7, 1, 0
  %26 = insertvalue %struct.Box %25, float %13, 1, 1
  %27 = insertvalue %struct.Box %26, float %19, 1, 2
  %28 = insertvalue %struct.Box %27, ptr %21, 2
  ret %struct.Box %28
}

; Function Attrs: convergent mustprogress nofree norecurse nounwind memory(readwrite, inaccessiblemem: none)
define dso_local void @_Z3Hit3BoxPKfi(ptr nocapture noundef readonly byval(%struct.Box) align 8 %0, ptr noalias nocapture noundef readonly %1, i32 noundef %2) local_unnamed_addr #1 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = mul nsw i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nsw i32 %6, %7
  %9 = icmp slt i32 %8, %2
  br i1 %9, label %10, label %48

10:                                               ; preds = %3
  %11 = and i32 %8, 3
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds [4 x float], ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !8
  %15 = tail call %struct.Box @_Z4Grow3Boxf(ptr noundef nonnull byval(%struct.Box) align 8 %0, float noundef %14) #8
  %16 = extractvalue %struct.Box %15, 0
  %17 = extractvalue [3 x float] %16, 1
  %18 = extractvalue [3 x float] %16, 2
  %19 = extractvalue %struct.Box %15, 1
  %20 = extractvalue [3 x float] %19, 0
  %21 = extractvalue [3 x float] %19, 2
  %22 = extractvalue %struct.Box %15, 2
  %23 = mul nsw i32 %8, 3
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds float, ptr %1, i64 %24
  %26 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0(ptr %25, i32 4)
  %27 = extractvalue [3 x float] %16, 0
  %28 = fcmp contract ult float %26, %27
  %29 = fcmp contract ugt float %26, %20
  %30 = select i1 %28, i1 true, i1 %29
  %31 = getelementptr inbounds float, ptr %25, i64 1
  %32 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0(ptr nonnull %31, i32 4)
  %33 = fcmp contract ult float %32, %17
  %34 = select i1 %30, i1 true, i1 %33
  br i1 %34, label %38, label %35

35:                                               ; preds = %10
  %36 = extractvalue [3 x float] %19, 1
  %37 = fcmp contract ole float %32, %36
  br label %38

38:                                               ; preds = %35, %10
  %39 = phi i1 [ false, %10 ], [ %37, %35 ]
  %40 = getelementptr inbounds float, ptr %25, i64 2
  %41 = tail call contract float @llvm.nvvm.ldg.global.f.f32.p0(ptr nonnull %40, i32 4)
  %42 = fcmp contract oge float %41, %18
  %43 = select i1 %39, i1 %42, i1 false
  %44 = fcmp contract ole float %41, %21
  %45 = select i1 %43, i1 %44, i1 false
  br i1 %45, label %46, label %48

46:                                               ; preds = %38
  %47 = atomicrmw add ptr %22, i32 1 seq_cst, align 4
  br label %48

48:                                               ; preds = %46, %38, %3
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: nocallback nofree nounwind memory(argmem: read)
declare float @llvm.nvvm.ldg.global.f.f32.p0(ptr nocapture, i32) #3

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @_Z3SumPKfPf(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #4 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds float, ptr %0, i64 %4
  %6 = load float, ptr %5, align 4, !tbaa !8
  %7 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %4
  store float %6, ptr %7, align 4, !tbaa !8
  tail call void @llvm.nvvm.barrier0()
  %8 = icmp slt i32 %3, 64
  br i1 %8, label %9, label %16

9:                                                ; preds = %2
  %10 = add nsw i32 %3, 64
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !8
  %14 = load float, ptr %7, align 4, !tbaa !8
  %15 = fadd contract float %13, %14
  store float %15, ptr %7, align 4, !tbaa !8
  br label %16

16:                                               ; preds = %9, %2
  tail call void @llvm.nvvm.barrier0()
  %17 = icmp slt i32 %3, 32
  br i1 %17, label %18, label %25

18:                                               ; preds = %16
  %19 = add nsw i32 %3, 32
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !8
  %23 = load float, ptr %7, align 4, !tbaa !8
  %24 = fadd contract float %22, %23
  store float %24, ptr %7, align 4, !tbaa !8
  br label %25

25:                                               ; preds = %18, %16
  tail call void @llvm.nvvm.barrier0()
  %26 = icmp slt i32 %3, 16
  br i1 %26, label %27, label %34

27:                                               ; preds = %25
  %28 = add nsw i32 %3, 16
  %29 = sext i32 %28 to i64
  %30 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %29
  %31 = load float, ptr %30, align 4, !tbaa !8
  %32 = load float, ptr %7, align 4, !tbaa !8
  %33 = fadd contract float %31, %32
  store float %33, ptr %7, align 4, !tbaa !8
  br label %34

34:                                               ; preds = %27, %25
  tail call void @llvm.nvvm.barrier0()
  %35 = icmp slt i32 %3, 8
  br i1 %35, label %36, label %43

36:                                               ; preds = %34
  %37 = add nsw i32 %3, 8
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %38
  %40 = load float, ptr %39, align 4, !tbaa !8
  %41 = load float, ptr %7, align 4, !tbaa !8
  %42 = fadd contract float %40, %41
  store float %42, ptr %7, align 4, !tbaa !8
  br label %43

43:                                               ; preds = %36, %34
  tail call void @llvm.nvvm.barrier0()
  %44 = icmp slt i32 %3, 4
  br i1 %44, label %45, label %52

45:                                               ; preds = %43
  %46 = add nsw i32 %3, 4
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %47
  %49 = load float, ptr %48, align 4, !tbaa !8
  %50 = load float, ptr %7, align 4, !tbaa !8
  %51 = fadd contract float %49, %50
  store float %51, ptr %7, align 4, !tbaa !8
  br label %52

52:                                               ; preds = %45, %43
  tail call void @llvm.nvvm.barrier0()
  %53 = icmp slt i32 %3, 2
  br i1 %53, label %54, label %61

54:                                               ; preds = %52
  %55 = add nsw i32 %3, 2
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %56
  %58 = load float, ptr %57, align 4, !tbaa !8
  %59 = load float, ptr %7, align 4, !tbaa !8
  %60 = fadd contract float %58, %59
  store float %60, ptr %7, align 4, !tbaa !8
  br label %61

61:                                               ; preds = %54, %52
  tail call void @llvm.nvvm.barrier0()
  %62 = icmp slt i32 %3, 1
  br i1 %62, label %63, label %70

63:                                               ; preds = %61
  %64 = add nsw i32 %3, 1
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds [0 x float], ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 0, i64 %65
  %67 = load float, ptr %66, align 4, !tbaa !8
  %68 = load float, ptr %7, align 4, !tbaa !8
  %69 = fadd contract float %67, %68
  store float %69, ptr %7, align 4, !tbaa !8
  br label %70

70:                                               ; preds = %63, %61
  tail call void @llvm.nvvm.barrier0()
  %71 = icmp eq i32 %3, 0
  br i1 %71, label %72, label %78

72:                                               ; preds = %70
  %73 = load float, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), align 4, !tbaa !8
  %74 = tail call float @llvm.fabs.f32(float %73)
  %75 = load float, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr), i64 4), align 4, !tbaa !8
  %76 = tail call contract float @llvm.nvvm.ex2.approx.f(float %75)
  %77 = fadd contract float %74, %76
  store float %77, ptr %1, align 4, !tbaa !8
  br label %78

78:                                               ; preds = %72, %70
  %79 = icmp eq i32 %3, 3
  %80 = zext i1 %79 to i32
  %81 = tail call i32 @llvm.nvvm.barrier0.or(i32 %80)
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %86, label %83

83:                                               ; preds = %78
  %84 = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4, !tbaa !15
  %85 = tail call i32 @llvm.ctpop.i32(i32 %84), !range !17
  store i32 %85, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4, !tbaa !15
  br label %86

86:                                               ; preds = %83, %78
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier0() #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f(float) #6

; Function Attrs: convergent nocallback nounwind
declare i32 @llvm.nvvm.barrier0.or(i32) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #7

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx78,+sm_70" }
attributes #1 = { convergent mustprogress nofree norecurse nounwind memory(readwrite, inaccessiblemem: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx78,+sm_70" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nounwind memory(argmem: read) }
attributes #4 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx78,+sm_70" }
attributes #5 = { convergent nocallback nounwind }
attributes #6 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #7 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nounwind }

!nvvm.annotations = !{!0, !1, !2, !3}
!llvm.module.flags = !{!4, !5, !6}
!llvm.ident = !{!7}

!0 = !{ptr @_Z3Hit3BoxPKfi, !"kernel", i32 1}
!1 = !{ptr @_Z3Hit3BoxPKfi, !"maxntidx", i32 256}
!2 = !{ptr @_Z3Hit3BoxPKfi, !"minctasm", i32 2}
!3 = !{ptr @_Z3SumPKfPf, !"kernel", i32 1}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 16.0.6 (15~deb12u1)"}
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
