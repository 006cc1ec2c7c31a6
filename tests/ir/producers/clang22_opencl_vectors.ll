; Made by make_producers.py with Debian clang version 22.1.8 (1~deb12u1).
; ModuleID = 'vectors.cl'
source_filename = "vectors.cl"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@kWeights = dso_local local_unnamed_addr addrspace(4) constant [2 x <4 x float>] [<4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00>, <4 x float> <float 4.000000e+00, float 3.000000e+00, float 2.000000e+00, float 1.000000e+00>], align 16

; Function Attrs: convergent mustprogress nofree norecurse nounwind willreturn memory(none)
define dso_local <4 x float> @mix_rows(<4 x float> noundef %0, <4 x float> noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  switch i32 %2, label %11 [
    i32 0, label %4
    i32 1, label %6
    i32 7, label %9
  ]

4:                                                ; preds = %3
  %5 = fadd <4 x float> %0, %1
  br label %16

6:                                                ; preds = %3
  %7 = shufflevector <4 x float> %1, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %8 = fmul <4 x float> %0, %7
  br label %16

9:                                                ; preds = %3
  %10 = tail call <4 x float> @_Z4fmaxDv4_fS_(<4 x float> noundef %0, <4 x float> noundef %1) #4
  br label %16

11:                                               ; preds = %3
  %12 = tail call <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> noundef %0) #4
  %13 = bitcast <4 x float> %1 to <4 x i32>
  %14 = xor <4 x i32> %12, %13
  %15 = tail call <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> noundef %14) #4
  br label %16

16:                                               ; preds = %11, %9, %6, %4
  %17 = phi <4 x float> [ %15, %11 ], [ %5, %4 ], [ %8, %6 ], [ %10, %9 ]
  ret <4 x float> %17
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local <4 x float> @_Z4fmaxDv4_fS_(<4 x float> noundef, <4 x float> noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> noundef) local_unnamed_addr #1

; Function Attrs: convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @mix_all(ptr addrspace(1) noundef readonly align 16 captures(none) %0, ptr addrspace(1) noundef writeonly align 16 captures(none) %1, i32 noundef %2) local_unnamed_addr #2 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
  tail call void @__clang_ocl_kern_imp_mix_all(ptr addrspace(1) noundef align 16 %0, ptr addrspace(1) noundef align 16 %1, i32 noundef %2) #5
  ret void
}

; Function Attrs: convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite)
define dso_local void @__clang_ocl_kern_imp_mix_all(ptr addrspace(1) noundef readonly align 16 captures(none) %0, ptr addrspace(1) noundef writeonly align 16 captures(none) %1, i32 noundef %2) local_unnamed_addr #3 !kernel_arg_addr_space !8 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 !kernel_arg_type_qual !12 {
  %4 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #4
  %5 = shl i64 %4, 32
  %6 = ashr exact i64 %5, 32
  %7 = getelementptr inbounds <4 x float>, ptr addrspace(1) %0, i64 %6
  %8 = load <4 x float>, ptr addrspace(1) %7, align 16, !tbaa !13
  %9 = and i64 %4, 1
  %10 = getelementptr inbounds nuw <4 x float>, ptr addrspace(4) @kWeights, i64 %9
  %11 = load <4 x float>, ptr addrspace(4) %10, align 16, !tbaa !13
  switch i32 %2, label %19 [
    i32 0, label %12
    i32 1, label %14
    i32 7, label %17
  ]

12:                                               ; preds = %3
  %13 = fadd <4 x float> %8, %11
  br label %24

14:                                               ; preds = %3
  %15 = shufflevector <4 x float> %11, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %16 = fmul <4 x float> %8, %15
  br label %24

17:                                               ; preds = %3
  %18 = tail call <4 x float> @_Z4fmaxDv4_fS_(<4 x float> noundef %8, <4 x float> noundef %11) #4
  br label %24

19:                                               ; preds = %3
  %20 = tail call <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> noundef %8) #4
  %21 = bitcast <4 x float> %11 to <4 x i32>
  %22 = xor <4 x i32> %20, %21
  %23 = tail call <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> noundef %22) #4
  br label %24

24:                                               ; preds = %12, %14, %17, %19
  %25 = phi <4 x float> [ %23, %19 ], [ %13, %12 ], [ %16, %14 ], [ %18, %17 ]
  %26 = getelementptr inbounds <4 x float>, ptr addrspace(1) %1, i64 %6
  store <4 x float> %25, ptr addrspace(1) %26, align 16, !tbaa !13
  ret void
}

; Function Attrs: convergent mustprogress nofree nounwind willreturn memory(none)
declare dso_local i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #1

attributes #0 = { convergent mustprogress nofree norecurse nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #1 = { convergent mustprogress nofree nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #2 = { convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" "uniform-work-group-size"="false" }
attributes #3 = { convergent mustprogress nofree noinline norecurse nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx88" }
attributes #4 = { convergent nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{i32 1, i32 1, i32 0}
!9 = !{!"none", !"none", !"none"}
!10 = !{!"float4*", !"float4*", !"int"}
!11 = !{!"float __attribute__((ext_vector_type(4)))*", !"float __attribute__((ext_vector_type(4)))*", !"int"}
!12 = !{!"const", !"", !""}
!13 = !{!6, !6, i64 0}
