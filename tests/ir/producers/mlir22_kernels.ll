; Made by make_producers.py with Debian LLVM version 22.1.8.
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

@__wg_sum_0 = internal addrspace(3) global [128 x float] undef

define ptx_kernel void @scale(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, float %10) #0 {
  %12 = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %13 = sext i32 %12 to i64
  %14 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %15 = sext i32 %14 to i64
  %16 = call range(i32 1, 129) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %17 = sext i32 %16 to i64
  %18 = mul i64 %15, %17
  %19 = add i64 %18, %13
  %20 = getelementptr inbounds nuw float, ptr %1, i64 %19
  %21 = load float, ptr %20, align 4
  %22 = fmul float %21, %10
  %23 = getelementptr inbounds nuw float, ptr %6, i64 %19
  store float %22, ptr %23, align 4
  ret void
}

define ptx_kernel void @sum(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, ptr %5, ptr %6, i64 %7, i64 %8, i64 %9) {
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %14 = load float, ptr %13, align 4
  %15 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %14, i32 1, i32 31)
  %16 = fadd float %14, %15
  %17 = getelementptr inbounds nuw float, ptr addrspace(3) @__wg_sum_0, i64 %12
  store float %16, ptr addrspace(3) %17, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %18 = icmp eq i64 %12, 0
  br i1 %18, label %19, label %21

19:                                               ; preds = %10
  %20 = load float, ptr addrspace(3) @__wg_sum_0, align 4
  store float %20, ptr %6, align 4
  br label %21

21:                                               ; preds = %19, %10
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #2

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

attributes #0 = { "nvvm.maxntid"="128,1,1" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent nocallback nounwind }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
