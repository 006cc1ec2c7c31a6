; Made by make_producers.py with Debian clang version 19.1.7 (3~deb12u1).
; ModuleID = 'reduce.cl'
source_filename = "reduce.cl"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Parameters = type { float, i32, [2 x float] }

@reduce.shared = internal unnamed_addr addrspace(3) global [128 x i32] undef, align 4

; Function Attrs: convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local spir_kernel void @scale(ptr addrspace(1) noalias nocapture noundef readonly align 4 %0, ptr addrspace(1) noalias nocapture noundef writeonly align 4 %1, ptr nocapture noundef readonly byval(%struct.Parameters) align 4 %2) local_unnamed_addr #0 !kernel_arg_addr_space !6 !kernel_arg_access_qual !7 !kernel_arg_type !8 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
  %4 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #5
  %5 = getelementptr inbounds i8, ptr %2, i64 4
  %6 = load i32, ptr %5, align 4, !tbaa !10
  %7 = sext i32 %6 to i64
  %8 = icmp ult i64 %4, %7
  br i1 %8, label %9, label %19

9:                                                ; preds = %3
  %10 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %4
  %11 = load float, ptr addrspace(1) %10, align 4, !tbaa !16
  %12 = load float, ptr %2, align 4, !tbaa !17
  %13 = getelementptr inbounds i8, ptr %2, i64 8
  %14 = and i64 %4, 1
  %15 = getelementptr inbounds [2 x float], ptr %13, i64 0, i64 %14
  %16 = load float, ptr %15, align 4, !tbaa !16
  %17 = tail call float @llvm.fmuladd.f32(float %11, float %12, float %16)
  %18 = getelementptr inbounds float, ptr addrspace(1) %1, i64 %4
  store float %17, ptr addrspace(1) %18, align 4, !tbaa !16
  br label %19

19:                                               ; preds = %9, %3
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
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %11 = icmp slt i32 %4, 64
  br i1 %11, label %12, label %20

12:                                               ; preds = %2
  %13 = shl i64 %3, 32
  %14 = add i64 %13, 274877906944
  %15 = ashr exact i64 %14, 32
  %16 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %15
  %17 = load i32, ptr addrspace(3) %16, align 4, !tbaa !23
  %18 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %19 = add nsw i32 %18, %17
  store i32 %19, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %20

20:                                               ; preds = %2, %12
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %21 = icmp slt i32 %4, 32
  br i1 %21, label %22, label %30

22:                                               ; preds = %20
  %23 = shl i64 %3, 32
  %24 = add i64 %23, 137438953472
  %25 = ashr exact i64 %24, 32
  %26 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %25
  %27 = load i32, ptr addrspace(3) %26, align 4, !tbaa !23
  %28 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %29 = add nsw i32 %28, %27
  store i32 %29, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %30

30:                                               ; preds = %22, %20
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %31 = icmp slt i32 %4, 16
  br i1 %31, label %32, label %40

32:                                               ; preds = %30
  %33 = shl i64 %3, 32
  %34 = add i64 %33, 68719476736
  %35 = ashr exact i64 %34, 32
  %36 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %35
  %37 = load i32, ptr addrspace(3) %36, align 4, !tbaa !23
  %38 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %39 = add nsw i32 %38, %37
  store i32 %39, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %40

40:                                               ; preds = %32, %30
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %41 = icmp slt i32 %4, 8
  br i1 %41, label %42, label %50

42:                                               ; preds = %40
  %43 = shl i64 %3, 32
  %44 = add i64 %43, 34359738368
  %45 = ashr exact i64 %44, 32
  %46 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %45
  %47 = load i32, ptr addrspace(3) %46, align 4, !tbaa !23
  %48 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %49 = add nsw i32 %48, %47
  store i32 %49, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %50

50:                                               ; preds = %42, %40
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %51 = icmp slt i32 %4, 4
  br i1 %51, label %52, label %60

52:                                               ; preds = %50
  %53 = shl i64 %3, 32
  %54 = add i64 %53, 17179869184
  %55 = ashr exact i64 %54, 32
  %56 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %55
  %57 = load i32, ptr addrspace(3) %56, align 4, !tbaa !23
  %58 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %59 = add nsw i32 %58, %57
  store i32 %59, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %60

60:                                               ; preds = %52, %50
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %61 = icmp slt i32 %4, 2
  br i1 %61, label %62, label %70

62:                                               ; preds = %60
  %63 = shl i64 %3, 32
  %64 = add i64 %63, 8589934592
  %65 = ashr exact i64 %64, 32
  %66 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %65
  %67 = load i32, ptr addrspace(3) %66, align 4, !tbaa !23
  %68 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %69 = add nsw i32 %68, %67
  store i32 %69, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %70

70:                                               ; preds = %62, %60
  tail call void @_Z7barrierj(i32 noundef 1) #6
  %71 = icmp slt i32 %4, 1
  br i1 %71, label %72, label %80

72:                                               ; preds = %70
  %73 = shl i64 %3, 32
  %74 = add i64 %73, 4294967296
  %75 = ashr exact i64 %74, 32
  %76 = getelementptr inbounds [128 x i32], ptr addrspace(3) @reduce.shared, i64 0, i64 %75
  %77 = load i32, ptr addrspace(3) %76, align 4, !tbaa !23
  %78 = load i32, ptr addrspace(3) %10, align 4, !tbaa !23
  %79 = add nsw i32 %78, %77
  store i32 %79, ptr addrspace(3) %10, align 4, !tbaa !23
  br label %80

80:                                               ; preds = %72, %70
  %81 = icmp eq i32 %4, 0
  br i1 %81, label %82, label %85

82:                                               ; preds = %80
  %83 = load i32, ptr addrspace(3) @reduce.shared, align 4, !tbaa !23
  %84 = tail call i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef %1, i32 noundef %83) #6
  br label %85

85:                                               ; preds = %82, %80
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z12get_local_idj(i32 noundef) local_unnamed_addr #1

; Function Attrs: convergent nounwind
declare dso_local void @_Z7barrierj(i32 noundef) local_unnamed_addr #4

; Function Attrs: convergent nounwind
declare dso_local i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1) noundef, i32 noundef) local_unnamed_addr #4

attributes #0 = { convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx85" "uniform-work-group-size"="false" }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx85" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx85" "uniform-work-group-size"="false" }
attributes #4 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx85" }
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
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
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
