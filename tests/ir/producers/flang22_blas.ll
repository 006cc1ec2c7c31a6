; Made by make_producers.py with Debian flang version 22.1.8 (1~deb12u1).
; ModuleID = 'FIRModule'
source_filename = "FIRModule"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: read)
define double @_QMblasPdot(ptr noalias readonly captures(none) %0, ptr noalias readonly captures(none) %1) local_unnamed_addr #0 {
  %3 = load i32, ptr %0, align 4, !tbaa !4
  %4 = load i32, ptr %1, align 4, !tbaa !10
  %5 = tail call i32 @llvm.smin.i32(i32 %3, i32 %4)
  %6 = icmp sgt i32 %5, 0
  br i1 %6, label %.lr.ph.preheader, label %._crit_edge

.lr.ph.preheader:                                 ; preds = %2
  %7 = zext nneg i32 %5 to i64
  br label %.lr.ph

.lr.ph:                                           ; preds = %.lr.ph.preheader, %.lr.ph
  %8 = phi i64 [ %18, %.lr.ph ], [ %7, %.lr.ph.preheader ]
  %9 = phi i32 [ %17, %.lr.ph ], [ 1, %.lr.ph.preheader ]
  %.04 = phi double [ %16, %.lr.ph ], [ 0.000000e+00, %.lr.ph.preheader ]
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr double, ptr %0, i64 %10
  %12 = load double, ptr %11, align 8, !tbaa !4
  %13 = getelementptr double, ptr %1, i64 %10
  %14 = load double, ptr %13, align 8, !tbaa !10
  %15 = fmul contract double %12, %14
  %16 = fadd contract double %.04, %15
  %17 = add nuw nsw i32 %9, 1
  %18 = add nsw i64 %8, -1
  %19 = icmp sgt i64 %8, 1
  br i1 %19, label %.lr.ph, label %._crit_edge

._crit_edge:                                      ; preds = %.lr.ph, %2
  %.0.lcssa = phi double [ 0.000000e+00, %2 ], [ %16, %.lr.ph ]
  ret double %.0.lcssa
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define void @_QMblasProtate(ptr noalias captures(none) %0, ptr noalias readonly captures(none) %1, ptr noalias captures(none) %2) local_unnamed_addr #1 {
  %.unpack = load float, ptr %0, align 4, !tbaa !12
  %.elt1 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %.unpack2 = load float, ptr %.elt1, align 4, !tbaa !12
  %4 = load float, ptr %1, align 4, !tbaa !18
  %5 = tail call contract float @llvm.cos.f32(float %4)
  %6 = tail call contract float @llvm.sin.f32(float %4)
  %7 = fmul contract float %.unpack, %5
  %8 = fmul contract float %.unpack2, %5
  %9 = fmul contract float %.unpack, %6
  %10 = fadd contract float %9, %8
  %11 = fmul contract float %.unpack2, %6
  %12 = fsub contract float %7, %11
  store float %12, ptr %0, align 4, !tbaa !12
  store float %10, ptr %.elt1, align 4, !tbaa !12
  %13 = load i32, ptr %2, align 4, !tbaa !20
  %14 = shl i32 %13, 3
  %15 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %13)
  %16 = xor i32 %14, %15
  store i32 %16, ptr %2, align 4, !tbaa !20
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.cos.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sin.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #3

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: read) "target-cpu"="sm_80" "target-features"="+sm_80" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "target-cpu"="sm_80" "target-features"="+sm_80" }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 7, !"openmp-device", i32 31}
!1 = !{i32 7, !"openmp", i32 31}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!"Debian flang version 22.1.8"}
!4 = !{!5, !5, i64 0}
!5 = !{!"dummy arg data/_QMblasFdotEx", !6, i64 0}
!6 = !{!"dummy arg data", !7, i64 0}
!7 = !{!"any data access", !8, i64 0}
!8 = !{!"any access", !9, i64 0}
!9 = !{!"Flang function root _QMblasPdot"}
!10 = !{!11, !11, i64 0}
!11 = !{!"dummy arg data/_QMblasFdotEy", !6, i64 0}
!12 = !{!13, !13, i64 0}
!13 = !{!"dummy arg data/_QMblasFrotateEz", !14, i64 0}
!14 = !{!"dummy arg data", !15, i64 0}
!15 = !{!"any data access", !16, i64 0}
!16 = !{!"any access", !17, i64 0}
!17 = !{!"Flang function root _QMblasProtate"}
!18 = !{!19, !19, i64 0}
!19 = !{!"dummy arg data/_QMblasFrotateEangle", !14, i64 0}
!20 = !{!21, !21, i64 0}
!21 = !{!"dummy arg data/_QMblasFrotateEbits", !14, i64 0}
