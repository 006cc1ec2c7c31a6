; Made by make_producers.py with Debian package python3-halide:amd64 14.0.0-3.
; ModuleID = 'ptx_dev_ll'
source_filename = "ptx_dev.ll.transformed.ll"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64--"

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #0

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #0

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.nvvm.floor.ftz.f(float %0) #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn
define void @_kernel_result_s0_y_y___block_id_y(i8* noalias nocapture writeonly %result, i8* noalias nocapture readonly %source, i32 %result.extent.1, i32 %result.min.1, i32 %result.stride.1, i32 %source.stride.1, i32 %t34, i32 %t35, i32 %t37, i32 %t38, i32 %t39) local_unnamed_addr #2 {
entry:
  %source3 = addrspacecast i8* %source to i8 addrspace(1)*
  %result1 = addrspacecast i8* %result to i8 addrspace(1)*
  %result.s0.y.y.__block_id_y = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4, !range !6
  %result.s0.x.x.__block_id_x = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4, !range !7
  %.__thread_id_y = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4, !range !8
  %.__thread_id_x = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4, !range !8
  %a0 = shl nuw nsw i32 %result.s0.y.y.__block_id_y, 2
  %b1 = add nsw i32 %result.extent.1, -4
  %0 = icmp slt i32 %a0, %b1
  %result.s0.y.yi.base.s = select i1 %0, i32 %a0, i32 %b1
  %1 = icmp slt i32 %result.s0.x.x.__block_id_x, %t34
  %2 = add i32 %.__thread_id_y, %result.min.1
  %3 = add i32 %2, %result.s0.y.yi.base.s
  %4 = mul nsw i32 %3, %source.stride.1
  br i1 %1, label %then_bb, label %next_bb

after_bb:                                         ; preds = %next_bb, %then_bb
  ret void

then_bb:                                          ; preds = %entry
  %5 = shl nsw i32 %result.s0.x.x.__block_id_x, 5
  %6 = add nuw i32 %5, %.__thread_id_x
  %7 = add i32 %6, %t35
  %8 = add i32 %7, %4
  %9 = bitcast i8 addrspace(1)* %source3 to float addrspace(1)*
  %10 = sext i32 %8 to i64
  %11 = getelementptr inbounds float, float addrspace(1)* %9, i64 %10
  %t14 = load float, float addrspace(1)* %11, align 4, !tbaa !9
  %12 = fcmp reassoc nnan ninf nsz contract afn ogt float %t14, 1.000000e+00
  %13 = tail call float @llvm.sqrt.f32(float %t14) #4
  %14 = fmul reassoc nnan ninf nsz contract afn float %t14, 0x3FF7154760000000
  %15 = tail call float @llvm.nvvm.floor.ftz.f(float %14) #4
  %t43 = fptosi float %15 to i32
  %16 = fmul reassoc nnan ninf nsz contract afn float %15, 0x3FE62E4300000000
  %t44 = fsub reassoc nnan ninf nsz contract afn float %t14, %16
  %t45 = fmul reassoc nnan ninf nsz contract afn float %t44, %t44
  %17 = icmp sgt i32 %t43, -127
  %18 = icmp slt i32 %t43, 128
  %19 = fmul reassoc nnan ninf nsz contract afn float %t45, 0x3F34F2FE60000000
  %20 = fadd reassoc nnan ninf nsz contract afn float %19, 0x3F81632540000000
  %21 = fmul reassoc nnan ninf nsz contract afn float %t45, %20
  %22 = fadd reassoc nnan ninf nsz contract afn float %21, 0x3FC555C3E0000000
  %23 = fmul reassoc nnan ninf nsz contract afn float %t45, %22
  %24 = fadd reassoc nnan ninf nsz contract afn float %23, 1.000000e+00
  %25 = fmul reassoc nnan ninf nsz contract afn float %t44, %24
  %26 = fmul reassoc nnan ninf nsz contract afn float %t45, 0x3F5385CCC0000000
  %27 = fadd reassoc nnan ninf nsz contract afn float %26, 0x3FA54CD780000000
  %28 = fmul reassoc nnan ninf nsz contract afn float %t45, %27
  %29 = fadd reassoc nnan ninf nsz contract afn float %28, 0x3FDFFFFBC0000000
  %30 = fmul reassoc nnan ninf nsz contract afn float %t45, %29
  %31 = fadd reassoc nnan ninf nsz contract afn float %30, 1.000000e+00
  %32 = fadd reassoc nnan ninf nsz contract afn float %31, %25
  %33 = shl i32 %t43, 23
  %34 = add i32 %33, 1065353216
  %35 = bitcast i32 %34 to float
  %36 = fmul reassoc nnan ninf nsz contract afn float %32, %35
  %37 = select reassoc nnan ninf nsz contract afn i1 %18, float %36, float 0x7FF0000000000000
  %38 = select reassoc nnan ninf nsz contract afn i1 %17, float %37, float 0.000000e+00
  %39 = select reassoc nnan ninf nsz contract afn i1 %12, float %13, float %38
  %40 = mul nsw i32 %3, %result.stride.1
  %41 = add i32 %6, %40
  %42 = sub i32 %41, %t39
  %43 = bitcast i8 addrspace(1)* %result1 to float addrspace(1)*
  %44 = sext i32 %42 to i64
  %45 = getelementptr inbounds float, float addrspace(1)* %43, i64 %44
  store float %39, float addrspace(1)* %45, align 4, !tbaa !12
  br label %after_bb

next_bb:                                          ; preds = %entry
  %46 = add i32 %.__thread_id_x, %t37
  %47 = add i32 %46, %4
  %48 = bitcast i8 addrspace(1)* %source3 to float addrspace(1)*
  %49 = sext i32 %47 to i64
  %50 = getelementptr inbounds float, float addrspace(1)* %48, i64 %49
  %51 = getelementptr inbounds float, float addrspace(1)* %50, i64 -32
  %t17 = load float, float addrspace(1)* %51, align 4, !tbaa !9
  %52 = fcmp reassoc nnan ninf nsz contract afn ogt float %t17, 1.000000e+00
  %53 = tail call float @llvm.sqrt.f32(float %t17) #4
  %54 = fmul reassoc nnan ninf nsz contract afn float %t17, 0x3FF7154760000000
  %55 = tail call float @llvm.nvvm.floor.ftz.f(float %54) #4
  %t47 = fptosi float %55 to i32
  %56 = fmul reassoc nnan ninf nsz contract afn float %55, 0x3FE62E4300000000
  %t48 = fsub reassoc nnan ninf nsz contract afn float %t17, %56
  %t49 = fmul reassoc nnan ninf nsz contract afn float %t48, %t48
  %57 = icmp sgt i32 %t47, -127
  %58 = icmp slt i32 %t47, 128
  %59 = fmul reassoc nnan ninf nsz contract afn float %t49, 0x3F34F2FE60000000
  %60 = fadd reassoc nnan ninf nsz contract afn float %59, 0x3F81632540000000
  %61 = fmul reassoc nnan ninf nsz contract afn float %t49, %60
  %62 = fadd reassoc nnan ninf nsz contract afn float %61, 0x3FC555C3E0000000
  %63 = fmul reassoc nnan ninf nsz contract afn float %t49, %62
  %64 = fadd reassoc nnan ninf nsz contract afn float %63, 1.000000e+00
  %65 = fmul reassoc nnan ninf nsz contract afn float %t48, %64
  %66 = fmul reassoc nnan ninf nsz contract afn float %t49, 0x3F5385CCC0000000
  %67 = fadd reassoc nnan ninf nsz contract afn float %66, 0x3FA54CD780000000
  %68 = fmul reassoc nnan ninf nsz contract afn float %t49, %67
  %69 = fadd reassoc nnan ninf nsz contract afn float %68, 0x3FDFFFFBC0000000
  %70 = fmul reassoc nnan ninf nsz contract afn float %t49, %69
  %71 = fadd reassoc nnan ninf nsz contract afn float %70, 1.000000e+00
  %72 = fadd reassoc nnan ninf nsz contract afn float %71, %65
  %73 = shl i32 %t47, 23
  %74 = add i32 %73, 1065353216
  %75 = bitcast i32 %74 to float
  %76 = fmul reassoc nnan ninf nsz contract afn float %72, %75
  %77 = select reassoc nnan ninf nsz contract afn i1 %58, float %76, float 0x7FF0000000000000
  %78 = select reassoc nnan ninf nsz contract afn i1 %57, float %77, float 0.000000e+00
  %79 = select reassoc nnan ninf nsz contract afn i1 %52, float %53, float %78
  %80 = mul nsw i32 %3, %result.stride.1
  %81 = add i32 %80, %.__thread_id_x
  %82 = add i32 %81, %t38
  %83 = bitcast i8 addrspace(1)* %result1 to float addrspace(1)*
  %84 = sext i32 %82 to i64
  %85 = getelementptr inbounds float, float addrspace(1)* %83, i64 %84
  %86 = getelementptr inbounds float, float addrspace(1)* %85, i64 -32
  store float %79, float addrspace(1)* %86, align 4, !tbaa !12
  br label %after_bb
}

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.sqrt.f32(float %0) #3

attributes #0 = { nofree nosync nounwind readnone speculatable "nvptx-f32ftz"="true" }
attributes #1 = { mustprogress nofree nosync nounwind readnone speculatable willreturn "nvptx-f32ftz"="true" }
attributes #2 = { mustprogress nofree nosync nounwind willreturn "nvptx-f32ftz"="true" "reciprocal-estimates"="none" }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.internalize.after.link = !{}
!nvvm.annotations = !{!0, !1, !0, !2, !2, !2, !2, !3, !3, !2, !4}
!llvm.module.flags = !{!5}

!0 = !{null, !"align", i32 8}
!1 = !{null, !"align", i32 8, !"align", i32 65544, !"align", i32 131080}
!2 = !{null, !"align", i32 16}
!3 = !{null, !"align", i32 16, !"align", i32 65552, !"align", i32 131088}
!4 = !{void (i8*, i8*, i32, i32, i32, i32, i32, i32, i32, i32, i32)* @_kernel_result_s0_y_y___block_id_y, !"kernel", i32 1}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!6 = !{i32 0, i32 65535}
!7 = !{i32 0, i32 2147483647}
!8 = !{i32 0, i32 1024}
!9 = !{!10, !10, i64 0}
!10 = !{!"source", !11, i64 0}
!11 = !{!"Halide buffer"}
!12 = !{!13, !13, i64 0}
!13 = !{!"result", !11, i64 0}
