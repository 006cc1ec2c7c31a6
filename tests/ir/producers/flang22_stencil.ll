; Made by make_producers.py with Debian flang version 22.1.8 (1~deb12u1).
; ModuleID = 'FIRModule'
source_filename = "FIRModule"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.ident_t = type { i32, i32, i32, i32, ptr }
%struct.DynamicEnvironmentTy = type { i16 }
%struct.KernelEnvironmentTy = type { %struct.ConfigurationEnvironmentTy, ptr, ptr }
%struct.ConfigurationEnvironmentTy = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }

@__omp_offloading_fe00_51a45f_stencil__l11_exec_mode = weak protected constant i8 2
@0 = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = private unnamed_addr constant %struct.ident_t { i32 0, i32 2, i32 0, i32 22, ptr @0 }, align 8
@__omp_offloading_fe00_51a45f_stencil__l11_dynamic_environment = weak_odr protected global %struct.DynamicEnvironmentTy zeroinitializer
@__omp_offloading_fe00_51a45f_stencil__l11_kernel_environment = weak_odr protected constant %struct.KernelEnvironmentTy { %struct.ConfigurationEnvironmentTy { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr @1, ptr @__omp_offloading_fe00_51a45f_stencil__l11_dynamic_environment }
@llvm.compiler.used = appending global [1 x ptr] [ptr @__omp_offloading_fe00_51a45f_stencil__l11_exec_mode], section "llvm.metadata"

define weak_odr protected ptx_kernel void @__omp_offloading_fe00_51a45f_stencil__l11(ptr %0, ptr %1, ptr %2, ptr %3, ptr %4, ptr %5, ptr %6) local_unnamed_addr #0 {
entry:
  %7 = alloca [1 x ptr], align 8
  %structArg.i = alloca { ptr, ptr, ptr, ptr, ptr }, align 8
  %.reloaded.i = alloca i64, align 8
  %.reloaded10.i = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = addrspacecast ptr %8 to ptr addrspace(5)
  store ptr %4, ptr addrspace(5) %9, align 8
  %10 = tail call i32 @__kmpc_target_init(ptr nonnull @__omp_offloading_fe00_51a45f_stencil__l11_kernel_environment, ptr %0)
  %exec_user_code = icmp eq i32 %10, -1
  br i1 %exec_user_code, label %user_code.entry, label %common.ret

user_code.entry:                                  ; preds = %entry
  %11 = ptrtoint ptr %6 to i64
  %12 = ptrtoint ptr %5 to i64
  %sext = shl i64 %11, 32
  %13 = ashr exact i64 %sext, 32
  %sext28 = shl i64 %12, 32
  %14 = ashr exact i64 %sext28, 32
  %15 = tail call i64 @llvm.smax.i64(i64 %14, i64 0)
  %16 = tail call i64 @llvm.smax.i64(i64 %13, i64 0)
  call void @llvm.lifetime.start.p0(ptr nonnull %7)
  call void @llvm.lifetime.start.p0(ptr nonnull %structArg.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %.reloaded.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %.reloaded10.i)
  %omp_global_thread_num.i = tail call i32 @__kmpc_global_thread_num(ptr nonnull @1) #3
  %17 = addrspacecast ptr %.reloaded.i to ptr addrspace(5)
  store i64 %16, ptr addrspace(5) %17, align 8
  %18 = addrspacecast ptr %.reloaded10.i to ptr addrspace(5)
  store i64 %15, ptr addrspace(5) %18, align 8
  %19 = addrspacecast ptr %structArg.i to ptr addrspace(5)
  store ptr %.reloaded.i, ptr addrspace(5) %19, align 8
  %gep_.reloaded10.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 8
  %20 = addrspacecast ptr %gep_.reloaded10.i to ptr addrspace(5)
  store ptr %.reloaded10.i, ptr addrspace(5) %20, align 8
  %gep_9.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 16
  %21 = addrspacecast ptr %gep_9.i to ptr addrspace(5)
  store ptr %8, ptr addrspace(5) %21, align 8
  %gep_19.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 24
  %22 = addrspacecast ptr %gep_19.i to ptr addrspace(5)
  store ptr %1, ptr addrspace(5) %22, align 8
  %gep_20.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 32
  %23 = addrspacecast ptr %gep_20.i to ptr addrspace(5)
  store ptr %2, ptr addrspace(5) %23, align 8
  %24 = addrspacecast ptr %7 to ptr addrspace(5)
  store ptr %structArg.i, ptr addrspace(5) %24, align 8
  call void @__kmpc_parallel_60(ptr nonnull @1, i32 %omp_global_thread_num.i, i32 1, i32 -1, i32 -1, ptr nonnull @__omp_offloading_fe00_51a45f_stencil__l11..omp_par2, ptr null, ptr nonnull %7, i64 1, i32 0)
  call void @llvm.lifetime.end.p0(ptr nonnull %7)
  call void @llvm.lifetime.end.p0(ptr nonnull %structArg.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.reloaded.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %.reloaded10.i)
  call void @__kmpc_target_deinit()
  br label %common.ret

common.ret:                                       ; preds = %entry, %user_code.entry
  ret void
}

; Function Attrs: nounwind
define internal void @__omp_offloading_fe00_51a45f_stencil__l11..omp_par2(ptr noalias readnone captures(none) %tid.addr, ptr noalias readnone captures(none) %zero.addr, ptr readonly captures(none) %0) #1 {
omp.par.entry:
  %structArg.i = alloca { ptr, i64, ptr, i64, ptr }, align 8
  %loadgep_.reloaded = load ptr, ptr %0, align 8, !align !5
  %gep_.reloaded10 = getelementptr i8, ptr %0, i64 8
  %loadgep_.reloaded10 = load ptr, ptr %gep_.reloaded10, align 8, !align !5
  %gep_ = getelementptr i8, ptr %0, i64 16
  %loadgep_ = load ptr, ptr %gep_, align 8, !align !5
  %gep_1 = getelementptr i8, ptr %0, i64 24
  %loadgep_2 = load ptr, ptr %gep_1, align 8, !align !6
  %gep_3 = getelementptr i8, ptr %0, i64 32
  %loadgep_4 = load ptr, ptr %gep_3, align 8, !align !6
  %omp.private.alloc = alloca i32, align 4
  %1 = load i64, ptr %loadgep_.reloaded, align 8
  %2 = load i64, ptr %loadgep_.reloaded10, align 8
  %3 = load i32, ptr %loadgep_, align 8, !tbaa !7
  %4 = add i32 %3, -1
  call void @llvm.lifetime.start.p0(ptr nonnull %structArg.i)
  %5 = tail call i32 @llvm.smax.i32(i32 %4, i32 1)
  %omp_loop.tripcount.i = add nsw i32 %5, -1
  %6 = addrspacecast ptr %structArg.i to ptr addrspace(5)
  store ptr %omp.private.alloc, ptr addrspace(5) %6, align 8
  %gep_10.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 8
  %7 = addrspacecast ptr %gep_10.i to ptr addrspace(5)
  store i64 %1, ptr addrspace(5) %7, align 8
  %gep_12.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 16
  %8 = addrspacecast ptr %gep_12.i to ptr addrspace(5)
  store ptr %loadgep_2, ptr addrspace(5) %8, align 8
  %gep_13.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 24
  %9 = addrspacecast ptr %gep_13.i to ptr addrspace(5)
  store i64 %2, ptr addrspace(5) %9, align 8
  %gep_14.i = getelementptr inbounds nuw i8, ptr %structArg.i, i64 32
  %10 = addrspacecast ptr %gep_14.i to ptr addrspace(5)
  store ptr %loadgep_4, ptr addrspace(5) %10, align 8
  %11 = call i32 @omp_get_num_threads() #3
  call void @__kmpc_distribute_for_static_loop_4u(ptr nonnull @1, ptr nonnull @__omp_offloading_fe00_51a45f_stencil__l11..omp_par, ptr nonnull %structArg.i, i32 %omp_loop.tripcount.i, i32 %11, i32 0, i32 0, i8 0) #3
  call void @llvm.lifetime.end.p0(ptr nonnull %structArg.i)
  ret void
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal void @__omp_offloading_fe00_51a45f_stencil__l11..omp_par(i32 %0, ptr readonly captures(none) %1) #2 {
omp_loop.body:
  %loadgep_omp.private.alloc = load ptr, ptr %1, align 8, !align !6
  %gep_1 = getelementptr i8, ptr %1, i64 16
  %loadgep_2 = load ptr, ptr %gep_1, align 8, !align !6
  %gep_5 = getelementptr i8, ptr %1, i64 32
  %loadgep_6 = load ptr, ptr %gep_5, align 8, !align !6
  %2 = add i32 %0, 2
  store i32 %2, ptr %loadgep_omp.private.alloc, align 4, !tbaa !13
  %3 = add i32 %0, 1
  %4 = sext i32 %3 to i64
  %5 = getelementptr float, ptr %loadgep_2, i64 %4
  %6 = getelementptr i8, ptr %5, i64 -4
  %7 = load float, ptr %6, align 4, !tbaa !14
  %8 = fmul contract float %7, 2.500000e-01
  %9 = sext i32 %2 to i64
  %10 = add nsw i64 %9, -1
  %11 = getelementptr float, ptr %loadgep_2, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !14
  %13 = fmul contract float %12, 5.000000e-01
  %14 = fadd contract float %8, %13
  %15 = add i32 %0, 3
  %16 = sext i32 %15 to i64
  %17 = getelementptr float, ptr %loadgep_2, i64 %16
  %18 = getelementptr i8, ptr %17, i64 -4
  %19 = load float, ptr %18, align 4, !tbaa !14
  %20 = fmul contract float %19, 2.500000e-01
  %21 = fadd contract float %14, %20
  %22 = getelementptr float, ptr %loadgep_6, i64 %10
  store float %21, ptr %22, align 4, !tbaa !16
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr) local_unnamed_addr

; Function Attrs: nounwind
declare i32 @__kmpc_global_thread_num(ptr) local_unnamed_addr #3

declare void @__kmpc_target_deinit() local_unnamed_addr

; Function Attrs: alwaysinline
declare void @__kmpc_distribute_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i32, i8) local_unnamed_addr #4

; Function Attrs: nounwind
declare i32 @omp_get_num_threads() local_unnamed_addr #3

; Function Attrs: alwaysinline
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32) local_unnamed_addr #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #5

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #6

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #6

attributes #0 = { "kernel" "nvvm.maxntid"="128" "omp_target_thread_limit"="128" "target-cpu"="sm_80" "target-features"="+sm_80" }
attributes #1 = { nounwind "nvvm.maxntid"="128" "omp_target_thread_limit"="128" "target-cpu"="sm_80" "target-features"="+sm_80" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "nvvm.maxntid"="128" "omp_target_thread_limit"="128" "target-cpu"="sm_80" "target-features"="+sm_80" }
attributes #3 = { nounwind }
attributes #4 = { alwaysinline }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!omp_offload.info = !{!4}

!0 = !{i32 7, !"openmp-device", i32 31}
!1 = !{i32 7, !"openmp", i32 31}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!"Debian flang version 22.1.8"}
!4 = !{i32 0, i32 65024, i32 5350495, !"stencil_", i32 11, i32 0, i32 0}
!5 = !{i64 8}
!6 = !{i64 4}
!7 = !{!8, !8, i64 0}
!8 = !{!"dummy arg data/_QFstencilEn", !9, i64 0}
!9 = !{!"dummy arg data", !10, i64 0}
!10 = !{!"any data access", !11, i64 0}
!11 = !{!"any access", !12, i64 0}
!12 = !{!"Flang function root _QPstencil"}
!13 = !{!10, !10, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"dummy arg data/_QFstencilEa", !9, i64 0}
!16 = !{!17, !17, i64 0}
!17 = !{!"dummy arg data/_QFstencilEb", !9, i64 0}
