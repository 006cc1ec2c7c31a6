; RUN: ptxmir -x ir -emit-llvm -passes=infer-address-spaces %s -o - | FileCheck %s

@s = internal addrspace(3) global [64 x float] undef, align 4

declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.global(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @escape(ptr)

define float @constant(i32 %i) {
; CHECK-LABEL: define float @constant(
; CHECK: getelementptr {{.*}}ptr addrspace(3) @s, i32 0, i32 %i
; CHECK: load float, ptr addrspace(3)
  %p = getelementptr inbounds [64 x float], ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 0, i32 %i
  %v = load float, ptr %p, align 4
  ret float %v
}

define void @loop(ptr addrspace(1) %g, i1 %c) {
; A pointer that walks through a loop.
; CHECK-LABEL: define void @loop(
; CHECK: phi ptr addrspace(1)
; CHECK: store float 0.000000e+00, ptr addrspace(1)
; CHECK: getelementptr float, ptr addrspace(1)
entry:
  %p = addrspacecast ptr addrspace(1) %g to ptr
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %n, %loop ]
  store float 0.0, ptr %q, align 4
  %n = getelementptr float, ptr %q, i64 1
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

define float @two(ptr addrspace(1) %g, i1 %c) {
; Two spaces make none.
; CHECK-LABEL: define float @two(
; CHECK: select i1 %c, ptr
; CHECK: load float, ptr %
  %p = addrspacecast ptr addrspace(1) %g to ptr
  %q = select i1 %c, ptr %p, ptr addrspacecast (ptr addrspace(3) @s to ptr)
  %v = load float, ptr %q, align 4
  ret float %v
}

define i1 @tests(ptr addrspace(3) %p) {
; CHECK-LABEL: define i1 @tests(
; CHECK: ret i1 true
  %q = addrspacecast ptr addrspace(3) %p to ptr
  %a = call i1 @llvm.nvvm.isspacep.shared(ptr %q)
  ret i1 %a
}

define i1 @parameter(ptr addrspace(101) %p) {
; CHECK-LABEL: define i1 @parameter(
; CHECK: call i1 @llvm.nvvm.isspacep.global(
  %q = addrspacecast ptr addrspace(101) %p to ptr
  %a = call i1 @llvm.nvvm.isspacep.global(ptr %q)
  ret i1 %a
}

define void @copy(ptr addrspace(1) %g) {
; CHECK-LABEL: define void @copy(
; CHECK: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 @s, ptr addrspace(1) %g, i64 16, i1 false)
  %q = addrspacecast ptr addrspace(1) %g to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 addrspacecast (ptr addrspace(3) @s to ptr), ptr %q, i64 16, i1 false)
  ret void
}

define float @both(ptr addrspace(1) %g, i64 %i) {
; Who needs a generic pointer gets one.
; CHECK-LABEL: define float @both(
; CHECK: [[P:%.*]] = getelementptr float, ptr addrspace(1) %g, i64 %i
; CHECK: [[Q:%.*]] = addrspacecast ptr addrspace(1) [[P]] to ptr
; CHECK: load float, ptr addrspace(1) [[P]]
; CHECK: call void @escape(ptr [[Q]])
  %p = addrspacecast ptr addrspace(1) %g to ptr
  %q = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %q, align 4
  call void @escape(ptr %q)
  ret float %v
}

define i32 @not_wanted(ptr addrspace(1) %g, i64 %i) {
; Inline assembly and calls take generic pointers. What only they use stays as it is; what an access uses, too, is
; converted once.
; CHECK-LABEL: define i32 @not_wanted(
; CHECK-NEXT: %p = addrspacecast ptr addrspace(1) %g to ptr
; CHECK-NEXT: %a = getelementptr i32, ptr %p, i64 %i
; CHECK-NEXT: call void @escape(ptr %a)
; CHECK-NEXT: [[B:%.*]] = getelementptr i32, ptr addrspace(1) %g, i64 7
; CHECK-NEXT: [[C:%.*]] = addrspacecast ptr addrspace(1) [[B]] to ptr
; CHECK-NEXT: load i32, ptr addrspace(1) [[B]]
; CHECK-NEXT: %d = getelementptr i32, ptr [[C]], i64 1
; CHECK-NEXT: call i32 asm "ld.global.nc.u32 $0, [$1];", "=r,l"(ptr %d)
  %p = addrspacecast ptr addrspace(1) %g to ptr
  %a = getelementptr i32, ptr %p, i64 %i
  call void @escape(ptr %a)
  %b = getelementptr i32, ptr %p, i64 7
  %v = load i32, ptr %b, align 4
  %d = getelementptr i32, ptr %b, i64 1
  %w = call i32 asm "ld.global.nc.u32 $0, [$1];", "=r,l"(ptr %d)
  %r = add i32 %v, %w
  ret i32 %r
}
