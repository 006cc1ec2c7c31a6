; Spaces are followed into functions whose callers are all known, and out of them again.
;
; RUN: ptxmir -x ir -emit-llvm -passes=ip-msp,infer-address-spaces %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=ip-msp,infer-address-spaces -ip-msp-clone %s -o - | FileCheck %s --check-prefix=CLONE
; RUN: ptxmir -x ir -emit-llvm -passes=ip-msp -pass-remarks=ip-msp -pass-remarks-missed=ip-msp -ip-msp-clone %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: ptxmir -O2 -opt "-do-ip-msp=0" -opt "-dump-memory-space-warnings" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
; RUN: ptxmir -O2 -mcpu=sm_80 -opt "-dump-ip-msp" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP

; REMARK-DAG: ip-msp: parameter 0 of 'sum' always points to shared memory
; REMARK-DAG: ip-msp: parameter 1 of 'sum' stays generic: not all calls are known to pass pointers of one space
; REMARK-DAG: ip-msp: the result of 'next' always points to shared memory
; REMARK-DAG: ip-msp: 'either' is copied for the spaces that 2 groups of calls pass
; REMARK-DAG: ip-msp: 'again' is called with pointers of different spaces, and not copied: it calls itself

; With -do-ip-msp=0, nothing is known of what callers pass.
; WARN: infer-address-spaces: access stays generic: its address is a parameter of the function

; DUMP: IR Dump After Interprocedural memory space propagation (ip-msp)
; DUMP: addrspacecast

target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x float] undef, align 4
@total = internal addrspace(1) global float 0.0, align 4
@table = internal global ptr @mentioned

; All calls pass shared memory, through recursion and PHIs, too. The second parameter is of several spaces.
define internal float @sum(ptr %p, ptr %q, i32 %n) noinline {
; CHECK-LABEL: define internal float @sum(
; CHECK: load float, ptr addrspace(3)
; CHECK: store float %{{.*}}, ptr %q
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  %c = icmp eq i32 %n, 0
  br i1 %c, label %exit, label %again
again:
  %r = getelementptr inbounds float, ptr %p, i64 1
  %m = sub i32 %n, 1
  %w = call float @sum(ptr %r, ptr %q, i32 %m)
  br label %exit
exit:
  %s = phi float [ %v, %0 ], [ %w, %again ]
  ret float %s
}

; Its result is of the space of its parameter.
define internal ptr @next(ptr %p, i64 %i) noinline {
  %r = getelementptr inbounds float, ptr %p, i64 %i
  ret ptr %r
}

; The calls pass pointers of two spaces: one copy for each.
define internal void @either(ptr %p) noinline {
; CHECK-LABEL: define internal void @either(
; CHECK: store float 1.000000e+00, ptr %p
; CLONE-LABEL: define internal void @either(
; CLONE: store float 1.000000e+00, ptr addrspace(3)
  store float 1.0, ptr %p, align 4
  ret void
}

; It calls itself, so it is not copied.
define internal void @again(ptr %p, i32 %n) noinline {
; CLONE-LABEL: define internal void @again(
; CLONE: store float 2.000000e+00, ptr %p
  store float 2.0, ptr %p, align 4
  %c = icmp eq i32 %n, 0
  br i1 %c, label %exit, label %more
more:
  %m = sub i32 %n, 1
  call void @again(ptr %p, i32 %m)
  br label %exit
exit:
  ret void
}

; Its address is taken, so other calls may pass anything.
define internal void @mentioned(ptr %p) noinline {
; CHECK-LABEL: define internal void @mentioned(
; CHECK: store float 3.000000e+00, ptr %p
  store float 3.0, ptr %p, align 4
  ret void
}

; Other modules may call it.
define void @external(ptr %p) noinline {
; CHECK-LABEL: define void @external(
; CHECK: store float 4.000000e+00, ptr %p
  store float 4.0, ptr %p, align 4
  ret void
}

; The callee has the object itself, not the caller's pointer.
define internal float @by_value(ptr byval(float) %p) noinline {
; CHECK-LABEL: define internal float @by_value(
; CHECK: load float, ptr %p
  %v = load float, ptr %p, align 4
  ret float %v
}

; A call through another type passes other arguments.
define internal float @other_type(ptr %p, ptr %q) noinline {
; CHECK-LABEL: define internal float @other_type(
; CHECK: load float, ptr %p
  %v = load float, ptr %p, align 4
  ret float %v
}

define ptx_kernel void @k(i32 %n, i64 %i, ptr %anything) {
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: %[[NEXT:.*]] = call ptr @next(
; CHECK: addrspacecast ptr %[[NEXT]] to ptr addrspace(3)
; CHECK: store float {{.*}}, ptr addrspace(3)
; CLONE-LABEL: define ptx_kernel void @k(
; CLONE: call void @either(ptr %shared)
; CLONE: call void @either_space1(ptr %global)
; CLONE-LABEL: define internal void @either_space1(
; CLONE: store float 1.000000e+00, ptr addrspace(1)
  %shared = addrspacecast ptr addrspace(3) @tile to ptr
  %global = addrspacecast ptr addrspace(1) @total to ptr
  %s = call float @sum(ptr %shared, ptr %global, i32 %n)
  %t = call float @sum(ptr %shared, ptr %anything, i32 %n)
  %p = call ptr @next(ptr %shared, i64 %i)
  store float %s, ptr %p, align 4
  call void @either(ptr %shared)
  call void @either(ptr %global)
  call void @again(ptr %shared, i32 %n)
  call void @again(ptr %global, i32 %n)
  call void @mentioned(ptr %shared)
  call void @external(ptr %shared)
  %b = call float @by_value(ptr byval(float) %shared)
  %o = call float @other_type(ptr %shared, ptr %shared)
  %o2 = call float @other_type(ptr %shared)
  ret void
}
