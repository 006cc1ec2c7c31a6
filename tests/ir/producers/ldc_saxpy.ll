; Made by make_producers.py with LDC - the LLVM D compiler (1.30.0):.
; ModuleID = 'dcomputeTargetCUDA'
source_filename = "dcomputeTargetCUDA"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer" = type { float addrspace(1)* }
%"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer" = type { i32 addrspace(3)* }

define ptx_kernel void @_D5saxpyQgFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TfZQBeQByfmZv(float addrspace(1)* %0, float addrspace(1)* %1, float %2, i64 %3) #0 {
  %5 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", align 8
  %6 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", align 8
  %7 = alloca float, align 4
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %5, i32 0, i32 0
  store float addrspace(1)* %0, float addrspace(1)** %12, align 8
  %13 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %6, i32 0, i32 0
  store float addrspace(1)* %1, float addrspace(1)** %13, align 8
  store float %2, float* %7, align 4
  store i64 %3, i64* %8, align 8
  store i64 0, i64* %9, align 8
  %14 = load i64, i64* %8, align 8
  store i64 %14, i64* %10, align 8
  br label %15

15:                                               ; preds = %38, %4
  %16 = load i64, i64* %9, align 8
  %17 = load i64, i64* %10, align 8
  %18 = icmp ult i64 %16, %17
  br i1 %18, label %19, label %41

19:                                               ; preds = %15
  %20 = load i64, i64* %9, align 8
  store i64 %20, i64* %11, align 8
  %21 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %5, i32 0, i32 0
  %22 = load i64, i64* %11, align 8
  %23 = load float addrspace(1)*, float addrspace(1)** %21, align 8
  %24 = getelementptr inbounds float, float addrspace(1)* %23, i64 %22
  %25 = load float, float* %7, align 4
  %26 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %6, i32 0, i32 0
  %27 = load i64, i64* %11, align 8
  %28 = load float addrspace(1)*, float addrspace(1)** %26, align 8
  %29 = getelementptr inbounds float, float addrspace(1)* %28, i64 %27
  %30 = load float, float addrspace(1)* %29, align 4
  %31 = fmul float %25, %30
  %32 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %5, i32 0, i32 0
  %33 = load i64, i64* %11, align 8
  %34 = load float addrspace(1)*, float addrspace(1)** %32, align 8
  %35 = getelementptr inbounds float, float addrspace(1)* %34, i64 %33
  %36 = load float, float addrspace(1)* %35, align 4
  %37 = fadd float %31, %36
  store float %37, float addrspace(1)* %24, align 4
  br label %38

38:                                               ; preds = %19
  %39 = load i64, i64* %9, align 8
  %40 = add i64 %39, 1
  store i64 %40, i64* %9, align 8
  br label %15

41:                                               ; preds = %15
  ret void
}

define ptx_kernel void @_D5saxpy5shiftFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TfZQBeSQByQBx__TQBrVQBmi2TiZQCdlZv(float addrspace(1)* %0, i32 addrspace(3)* %1, i64 %2) #0 {
  %4 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", align 8
  %5 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer", align 8
  %6 = alloca i64, align 8
  %7 = alloca i32, align 4
  %8 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %4, i32 0, i32 0
  store float addrspace(1)* %0, float addrspace(1)** %8, align 8
  %9 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer"* %5, i32 0, i32 0
  store i32 addrspace(3)* %1, i32 addrspace(3)** %9, align 8
  store i64 %2, i64* %6, align 8
  %10 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer"* %5, i32 0, i32 0
  %11 = load i32 addrspace(3)*, i32 addrspace(3)** %10, align 8
  %12 = getelementptr inbounds i32, i32 addrspace(3)* %11, i64 0
  %13 = load i32, i32 addrspace(3)* %12, align 4
  store i32 %13, i32* %7, align 4
  %14 = load i32, i32* %7, align 4
  %15 = icmp sgt i32 %14, 0
  br i1 %15, label %16, label %31

16:                                               ; preds = %3
  %17 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %4, i32 0, i32 0
  %18 = load i32, i32* %7, align 4
  %19 = sext i32 %18 to i64
  %20 = load i64, i64* %6, align 8
  %21 = add i64 %19, %20
  %22 = load float addrspace(1)*, float addrspace(1)** %17, align 8
  %23 = getelementptr inbounds float, float addrspace(1)* %22, i64 %21
  %24 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, float).Pointer"* %4, i32 0, i32 0
  %25 = load i32, i32* %7, align 4
  %26 = sext i32 %25 to i64
  %27 = load float addrspace(1)*, float addrspace(1)** %24, align 8
  %28 = getelementptr inbounds float, float addrspace(1)* %27, i64 %26
  %29 = load float, float addrspace(1)* %28, align 4
  %30 = fmul float %29, 5.000000e-01
  store float %30, float addrspace(1)* %23, align 4
  br label %31

31:                                               ; preds = %16, %3
  %32 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Shared, int).Pointer"* %5, i32 0, i32 0
  %33 = load i32 addrspace(3)*, i32 addrspace(3)** %32, align 8
  %34 = getelementptr inbounds i32, i32 addrspace(3)* %33, i64 1
  %35 = load i32, i32* %7, align 4
  %36 = ashr i32 %35, 1
  store i32 %36, i32 addrspace(3)* %34, align 4
  ret void
}

attributes #0 = { "frame-pointer"="all" }

!nvvm.annotations = !{!0, !1}

!0 = !{void (float addrspace(1)*, float addrspace(1)*, float, i64)* @_D5saxpyQgFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TfZQBeQByfmZv, !"kernel", i32 1}
!1 = !{void (float addrspace(1)*, i32 addrspace(3)*, i64)* @_D5saxpy5shiftFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TfZQBeSQByQBx__TQBrVQBmi2TiZQCdlZv, !"kernel", i32 1}
