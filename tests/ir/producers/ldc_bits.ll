; Made by make_producers.py with LDC - the LLVM D compiler (1.30.0):.
; ModuleID = 'dcomputeTargetCUDA'
source_filename = "dcomputeTargetCUDA"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer" = type { i32 addrspace(1)* }
%"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer" = type { i8 addrspace(4)* }

define ptx_device i32 @_D4bits3mixFkiZk(i32 %0, i32 %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, i32* %3, align 4
  store i32 %1, i32* %4, align 4
  %5 = load i32, i32* %4, align 4
  switch i32 %5, label %32 [
    i32 0, label %7
    i32 1, label %14
    i32 2, label %19
    i32 9, label %27
  ]

6:                                                ; No predecessors!
  br label %8

7:                                                ; preds = %2
  br label %8

8:                                                ; preds = %7, %6
  %9 = load i32, i32* %3, align 4
  %10 = load i32, i32* %3, align 4
  %11 = lshr i32 %10, 16
  %12 = xor i32 %9, %11
  ret i32 %12

13:                                               ; No predecessors!
  br label %15

14:                                               ; preds = %2
  br label %15

15:                                               ; preds = %14, %13
  %16 = load i32, i32* %3, align 4
  %17 = mul i32 %16, -1640531527
  ret i32 %17

18:                                               ; No predecessors!
  br label %20

19:                                               ; preds = %2
  br label %20

20:                                               ; preds = %19, %18
  %21 = load i32, i32* %3, align 4
  %22 = shl i32 %21, 5
  %23 = load i32, i32* %3, align 4
  %24 = lshr i32 %23, 27
  %25 = or i32 %22, %24
  ret i32 %25

26:                                               ; No predecessors!
  br label %28

27:                                               ; preds = %2
  br label %28

28:                                               ; preds = %27, %26
  %29 = load i32, i32* %3, align 4
  %30 = xor i32 %29, -1
  ret i32 %30

31:                                               ; No predecessors!
  br label %33

32:                                               ; preds = %2
  br label %33

33:                                               ; preds = %32, %31
  %34 = load i32, i32* %3, align 4
  %35 = urem i32 %34, 12345
  ret i32 %35

36:                                               ; No predecessors!
  br label %37

37:                                               ; preds = %36
  ret i32 undef
}

define ptx_kernel void @_D4bits4hashFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TkZQBeSQByQBx__TQBrVQBmi3TyhZQCemZv(i32 addrspace(1)* %0, i8 addrspace(4)* %1, i64 %2) #0 {
  %4 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer", align 8
  %5 = alloca %"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer", align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer"* %4, i32 0, i32 0
  store i32 addrspace(1)* %0, i32 addrspace(1)** %12, align 8
  %13 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer"* %5, i32 0, i32 0
  store i8 addrspace(4)* %1, i8 addrspace(4)** %13, align 8
  store i64 %2, i64* %6, align 8
  store i64 0, i64* %7, align 8
  br label %14

14:                                               ; preds = %48, %3
  %15 = load i64, i64* %7, align 8
  %16 = load i64, i64* %6, align 8
  %17 = icmp ult i64 %15, %16
  br i1 %17, label %18, label %51

18:                                               ; preds = %14
  %19 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer"* %4, i32 0, i32 0
  %20 = load i64, i64* %7, align 8
  %21 = load i32 addrspace(1)*, i32 addrspace(1)** %19, align 8
  %22 = getelementptr inbounds i32, i32 addrspace(1)* %21, i64 %20
  %23 = load i32, i32 addrspace(1)* %22, align 4
  store i32 %23, i32* %8, align 4
  store i32 0, i32* %9, align 4
  store i32 4, i32* %10, align 4
  br label %24

24:                                               ; preds = %39, %18
  %25 = load i32, i32* %9, align 4
  %26 = load i32, i32* %10, align 4
  %27 = icmp slt i32 %25, %26
  br i1 %27, label %28, label %42

28:                                               ; preds = %24
  %29 = load i32, i32* %9, align 4
  store i32 %29, i32* %11, align 4
  %30 = load i32, i32* %8, align 4
  %31 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Constant, immutable(ubyte)).Pointer"* %5, i32 0, i32 0
  %32 = load i32, i32* %11, align 4
  %33 = sext i32 %32 to i64
  %34 = load i8 addrspace(4)*, i8 addrspace(4)** %31, align 8
  %35 = getelementptr inbounds i8, i8 addrspace(4)* %34, i64 %33
  %36 = load i8, i8 addrspace(4)* %35, align 1
  %37 = zext i8 %36 to i32
  %38 = call ptx_device i32 @_D4bits3mixFkiZk(i32 %30, i32 %37) #0
  store i32 %38, i32* %8, align 4
  br label %39

39:                                               ; preds = %28
  %40 = load i32, i32* %9, align 4
  %41 = add i32 %40, 1
  store i32 %41, i32* %9, align 4
  br label %24

42:                                               ; preds = %24
  %43 = getelementptr inbounds %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer", %"ldc.dcompute.Pointer!(AddrSpace.Global, uint).Pointer"* %4, i32 0, i32 0
  %44 = load i64, i64* %7, align 8
  %45 = load i32 addrspace(1)*, i32 addrspace(1)** %43, align 8
  %46 = getelementptr inbounds i32, i32 addrspace(1)* %45, i64 %44
  %47 = load i32, i32* %8, align 4
  store i32 %47, i32 addrspace(1)* %46, align 4
  br label %48

48:                                               ; preds = %42
  %49 = load i64, i64* %7, align 8
  %50 = add i64 %49, 1
  store i64 %50, i64* %7, align 8
  br label %14

51:                                               ; preds = %14
  ret void
}

attributes #0 = { "frame-pointer"="all" }

!nvvm.annotations = !{!0}

!0 = !{void (i32 addrspace(1)*, i8 addrspace(4)*, i64)* @_D4bits4hashFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TkZQBeSQByQBx__TQBrVQBmi3TyhZQCemZv, !"kernel", i32 1}
