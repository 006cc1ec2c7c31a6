; Made by make_producers.py with Debian clang version 16.0.6 (15~deb12u1).
; ModuleID = 'reduce.cl'
source_filename = "reduce.cl"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Parameters = type { float, i32, [2 x float] }

@reduce.shared = internal unnamed_addr addrspace(3) global [128 x i32] undef, align 4

; Function Attrs: convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local spir_kernel void @scale(ptr addrspace(1) noalias nocapture noundef readonly align 4 %0, ptr addrspace(1) noalias nocapture noundef writeonly align 4 %1, ptr nocapture noundef readonly byval(%struct.Parameters) align 4 %2) local_unnamed_addr #0 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
  %4 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %5 = getelementptr inbounds %struct.Parameters, ptr %2, i64 0, i32 1
  %6 = load i32, ptr %5, align 4, !tbaa !10
  %7 = sext i32 %6 to i64
  %8 = icmp ult i64 %4, %7
  br i1 %8, label %9, label %18

9:                                                ; preds = %3
  %10 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %4
  %11 = load float, ptr addrspace(1) %10, align 4, !tbaa !16
  %12 = load float, ptr %2, align 4, !tbaa !17
  %13 = and i64 %4, 1
  %14 = getelementptr inbounds %struct.Parameters, ptr %2, i64 0, i32 2, i64 %13
  %15 = load float, ptr %14, align 4, !tbaa !16
  %16 = tail call float @llvm.fmuladd.f32(float %11, float %12, float %15)
  %17 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %4
  store float %16, ptr addrspace(1) %17, align 4, !tbaa !16
  br label %18

18:                                               ; preds = %9, %3
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #2

; Function Attrs: convergent noinline norecurse nounwind
define dso_local spir_kernel void @reduce(ptr addrspace(1) nocapture noundef readonly align 4 %0, ptr addrspace(1) noundef align 4 %1) local_unnamed_addr #3 !kernel_arg_addr_space !18 !kernel_arg_access_qual !19 !kernel_arg_type !20 !kernel_arg_base_type !20 !kernel_arg_type_qual !21 !reqd_work_group_size !22 {
  %3 = tail call i64 @_Z12get_local_idj(i32 noundef 0) #5
  %4 = trunc i64 %3 to i32
  %5 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %6 = getelementptr inbounds i32, ptr addrspace(1) %0, i64 %5
  %7 = load i32, ptr addrspace(1) %6, align 4, !tbaa !23
  %8 = shl i64 %3, 32
  %9 = ashr exact i64 %8, 32
  %10 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %9
  store i32 %7, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %13

11:                                               ; preds = %23
  %12 = icmp eq i32 %4, 0
  br i1 %12, label %26, label %29

13:                                               ; preds = %2, %23
  %14 = phi i32 [ 64, %2 ], [ %24, %23 ]
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %15 = icmp sgt i32 %14, %4
  br i1 %15, label %16, label %23

16:                                               ; preds = %13
  %17 = add nsw i32 %14, %4
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %18
  %20 = load i32, ptr addrspace(3) %19, align 4, !tbaa !23
  %21 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %22 = add nsw i32 %21, %20
  store i32 %22, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %23

23:                                               ; preds = %13, %16
  %24 = lshr i32 %14, 1
  %25 = icmp ult i32 %14, 2
  br i1 %25, label %11, label %13, !llvm.loop !24

26:                                               ; preds = %11
  %27 = load i32, ptr addrspace(3) @reduce.shared, align 4, !tbaa !23
  %28 = tail call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %1, i32 noundef %27) #6
  br label %29

29:                                               ; preds = %26, %11
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent nounwind
declare dso_local void @_Z7barrierj(i32 noundef) local_unnamed_addr #4

; Function Attrs: convergent nounwind
declare dso_local i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) local_unnamed_addr #4

attributes #0 = { convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_35" "target-features"="+ptx78,+sm_35" "uniform-work-group-size"="false" }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_35" "target-features"="+ptx78,+sm_35" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_35" "target-features"="+ptx78,+sm_35" "uniform-work-group-size"="false" }
attributes #4 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_35" "target-features"="+ptx78,+sm_35" }
attributes #5 = { convergent nounwind willreturn memory(none) }
attributes #6 = { convergent nounwind }

!nvvm.annotations = !{!0, !1}
!llvm.module.flags = !{!2, !3}
!opencl.ocl.version = !{!4}
!llvm.ident = !{!5}

!0 = !{ptr @scale, !"kernel", i32 1}
!1 = !{ptr @reduce, !"kernel", i32 1}
!2 = !{i32 1, !"wchar_size", i32 4}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{i32 2, i32 0}
!5 = !{!"Debian clang version 16.0.6 (15~deb12u1)"}
!6 = !{i32 1, i32 1, i32 0}
!7 = !{!"none", !"none", !"none"}
!8 = !{!"float*", !"float*", !"Parameters"}
!9 = !{!"restrict const", !"restrict", !""}
!10 = !{!11, !15, i64 4}
!11 = !{!"", !12, i64 0, !15, i64 4, !13, i64 8}
!12 = !{!"float", !13, i64 0}
!13 = !{!"omnipotent char", !14, i64 0}
!14 = !{!"Simple C/C++ TBAA"}
!15 = !{!"int", !13, i64 0}
!16 = !{!12, !12, i64 0}
!17 = !{!11, !12, i64 0}
!18 = !{i32 1, i32 1}
!19 = !{!"none", !"none"}
!20 = !{!"int*", !"int*"}
!21 = !{!"const", !""}
!22 = !{i32 128, i32 1, i32 1}
!23 = !{!15, !15, i64 0}
!24 = distinct !{!24, !25}
!25 = !{!"llvm.loop.unroll.disable"}
