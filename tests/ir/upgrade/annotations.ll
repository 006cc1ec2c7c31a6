; Annotations that became attributes.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^ *}}define ptx_kernel void @k(ptr %p, ptr byval(i32) "nvvm.grid_constant" %q) "nvvm.maxntid"="256,4" "nvvm.minctasm"="2" "nvvm.reqntid"="1,1,8" "nvvm.maxnreg"="32" "nvvm.cluster_dim"="2,3" {
; CHECK: {{^ *}}define ptx_kernel void @k2(ptr %p, i32 %i) "nvvm.maxntid"="3" "nvvm.maxclusterrank"="3" "nvvm.reqntid"="4,2" "nvvm.cluster_dim"="1,1,3" {
; CHECK: {{^ *}}define alignstack(8) i32 @f(i16 alignstack(4) %p, i32 %i) {
; CHECK: {{^ *}}!nvvm.annotations = !{![[FOO:[0-9]+]], !5, !6, ![[K2:[0-9]+]], ![[K3:[0-9]+]]}
; CHECK-DAG: {{^}}![[FOO]] = !{ptr @k, !"foo", i32 3}
; CHECK-DAG: {{^}}![[K2]] = !{ptr @k2, !"rdoimage", i32 0, !"blocksareclusters", i32 1}
; CHECK-DAG: {{^}}![[K3]] = !{ptr @k2, !"wroimage", i32 1, !"rdwrimage", i32 1, !"sampler", i32 0}

target triple = "nvptx64-nvidia-cuda"
@g = internal global i32 0
@t = global i64 0
define void @k(ptr %p, ptr byval(i32) %q) { ret void }
define ptx_kernel void @k2(ptr %p, i32 %i) "nvvm.maxntid"="7" { ret void }
define i32 @f(i16 %p, i32 %i) { ret i32 0 }
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !0}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 256, !"maxntidy", i32 4, !"minctasm", i32 2}
!2 = !{ptr @k, !"reqntidz", i32 8}
!3 = !{ptr @k, !"maxnreg", i32 32, !"cluster_dim_x", i32 2, !"cluster_dim_y", i32 3, !"foo", i32 3}
!4 = !{ptr @k, !"grid_constant", !20}
!5 = !{ptr @g, !"texture", i32 1}
!6 = !{ptr @t, !"surface", i32 1, !"managed", i32 1, !"sampler", i32 1}
!7 = !{ptr @k2, !"maxntidx", i32 3, !"rdoimage", i32 0, !"maxclusterrank", i32 8, !"cluster_max_blocks", i32 3, !"blocksareclusters", i32 1}
!8 = !{ptr @f, !"align", i32 65540, !"align", i32 8, !"kernel", i32 0}
!9 = !{null, !"align", i32 8}
!10 = !{ptr @k2, !"wroimage", i32 1, !"rdwrimage", i32 1, !"sampler", i32 0, !"reqntidx", i32 4, !"reqntidy", i32 2, !"cluster_dim_z", i32 3}
!20 = !{i32 2}
