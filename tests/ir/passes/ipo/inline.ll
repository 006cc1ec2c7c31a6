; RUN: ptxmir -x ir -emit-llvm -passes=inline %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=always-inline %s -o - | FileCheck %s --check-prefix=ALWAYS
; RUN: ptxmir -x ir -emit-llvm -passes=inline -pass-remarks=inline -pass-remarks-missed=inline %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

; REMARK-DAG: inline: 'marked' inlined into 'f'
; REMARK-DAG: inline: 'recursive' not inlined into 'f': it calls itself
; REMARK-DAG: inline: 'never' not inlined into 'f': it is marked noinline

define internal i32 @once(i32 %a) {
; CHECK-NOT: define internal i32 @once
; ALWAYS: define internal i32 @once
  %c = icmp sgt i32 %a, 0
  br i1 %c, label %positive, label %other
positive:
  ret i32 %a
other:
  %n = sub i32 0, %a
  ret i32 %n
}

define i32 @marked(i32 %a) alwaysinline {
; The function may be called from elsewhere, so it stays.
; CHECK: define i32 @marked
  %o = alloca i32, align 4
  store i32 %a, ptr %o, align 4
  %v = load i32, ptr %o, align 4
  ret i32 %v
}

define internal i32 @recursive(i32 %a) alwaysinline {
  %r = call i32 @recursive(i32 %a)
  ret i32 %r
}

define internal i32 @never(i32 %a) noinline {
  ret i32 %a
}

define internal void @by_value(ptr byval(i32) align 4 %p) {
  store i32 1, ptr %p, align 4
  ret void
}

define i32 @f(i32 %a, ptr %q) {
; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: entry:
; CHECK-DAG: alloca i32, align 4
; CHECK-DAG: alloca i32, align 4
; CHECK: phi i32
; CHECK: call i32 @recursive(
; CHECK: call i32 @never(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %{{.*}}, ptr align 4 %q, i64 4, i1 false)
; CHECK-NOT: @by_value
; ALWAYS-LABEL: define i32 @f(
; ALWAYS: call i32 @once(
entry:
  %x = call i32 @once(i32 %a)
  %y = call i32 @marked(i32 %x)
  %z = call i32 @recursive(i32 %y)
  %w = call i32 @never(i32 %z)
  call void @by_value(ptr byval(i32) align 4 %q)
  ret i32 %w
}

; Kernels are started from outside, whatever their linkage.
; CHECK: define linkonce_odr ptx_kernel void @discardable_kernel
define linkonce_odr ptx_kernel void @discardable_kernel(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; CHECK: define internal ptx_kernel void @internal_kernel
define internal ptx_kernel void @internal_kernel(ptr %p) {
  store i32 1, ptr %p
  ret void
}
