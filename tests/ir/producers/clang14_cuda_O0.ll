; Made by make_producers.py with Debian clang version 14.0.6.
; ModuleID = 'kernels.cu'
source_filename = "kernels.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Box = type { [3 x float], [3 x float], i32* }

@table = dso_local addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4
@counter = dso_local addrspace(1) externally_initialized global i32 0, align 4
@dynamic = external dso_local addrspace(3) global [0 x float], align 4
@llvm.compiler.used = appending global [2 x i8*] [i8* addrspacecast (i8 addrspace(4)* bitcast ([4 x float] addrspace(4)* @table to i8 addrspace(4)*) to i8*), i8* addrspacecast (i8 addrspace(1)* bitcast (i32 addrspace(1)* @counter to i8 addrspace(1)*) to i8*)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline nounwind optnone
define dso_local %struct.Box @_Z4Grow3Boxf(%struct.Box* noundef byval(%struct.Box) align 8 %0, float noundef %1) #0 {
  %3 = alloca %struct.Box, align 8
  %4 = alloca float, align 4
  %5 = alloca i32, align 4
  store float %1, float* %4, align 4
  store i32 0, i32* %5, align 4
  br label %6

6:                                                ; preds = %24, %2
  %7 = load i32, i32* %5, align 4
  %8 = icmp slt i32 %7, 3
  br i1 %8, label %9, label %27

9:                                                ; preds = %6
  %10 = load float, float* %4, align 4
  %11 = getelementptr inbounds %struct.Box, %struct.Box* %0, i32 0, i32 0
  %12 = load i32, i32* %5, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds [3 x float], [3 x float]* %11, i64 0, i64 %13
  %15 = load float, float* %14, align 4
  %16 = fsub contract float %15, %10
  store float %16, float* %14, align 4
  %17 = load float, float* %4, align 4
  %18 = getelementptr inbounds %struct.Box, %struct.Box* %0, i32 0, i32 1
  %19 = load i32, i32* %5, align 4
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds [3 x float], [3 x float]* %18, i64 0, i64 %20
  %22 = load float, float* %21, align 4
  %23 = fadd contract float %22, %17
  store float %23, float* %21, align 4
  br label %24

24:                                               ; preds = %9
  %25 = load i32, i32* %5, align 4
  %26 = add nsw i32 %25, 1
  store i32 %26, i32* %5, align 4
  br label %6, !llvm.loop !8

27:                                               ; preds = %6
  %28 = bitcast %struct.Box* %3 to i8*
  %29 = bitcast %struct.Box* %0 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %28, i8* align 8 %29, i64 32, i1 false)
  %30 = load %struct.Box, %struct.Box* %3, align 8
  ret %struct.Box %30
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z3Hit3BoxPKfi(%struct.Box* noundef byval(%struct.Box) align 8 %0, float* noalias noundef %1, i32 noundef %2) #2 {
  %4 = alloca float*, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca %struct.Box, align 8
  %8 = alloca %struct.Box, align 8
  %9 = alloca i8, align 1
  %10 = alloca i32, align 4
  %11 = alloca float, align 4
  store float* %1, float** %4, align 8
  store i32 %2, i32* %5, align 4
  %12 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %13 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %14 = mul nsw i32 %12, %13
  %15 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %16 = add nsw i32 %14, %15
  store i32 %16, i32* %6, align 4
  %17 = load i32, i32* %6, align 4
  %18 = load i32, i32* %5, align 4
  %19 = icmp sge i32 %17, %18
  br i1 %19, label %20, label %21

20:                                               ; preds = %3
  br label %80

21:                                               ; preds = %3
  %22 = bitcast %struct.Box* %8 to i8*
  %23 = bitcast %struct.Box* %0 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %22, i8* align 8 %23, i64 32, i1 false)
  %24 = load i32, i32* %6, align 4
  %25 = and i32 %24, 3
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds [4 x float], [4 x float]* addrspacecast ([4 x float] addrspace(4)* @table to [4 x float]*), i64 0, i64 %26
  %28 = load float, float* %27, align 4
  %29 = call %struct.Box @_Z4Grow3Boxf(%struct.Box* noundef byval(%struct.Box) align 8 %8, float noundef %28) #5
  %30 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 0
  %31 = extractvalue %struct.Box %29, 0
  store [3 x float] %31, [3 x float]* %30, align 8
  %32 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 1
  %33 = extractvalue %struct.Box %29, 1
  store [3 x float] %33, [3 x float]* %32, align 4
  %34 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 2
  %35 = extractvalue %struct.Box %29, 2
  store i32* %35, i32** %34, align 8
  store i8 1, i8* %9, align 1
  store i32 0, i32* %10, align 4
  br label %36

36:                                               ; preds = %70, %21
  %37 = load i32, i32* %10, align 4
  %38 = icmp slt i32 %37, 3
  br i1 %38, label %39, label %73

39:                                               ; preds = %36
  %40 = load float*, float** %4, align 8
  %41 = load i32, i32* %6, align 4
  %42 = mul nsw i32 3, %41
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds float, float* %40, i64 %43
  %45 = load i32, i32* %10, align 4
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds float, float* %44, i64 %46
  %48 = call contract float @llvm.nvvm.ldg.global.f.f32.p0f32(float* %47, i32 4)
  store float %48, float* %11, align 4
  %49 = load i8, i8* %9, align 1
  %50 = trunc i8 %49 to i1
  br i1 %50, label %51, label %67

51:                                               ; preds = %39
  %52 = load float, float* %11, align 4
  %53 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 0
  %54 = load i32, i32* %10, align 4
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds [3 x float], [3 x float]* %53, i64 0, i64 %55
  %57 = load float, float* %56, align 4
  %58 = fcmp contract oge float %52, %57
  br i1 %58, label %59, label %67

59:                                               ; preds = %51
  %60 = load float, float* %11, align 4
  %61 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 1
  %62 = load i32, i32* %10, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds [3 x float], [3 x float]* %61, i64 0, i64 %63
  %65 = load float, float* %64, align 4
  %66 = fcmp contract ole float %60, %65
  br label %67

67:                                               ; preds = %59, %51, %39
  %68 = phi i1 [ false, %51 ], [ false, %39 ], [ %66, %59 ]
  %69 = zext i1 %68 to i8
  store i8 %69, i8* %9, align 1
  br label %70

70:                                               ; preds = %67
  %71 = load i32, i32* %10, align 4
  %72 = add nsw i32 %71, 1
  store i32 %72, i32* %10, align 4
  br label %36, !llvm.loop !10

73:                                               ; preds = %36
  %74 = load i8, i8* %9, align 1
  %75 = trunc i8 %74 to i1
  br i1 %75, label %76, label %80

76:                                               ; preds = %73
  %77 = getelementptr inbounds %struct.Box, %struct.Box* %7, i32 0, i32 2
  %78 = load i32*, i32** %77, align 8
  %79 = atomicrmw add i32* %78, i32 1 seq_cst, align 4
  br label %80

80:                                               ; preds = %20, %76, %73
  ret void
}

; Function Attrs: nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: argmemonly nounwind readonly
declare float @llvm.nvvm.ldg.global.f.f32.p0f32(float* nocapture, i32) #4

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z3SumPKfPf(float* noundef %0, float* noundef %1) #2 {
  %3 = alloca float*, align 8
  %4 = alloca float*, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store float* %0, float** %3, align 8
  store float* %1, float** %4, align 8
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %7, i32* %5, align 4
  %8 = load float*, float** %3, align 8
  %9 = load i32, i32* %5, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds float, float* %8, i64 %10
  %12 = load float, float* %11, align 4
  %13 = load i32, i32* %5, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds [0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 %14
  store float %12, float* %15, align 4
  call void @llvm.nvvm.barrier0()
  store i32 64, i32* %6, align 4
  br label %16

16:                                               ; preds = %36, %2
  %17 = load i32, i32* %6, align 4
  %18 = icmp sgt i32 %17, 0
  br i1 %18, label %19, label %39

19:                                               ; preds = %16
  %20 = load i32, i32* %5, align 4
  %21 = load i32, i32* %6, align 4
  %22 = icmp slt i32 %20, %21
  br i1 %22, label %23, label %35

23:                                               ; preds = %19
  %24 = load i32, i32* %5, align 4
  %25 = load i32, i32* %6, align 4
  %26 = add nsw i32 %24, %25
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds [0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 %27
  %29 = load float, float* %28, align 4
  %30 = load i32, i32* %5, align 4
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds [0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 %31
  %33 = load float, float* %32, align 4
  %34 = fadd contract float %33, %29
  store float %34, float* %32, align 4
  br label %35

35:                                               ; preds = %23, %19
  call void @llvm.nvvm.barrier0()
  br label %36

36:                                               ; preds = %35
  %37 = load i32, i32* %6, align 4
  %38 = ashr i32 %37, 1
  store i32 %38, i32* %6, align 4
  br label %16, !llvm.loop !11

39:                                               ; preds = %16
  %40 = load i32, i32* %5, align 4
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %42, label %49

42:                                               ; preds = %39
  %43 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 0), align 4
  %44 = call contract float @llvm.nvvm.fabs.f(float %43)
  %45 = load float, float* getelementptr inbounds ([0 x float], [0 x float]* addrspacecast ([0 x float] addrspace(3)* @dynamic to [0 x float]*), i64 0, i64 1), align 4
  %46 = call contract float @llvm.nvvm.ex2.approx.f(float %45)
  %47 = fadd contract float %44, %46
  %48 = load float*, float** %4, align 8
  store float %47, float* %48, align 4
  br label %49

49:                                               ; preds = %42, %39
  %50 = load i32, i32* %5, align 4
  %51 = icmp eq i32 %50, 3
  %52 = zext i1 %51 to i32
  %53 = call i32 @llvm.nvvm.barrier0.or(i32 %52)
  %54 = icmp ne i32 %53, 0
  br i1 %54, label %55, label %58

55:                                               ; preds = %49
  %56 = load i32, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4
  %57 = call i32 @llvm.ctpop.i32(i32 %56)
  store i32 %57, i32* addrspacecast (i32 addrspace(1)* @counter to i32*), align 4
  br label %58

58:                                               ; preds = %55, %49
  ret void
}

; Function Attrs: convergent nounwind
declare void @llvm.nvvm.barrier0() #5

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.nvvm.fabs.f(float) #6

; Function Attrs: nofree nosync nounwind readnone willreturn
declare float @llvm.nvvm.ex2.approx.f(float) #7

; Function Attrs: convergent nounwind
declare i32 @llvm.nvvm.barrier0.or(i32) #5

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare i32 @llvm.ctpop.i32(i32) #6

attributes #0 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #1 = { argmemonly nofree nounwind willreturn }
attributes #2 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_70" "target-features"="+ptx32,+sm_70" }
attributes #3 = { nounwind readnone speculatable }
attributes #4 = { argmemonly nounwind readonly }
attributes #5 = { convergent nounwind }
attributes #6 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #7 = { nofree nosync nounwind readnone willreturn }

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
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
!10 = distinct !{!10, !9}
!11 = distinct !{!11, !9}
