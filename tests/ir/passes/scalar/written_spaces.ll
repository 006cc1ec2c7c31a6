; Loads give what is known from before, unless memory of their space may have changed since.
;
; RUN: ptxmir -x ir -emit-llvm -passes=early-cse %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)

; Stores to one space leave the others as they are.
define i32 @other_space(ptr addrspace(1) %g, ptr addrspace(3) %s, ptr addrspace(5) %l) {
; CHECK-LABEL: @other_space(
; CHECK: load i32, ptr addrspace(1) %g
; CHECK-NOT: load
; CHECK: ret
  %a = load i32, ptr addrspace(1) %g
  store i32 1, ptr addrspace(3) %s
  store i32 2, ptr addrspace(5) %l
  %b = load i32, ptr addrspace(1) %g
  %r = add i32 %a, %b
  ret i32 %r
}

define i32 @same_space(ptr addrspace(1) %g, ptr addrspace(1) %h) {
; CHECK-LABEL: @same_space(
; CHECK: load
; CHECK: load
  %a = load i32, ptr addrspace(1) %g
  store i32 1, ptr addrspace(1) %h
  %b = load i32, ptr addrspace(1) %g
  %r = add i32 %a, %b
  ret i32 %r
}

; A generic pointer may point into any space, and any store may change what it points to.
define i32 @generic(ptr addrspace(3) %s, ptr %p) {
; CHECK-LABEL: @generic(
; CHECK: load i32, ptr addrspace(3) %s
; CHECK: store i32 1, ptr %p
; CHECK: load i32, ptr addrspace(3) %s
; CHECK: load i32, ptr %p
; CHECK: store i32 2, ptr addrspace(3) %s
; CHECK: load i32, ptr %p
  %a = load i32, ptr addrspace(3) %s
  store i32 1, ptr %p
  %b = load i32, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = load i32, ptr %p
  store i32 2, ptr addrspace(3) %s
  %d = load i32, ptr %p
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %r = add i32 %ab, %cd
  ret i32 %r
}

; The shared memory of the cluster contains that of the CTA.
define i32 @cluster(ptr addrspace(3) %s, ptr addrspace(7) %c) {
; CHECK-LABEL: @cluster(
; CHECK: load
; CHECK: load
  %a = load i32, ptr addrspace(3) %s
  store i32 1, ptr addrspace(7) %c
  %b = load i32, ptr addrspace(3) %s
  %r = add i32 %a, %b
  ret i32 %r
}

; Constant memory and parameters never change, not even where paths meet.
define i32 @constant(ptr addrspace(4) %k, ptr addrspace(101) %p, ptr %o, i1 %c) {
; CHECK-LABEL: @constant(
; CHECK: load i32, ptr addrspace(4)
; CHECK: load i32, ptr addrspace(101)
; CHECK-NOT: load
; CHECK: ret
  %a = load i32, ptr addrspace(4) %k
  %b = load i32, ptr addrspace(101) %p
  br i1 %c, label %then, label %join
then:
  store i32 1, ptr %o
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %join
join:
  %d = load i32, ptr addrspace(4) %k
  %e = load i32, ptr addrspace(101) %p
  %ab = add i32 %a, %b
  %de = add i32 %d, %e
  %r = add i32 %ab, %de
  ret i32 %r
}

; Barriers and atomic operations that order others let what other threads have written be seen; relaxed ones do not.
define i32 @synchronization(ptr addrspace(1) %g, ptr addrspace(3) %s) {
; CHECK-LABEL: @synchronization(
; CHECK: load i32, ptr addrspace(1) %g
; CHECK-NEXT: atomicrmw add {{.*}} monotonic
; CHECK-NEXT: atomicrmw add {{.*}} acq_rel
; CHECK-NEXT: load i32, ptr addrspace(1) %g
; CHECK-NEXT: call void @llvm.nvvm.barrier
; CHECK-NEXT: load i32, ptr addrspace(1) %g
  %a = load i32, ptr addrspace(1) %g
  %x = atomicrmw add ptr addrspace(3) %s, i32 1 monotonic
  %b = load i32, ptr addrspace(1) %g
  %y = atomicrmw add ptr addrspace(3) %s, i32 1 acq_rel
  %c = load i32, ptr addrspace(1) %g
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %d = load i32, ptr addrspace(1) %g
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %r = add i32 %ab, %cd
  ret i32 %r
}

; A copy changes the memory that it writes.
define i32 @copy(ptr addrspace(1) %g, ptr addrspace(3) %s) {
; CHECK-LABEL: @copy(
; CHECK: load i32, ptr addrspace(1) %g
; CHECK-NEXT: load i32, ptr addrspace(3) %s
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: load i32, ptr addrspace(3) %s
; CHECK-NOT: load
  %a = load i32, ptr addrspace(1) %g
  %b = load i32, ptr addrspace(3) %s
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) %s, ptr addrspace(1) %g, i64 4, i1 false)
  %c = load i32, ptr addrspace(1) %g
  %d = load i32, ptr addrspace(3) %s
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %r = add i32 %ab, %cd
  ret i32 %r
}
