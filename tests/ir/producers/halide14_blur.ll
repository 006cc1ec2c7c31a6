; Made by make_producers.py with Debian package python3-halide:amd64 14.0.0-3.
; ModuleID = 'ptx_dev_ll'
source_filename = "ptx_dev.ll.transformed.ll"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64--"

; Function Attrs: convergent nounwind
declare void @llvm.nvvm.barrier0() #0

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: nofree nosync nounwind readnone speculatable
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: nounwind
define void @_kernel_result_s0_y_y___block_id_y(i8* noalias nocapture writeonly %result, i8* noalias nocapture readonly %source, i32 %result.extent.0, i32 %result.extent.1, i32 %result.min.1, i32 %result.stride.1, i32 %source.stride.1, i32 %t23) local_unnamed_addr #2 {
entry:
  %source3 = addrspacecast i8* %source to i8 addrspace(1)*
  %result1 = addrspacecast i8* %result to i8 addrspace(1)*
  %result.s0.y.y.__block_id_y = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3, !range !6
  %result.s0.x.x.__block_id_x = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3, !range !7
  %.__thread_id_y = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3, !range !8
  %.__thread_id_x = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3, !range !8
  %a0 = shl nuw nsw i32 %result.s0.y.y.__block_id_y, 4
  %b0 = add nsw i32 %result.extent.1, -16
  %0 = icmp slt i32 %a0, %b0
  %result.s0.y.yi.base.s = select i1 %0, i32 %a0, i32 %b0
  %a1 = shl nsw i32 %result.s0.x.x.__block_id_x, 4
  %b1 = add nsw i32 %result.extent.0, -16
  %1 = icmp slt i32 %a1, %b1
  %result.s0.x.xi.base.s = select i1 %1, i32 %a1, i32 %b1
  %2 = add i32 %.__thread_id_y, %result.min.1
  %3 = add i32 %2, %result.s0.y.yi.base.s
  %4 = mul nsw i32 %3, %source.stride.1
  %5 = add i32 %result.s0.x.xi.base.s, %.__thread_id_x
  %t7.s = add i32 %5, %t23
  %t19 = add i32 %t7.s, %4
  %6 = bitcast i8 addrspace(1)* %source3 to float addrspace(1)*
  %7 = sext i32 %t19 to i64
  %8 = getelementptr inbounds float, float addrspace(1)* %6, i64 %7
  %9 = getelementptr inbounds float, float addrspace(1)* %8, i64 2
  %10 = load float, float addrspace(1)* %9, align 4, !tbaa !9
  %11 = load float, float addrspace(1)* %8, align 4, !tbaa !9
  %12 = getelementptr inbounds float, float addrspace(1)* %8, i64 1
  %13 = load float, float addrspace(1)* %12, align 4, !tbaa !9
  %14 = fadd reassoc nnan ninf nsz contract afn float %11, %13
  %15 = fadd reassoc nnan ninf nsz contract afn float %10, %14
  %16 = shl nuw nsw i32 %.__thread_id_y, 4
  %17 = add nuw nsw i32 %16, %.__thread_id_x
  %18 = zext i32 %17 to i64
  %19 = getelementptr inbounds float, float addrspace(3)* null, i64 %18
  store float %15, float addrspace(3)* %19, align 4, !tbaa !12
  tail call void @llvm.nvvm.barrier0()
  %20 = icmp ult i32 %.__thread_id_y, 16
  br i1 %20, label %"consume row", label %after_bb

after_bb:                                         ; preds = %entry, %"consume row"
  ret void

"consume row":                                    ; preds = %entry
  %21 = getelementptr inbounds float, float addrspace(3)* %19, i64 32
  %22 = load float, float addrspace(3)* %21, align 4, !tbaa !12
  %23 = load float, float addrspace(3)* %19, align 4, !tbaa !12
  %24 = getelementptr inbounds float, float addrspace(3)* %19, i64 16
  %25 = load float, float addrspace(3)* %24, align 4, !tbaa !12
  %26 = fadd reassoc nnan ninf nsz contract afn float %23, %25
  %27 = fadd reassoc nnan ninf nsz contract afn float %22, %26
  %28 = fmul reassoc nnan ninf nsz contract afn float %27, 0x3FBC71C720000000
  %reass.add = add nsw i32 %.__thread_id_y, %result.s0.y.yi.base.s
  %reass.mul = mul i32 %reass.add, %result.stride.1
  %29 = add i32 %5, %reass.mul
  %30 = bitcast i8 addrspace(1)* %result1 to float addrspace(1)*
  %31 = sext i32 %29 to i64
  %32 = getelementptr inbounds float, float addrspace(1)* %30, i64 %31
  store float %28, float addrspace(1)* %32, align 4, !tbaa !14
  br label %after_bb
}

attributes #0 = { convergent nounwind "nvptx-f32ftz"="true" }
attributes #1 = { nofree nosync nounwind readnone speculatable "nvptx-f32ftz"="true" }
attributes #2 = { nounwind "nvptx-f32ftz"="true" "reciprocal-estimates"="none" }
attributes #3 = { nounwind }

!nvvm.internalize.after.link = !{}
!nvvm.annotations = !{!0, !1, !0, !2, !2, !2, !2, !3, !3, !2, !4}
!llvm.module.flags = !{!5}

!0 = !{null, !"align", i32 8}
!1 = !{null, !"align", i32 8, !"align", i32 65544, !"align", i32 131080}
!2 = !{null, !"align", i32 16}
!3 = !{null, !"align", i32 16, !"align", i32 65552, !"align", i32 131088}
!4 = !{void (i8*, i8*, i32, i32, i32, i32, i32, i32)* @_kernel_result_s0_y_y___block_id_y, !"kernel", i32 1}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!6 = !{i32 0, i32 65535}
!7 = !{i32 0, i32 2147483647}
!8 = !{i32 0, i32 1024}
!9 = !{!10, !10, i64 0}
!10 = !{!"source", !11, i64 0}
!11 = !{!"Halide buffer"}
!12 = !{!13, !13, i64 0}
!13 = !{!"row.0", !11, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"result", !11, i64 0}
