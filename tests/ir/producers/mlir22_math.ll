; Made by make_producers.py with Debian LLVM version 22.1.8.
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare float @__nv_sinf(float)

declare float @__nv_expf(float)

define ptx_kernel void @wave(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, ptr %6, ptr %7, i64 %8, i64 %9, i64 %10) {
  br label %12

12:                                               ; preds = %16, %11
  %13 = phi i64 [ %22, %16 ], [ 0, %11 ]
  %14 = phi float [ %21, %16 ], [ 0.000000e+00, %11 ]
  %15 = icmp slt i64 %13, %5
  br i1 %15, label %16, label %23

16:                                               ; preds = %12
  %17 = getelementptr inbounds nuw float, ptr %1, i64 %13
  %18 = load float, ptr %17, align 4
  %19 = call float @__nv_sinf(float %18)
  %20 = call float @__nv_expf(float %19)
  %21 = fadd nnan contract float %14, %20
  %22 = add i64 %13, 1
  br label %12

23:                                               ; preds = %12
  %24 = fptrunc float %14 to half
  store half %24, ptr %7, align 2
  %25 = atomicrmw fadd ptr %1, float %14 acq_rel, align 4
  %26 = load <4 x float>, ptr %1, align 4
  %27 = fmul <4 x float> %26, %26
  store <4 x float> %27, ptr %1, align 4
  ret void
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
