; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-intr-range %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=nvvm-intr-range -nvvm-intr-range-sm=20 %s -o - | FileCheck %s --check-prefix=SM20

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()

define ptx_kernel void @limits() {
; CHECK-LABEL: define ptx_kernel void @limits(
; CHECK: call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.z()
; CHECK: call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK: call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; SM20: call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: call range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
; CHECK: call range(i32 0, 32) i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.clock()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %e = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %f = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  ret void
}

define ptx_kernel void @bound() "nvvm.maxntid"="128,2" {
; A bound is one on the product of the dimensions.
; CHECK-LABEL: define ptx_kernel void @bound(
; CHECK: call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}

define ptx_kernel void @exact() "nvvm.reqntid"="128,2" {
; CHECK-LABEL: define ptx_kernel void @exact(
; CHECK: call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call range(i32 0, 1) i32 @llvm.nvvm.read.ptx.sreg.tid.z()
; CHECK: call range(i32 128, 129) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()

define ptx_kernel void @cluster() "nvvm.cluster_dim"="4,2" {
; CHECK-LABEL: define ptx_kernel void @cluster(
; CHECK: call range(i32 0, 4) i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
; CHECK: call range(i32 2, 3) i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.y()
; CHECK: call range(i32 0, 8) i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
; CHECK: call range(i32 8, 9) i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
; CHECK: call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctaid.y()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
  %e = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  ret void
}

define ptx_kernel void @rank() "nvvm.maxclusterrank"="16" {
; CHECK-LABEL: define ptx_kernel void @rank(
; CHECK: call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
; CHECK: call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  ret void
}

; Any kernel may call a function, whatever its own attributes say.
define void @function() "nvvm.maxntid"="32" {
; CHECK-LABEL: define void @function(
; CHECK: call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}

; A range that is stated stays.
define void @stated() {
; CHECK-LABEL: define void @stated(
; CHECK: call range(i32 0, 7) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call range(i32 0, 7) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}
