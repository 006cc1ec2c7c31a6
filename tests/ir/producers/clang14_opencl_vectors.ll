; Made by make_producers.py with Debian clang version 14.0.6.
; ModuleID = 'vectors.cl'
source_filename = "vectors.cl"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@kWeights = dso_local addrspace(4) constant [2 x <4 x float>] [<4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00>, <4 x float> <float 4.000000e+00, float 3.000000e+00, float 2.000000e+00, float 1.000000e+00>], align 16

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local <4 x float> @mix_rows(<4 x float> noundef %0, <4 x float> noundef %1, i32 noundef %2) #0 {
  %4 = alloca <4 x float>, align 16
  %5 = alloca <4 x float>, align 16
  %6 = alloca <4 x float>, align 16
  %7 = alloca i32, align 4
  store <4 x float> %0, <4 x float>* %5, align 16
  store <4 x float> %1, <4 x float>* %6, align 16
  store i32 %2, i32* %7, align 4
  %8 = load i32, i32* %7, align 4
  switch i32 %8, label %22 [
    i32 0, label %9
    i32 1, label %13
    i32 7, label %18
  ]

9:                                                ; preds = %3
  %10 = load <4 x float>, <4 x float>* %5, align 16
  %11 = load <4 x float>, <4 x float>* %6, align 16
  %12 = fadd <4 x float> %10, %11
  store <4 x float> %12, <4 x float>* %4, align 16
  br label %29

13:                                               ; preds = %3
  %14 = load <4 x float>, <4 x float>* %5, align 16
  %15 = load <4 x float>, <4 x float>* %6, align 16
  %16 = shufflevector <4 x float> %15, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %17 = fmul <4 x float> %14, %16
  store <4 x float> %17, <4 x float>* %4, align 16
  br label %29

18:                                               ; preds = %3
  %19 = load <4 x float>, <4 x float>* %5, align 16
  %20 = load <4 x float>, <4 x float>* %6, align 16
  %21 = call <4 x float> @_Z4fmaxDv4_fS_(<4 x float> noundef %19, <4 x float> noundef %20) #3
  store <4 x float> %21, <4 x float>* %4, align 16
  br label %29

22:                                               ; preds = %3
  %23 = load <4 x float>, <4 x float>* %5, align 16
  %24 = call <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> noundef %23) #3
  %25 = load <4 x float>, <4 x float>* %6, align 16
  %26 = bitcast <4 x float> %25 to <4 x i32>
  %27 = xor <4 x i32> %24, %26
  %28 = call <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> noundef %27) #3
  store <4 x float> %28, <4 x float>* %4, align 16
  br label %29

29:                                               ; preds = %22, %18, %13, %9
  %30 = load <4 x float>, <4 x float>* %4, align 16
  ret <4 x float> %30
}

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local <4 x float> @_Z4fmaxDv4_fS_(<4 x float> noundef, <4 x float> noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local <4 x float> @_Z14convert_float4Dv4_i(<4 x i32> noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local <4 x i32> @_Z12convert_int4Dv4_f(<4 x float> noundef) #1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @mix_all(<4 x float> addrspace(1)* noundef %0, <4 x float> addrspace(1)* noundef %1, i32 noundef %2) #2 !kernel_arg_addr_space !5 !kernel_arg_access_qual !6 !kernel_arg_type !7 !kernel_arg_base_type !8 !kernel_arg_type_qual !9 {
  %4 = alloca <4 x float> addrspace(1)*, align 8
  %5 = alloca <4 x float> addrspace(1)*, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store <4 x float> addrspace(1)* %0, <4 x float> addrspace(1)** %4, align 8
  store <4 x float> addrspace(1)* %1, <4 x float> addrspace(1)** %5, align 8
  store i32 %2, i32* %6, align 4
  %8 = call i64 @_Z13get_global_idj(i32 noundef 0) #3
  %9 = trunc i64 %8 to i32
  store i32 %9, i32* %7, align 4
  %10 = load <4 x float> addrspace(1)*, <4 x float> addrspace(1)** %4, align 8
  %11 = load i32, i32* %7, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds <4 x float>, <4 x float> addrspace(1)* %10, i64 %12
  %14 = load <4 x float>, <4 x float> addrspace(1)* %13, align 16
  %15 = load i32, i32* %7, align 4
  %16 = and i32 %15, 1
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds [2 x <4 x float>], [2 x <4 x float>] addrspace(4)* @kWeights, i64 0, i64 %17
  %19 = load <4 x float>, <4 x float> addrspace(4)* %18, align 16
  %20 = load i32, i32* %6, align 4
  %21 = call <4 x float> @mix_rows(<4 x float> noundef %14, <4 x float> noundef %19, i32 noundef %20) #4
  %22 = load <4 x float> addrspace(1)*, <4 x float> addrspace(1)** %5, align 8
  %23 = load i32, i32* %7, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds <4 x float>, <4 x float> addrspace(1)* %22, i64 %24
  store <4 x float> %21, <4 x float> addrspace(1)* %25, align 16
  ret void
}

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local i64 @_Z13get_global_idj(i32 noundef) #1

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx32,+sm_20" }
attributes #1 = { convergent nounwind readnone willreturn "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx32,+sm_20" }
attributes #2 = { convergent noinline norecurse nounwind optnone "frame-pointer"="all" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx32,+sm_20" "uniform-work-group-size"="false" }
attributes #3 = { convergent nounwind readnone willreturn }
attributes #4 = { convergent }

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1, !2}
!opencl.ocl.version = !{!3}
!llvm.ident = !{!4}

!0 = !{void (<4 x float> addrspace(1)*, <4 x float> addrspace(1)*, i32)* @mix_all, !"kernel", i32 1}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{i32 2, i32 0}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{i32 1, i32 1, i32 0}
!6 = !{!"none", !"none", !"none"}
!7 = !{!"float4*", !"float4*", !"int"}
!8 = !{!"float __attribute__((ext_vector_type(4)))*", !"float __attribute__((ext_vector_type(4)))*", !"int"}
!9 = !{!"const", !"", !""}
