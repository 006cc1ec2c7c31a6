; Directives of kernels and functions, from attributes and from nvvm.annotations.
; llc: -mcpu=sm_90 -mattr=+ptx90
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @maxntid1() "nvvm.maxntid"="256" { ret void }
define ptx_kernel void @maxntid3() "nvvm.maxntid"="8,4,2" { ret void }
define ptx_kernel void @reqntid2() "nvvm.reqntid"="32,2" { ret void }
define ptx_kernel void @mincta() "nvvm.maxntid"="128" "nvvm.minctasm"="2" { ret void }
define ptx_kernel void @maxnreg() "nvvm.maxnreg"="64" { ret void }
define ptx_kernel void @maxrank() "nvvm.maxclusterrank"="8" { ret void }
define ptx_kernel void @cluster() "nvvm.cluster_dim"="2,2,1" { ret void }
define ptx_kernel void @cluster1() "nvvm.cluster_dim"="4" { ret void }
define ptx_kernel void @cluster0() "nvvm.cluster_dim"="0" { ret void }
define ptx_kernel void @blocks() "nvvm.blocksareclusters" "nvvm.reqntid"="32" "nvvm.cluster_dim"="2" { ret void }
define ptx_kernel void @all(ptr %p) "nvvm.maxntid"="128,2,1" "nvvm.minctasm"="2" "nvvm.maxnreg"="32" "nvvm.cluster_dim"="2,2,2" "nvvm.maxclusterrank"="8" { ret void }
define ptx_kernel void @both() "nvvm.maxntid"="128" "nvvm.reqntid"="64" { ret void }
define void @device() "nvvm.maxntid"="128" "nvvm.maxnreg"="32" { ret void }
define void @device_noret() noreturn { call void @llvm.trap() unreachable }
define ptx_kernel void @kernel_noret() noreturn { call void @llvm.trap() unreachable }
define i32 @device_ret_noret() noreturn { call void @llvm.trap() unreachable }
define void @annotated() { ret void }
define void @annotated2() { ret void }
define internal void @annotated_internal() { ret void }
define weak_odr ptx_kernel void @weak_kernel() { ret void }
define internal ptx_kernel void @internal_kernel() { ret void }
define linkonce_odr ptx_kernel void @linkonce_kernel() { ret void }
declare void @llvm.trap()
!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @annotated, !"kernel", i32 1, !"maxntidx", i32 64, !"maxntidy", i32 2, !"minctasm", i32 3}
!1 = !{ptr @annotated2, !"kernel", i32 1, !"reqntidx", i32 64, !"reqntidz", i32 2}
!2 = !{ptr @annotated2, !"maxnreg", i32 40, !"cluster_dim_x", i32 2, !"cluster_dim_y", i32 4}
!3 = !{ptr @annotated_internal, !"kernel", i32 1}
!4 = !{ptr @annotated2, !"maxclusterrank", i32 4}
