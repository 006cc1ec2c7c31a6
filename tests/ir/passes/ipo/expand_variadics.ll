; Variable arguments are stored in a frame of the caller, and the function is given the frame's address.
;
; RUN: ptxmir -x ir -emit-llvm -passes=expand-variadics -verify-each %s -o - | FileCheck %s
; RUN: ptxmir -x ir -emit-llvm -passes=expand-variadics -pass-remarks=expand-variadics %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: ptxmir -mcpu=sm_80 -O0 -verify-exec %s -o - | FileCheck %s --check-prefix=PTX
; RUN: ptxmir -mcpu=sm_80 -verify-exec %s -o - | FileCheck %s --check-prefix=O2

; REMARK-DAG: remark: function 'printf': expand-variadics: takes the address of its variable arguments
; REMARK-DAG: remark: function 'second': expand-variadics: takes the address of its variable arguments

target triple = "nvptx64-nvidia-cuda"

%pair = type { i8, i64 }

@format = internal addrspace(4) constant [3 x i8] c"%d\00"
@pointer = addrspace(1) global ptr @second

; CHECK: declare i32 @printf(ptr, ptr){{$}}
declare i32 @printf(ptr, ...)

; va_arg rounds the pointer up to the alignment of the type, and leaves it after the value.
define i64 @second(i32 %n, ...) {
; CHECK: define i64 @second(i32 %n, ptr %0) {
; CHECK: {{^}}  %list = alloca ptr, align 8
; CHECK-NEXT: {{^}}  %copy = alloca ptr, align 8
; CHECK-NEXT: {{^}}  store ptr %0, ptr %list, align 8
; CHECK-NEXT: {{^}}  [[AT:%[0-9]+]] = load ptr, ptr %list, align 8
; CHECK-NEXT: {{^}}  [[LAST:%[0-9]+]] = getelementptr i8, ptr [[AT]], i64 3
; CHECK-NEXT: {{^}}  [[NUMBER:%[0-9]+]] = ptrtoint ptr [[LAST]] to i64
; CHECK-NEXT: {{^}}  [[MASKED:%[0-9]+]] = and i64 [[NUMBER]], -4
; CHECK-NEXT: {{^}}  [[ROUNDED:%[0-9]+]] = inttoptr i64 [[MASKED]] to ptr
; CHECK-NEXT: {{^}}  [[NEXT:%[0-9]+]] = getelementptr i8, ptr [[ROUNDED]], i64 4
; CHECK-NEXT: {{^}}  store ptr [[NEXT]], ptr %list, align 8
; CHECK-NEXT: {{^}}  %first = load i32, ptr [[ROUNDED]], align 4
; CHECK-NEXT: {{^}}  [[COPIED:%[0-9]+]] = load ptr, ptr %list, align 8
; CHECK-NEXT: {{^}}  store ptr [[COPIED]], ptr %copy, align 8
; CHECK: {{^}}  %second = load i64, ptr
; CHECK-NEXT: {{^}}  %sum = add
; CHECK-NEXT: {{^}}  ret i64 %sum
  %list = alloca ptr, align 8
  %copy = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %second = va_arg ptr %copy, i64
  call void @llvm.va_end.p0(ptr %copy)
  call void @llvm.va_end.p0(ptr %list)
  %sum = add i64 %second, 1
  ret i64 %sum
}

; Each argument is at a multiple of its natural alignment, and an argument that is passed by value is copied.
define ptx_kernel void @caller(i32 %a, i64 %b, ptr %p) {
; CHECK: define ptx_kernel void @caller(
; CHECK: {{^}}  [[LATER:%[0-9]+]] = alloca [4 x i8], align 4
; CHECK-NEXT: {{^}}  [[FRAME:%[0-9]+]] = alloca [33 x i8], align 8
; CHECK-NEXT: {{^}}  call void @llvm.lifetime.start.p0(ptr [[FRAME]])
; CHECK-NEXT: {{^}}  store i32 %a, ptr [[FRAME]], align 4
; CHECK-NEXT: {{^}}  [[AT8:%[0-9]+]] = getelementptr inbounds i8, ptr [[FRAME]], i64 8
; CHECK-NEXT: {{^}}  store i64 %b, ptr [[AT8]], align 8
; CHECK-NEXT: {{^}}  [[AT16:%[0-9]+]] = getelementptr inbounds i8, ptr [[FRAME]], i64 16
; CHECK-NEXT: {{^}}  call void @llvm.memcpy.p0.p0.i64(ptr align 4 [[AT16]], ptr align 4 %p, i64 16, i1 false)
; CHECK-NEXT: {{^}}  [[AT32:%[0-9]+]] = getelementptr inbounds i8, ptr [[FRAME]], i64 32
; CHECK-NEXT: {{^}}  store i8 7, ptr [[AT32]], align 1
; CHECK-NEXT: {{^}}  %r = call i64 @second(i32 noundef 2, ptr [[FRAME]]) #0, !tag !0
; CHECK-NEXT: {{^}}  call void @llvm.lifetime.end.p0(ptr [[FRAME]])
; CHECK: {{^}}  %text = call i32 @printf(ptr addrspacecast (ptr addrspace(4) @format to ptr), ptr [[LATER]])
; PTX-LABEL: .visible .entry caller(
; PTX: call.uni (retval0), second, (param0, param1);
; PTX: call.uni (retval0), printf, (param0, param1);
  %r = call i64 (i32, ...) @second(i32 noundef 2, i32 signext %a, i64 %b, ptr byval(%pair) align 4 %p, i8 7) #0, !tag !0
  store i64 %r, ptr %p
  %text = call i32 (ptr, ...) @printf(ptr addrspacecast (ptr addrspace(4) @format to ptr), i32 %a)
  ret void
}

; A frame without arguments has a byte.
define void @through_pointer(ptr %callee) {
; CHECK: define void @through_pointer(
; CHECK: {{^}}  [[NOTHING:%[0-9]+]] = alloca [1 x i8], align 1
; CHECK: {{^}}  %r = call i64 %callee(i32 0, ptr [[NOTHING]])
  %r = call i64 (i32, ...) %callee(i32 0)
  ret void
}

; A call is no longer a tail call, because it passes the address of a stack object; its bundles stay. A function that reads
; its variable arguments accesses memory now.
define i64 @reads(...) noinline memory(none) {
; CHECK: define i64 @reads(ptr %0) {{.*}}memory(argmem: read)
; PTX-LABEL: .visible .func (.param .b64 func_retval0) reads(
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %r = va_arg ptr %list, i64
  ret i64 %r
}
define ptx_kernel void @tail_call(i64 %a, ptr %p) {
; CHECK: define ptx_kernel void @tail_call(
; CHECK: {{^}}  %r = call i64 @reads(ptr [[TAIL_FRAME:%[0-9]+]]) nounwind memory(argmem: read) [ "tag"(i64 %a, ptr %p) ]
; CHECK: {{^}}  %s = notail call i64 @reads(ptr %{{[0-9]+}})
; O2-LABEL: .visible .entry tail_call(
; O2: st.local.b64 [%SPL], [[A:%rd[0-9]+]];
; O2: call.uni (retval0), reads,
; O2: ret;
  %r = tail call i64 (...) @reads(i64 %a) #1 [ "tag"(i64 %a, ptr %p) ]
  %s = notail call i64 (...) @reads(i64 %a)
  %t = add i64 %r, %s
  store i64 %t, ptr %p
  ret void
}

define internal i64 @least(...) {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i64
  %second = va_arg ptr %list, i64
  call void @llvm.va_end.p0(ptr %list)
  %less = icmp ult i64 %first, %second
  %r = select i1 %less, i64 %first, i64 %second
  ret i64 %r
}

; A function can be inlined then.
define ptx_kernel void @inlined(i64 %a, i64 %b, ptr %p) {
; O2-LABEL: .visible .entry inlined(
; O2-NOT: call
; O2: min.u64
; O2-NOT: call
; O2: ret;
  %r = call i64 (...) @least(i64 %a, i64 %b)
  store i64 %r, ptr %p
  ret void
}

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)

attributes #0 = { nounwind }
attributes #1 = { nounwind memory(none) }

!0 = !{i32 1}
