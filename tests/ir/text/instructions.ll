; Every instruction, with every flag, is written as LLVM writes it.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

@g = addrspace(3) global [4 x float] undef
@h = alias i32, ptr @v
@v = global i32 0

declare i32 @callee(ptr, i32)
declare i32 @printf(ptr, ...)
declare ptr @allocate(ptr, ...)
declare void @llvm.assume(i1)

; CHECK-LABEL: define i32 @integers(
; CHECK-NEXT: %1 = add nuw nsw i32 %a, -5
; CHECK-NEXT: %2 = sub i32 %1, %b
; CHECK-NEXT: %named = mul nsw i32 %2, 7
; CHECK-NEXT: %"a b" = udiv exact i32 %named, 3
; CHECK-NEXT: %3 = sdiv exact i32 %"a b", 3
; CHECK-NEXT: %4 = urem i32 %3, 3
; CHECK-NEXT: %5 = srem i32 %4, 3
; CHECK-NEXT: %6 = shl nuw i32 %5, 1
; CHECK-NEXT: %7 = lshr exact i32 %6, 1
; CHECK-NEXT: %8 = ashr i32 %7, 1
; CHECK-NEXT: %9 = and i32 %8, 255
; CHECK-NEXT: %10 = or disjoint i32 %9, 256
; CHECK-NEXT: %11 = xor i32 %10, -1
; CHECK-NEXT: %12 = freeze i32 %11
; CHECK-NEXT: %13 = icmp samesign ult i32 %12, 2147483647
; CHECK-NEXT: %14 = select i1 %13, i32 %a, i32 undef
; CHECK-NEXT: ret i32 %14
define i32 @integers(i32 %a, i32 %b) {
  %1 = add nuw nsw i32 %a, -5
  %2 = sub i32 %1, %b
  %named = mul nsw i32 %2, 7
  %"a b" = udiv exact i32 %named, 3
  %3 = sdiv exact i32 %"a b", 3
  %4 = urem i32 %3, 3
  %5 = srem i32 %4, 3
  %6 = shl nuw i32 %5, 1
  %7 = lshr exact i32 %6, 1
  %8 = ashr i32 %7, 1
  %9 = and i32 %8, 255
  %10 = or disjoint i32 %9, 256
  %11 = xor i32 %10, -1
  %12 = freeze i32 %11
  %13 = icmp samesign ult i32 %12, 2147483647
  %14 = select i1 %13, i32 %a, i32 undef
  ret i32 %14
}

; CHECK-LABEL: define float @floats(
; CHECK-NEXT: %1 = fadd contract float %a, 1.000000e+00
; CHECK-NEXT: %2 = fsub fast float %1, %b
; CHECK-NEXT: %3 = fmul reassoc nnan ninf nsz arcp contract float %2, 0x36A0000000000000
; CHECK-NEXT: %4 = fdiv afn float %3, %b
; CHECK-NEXT: %5 = frem float %4, %b
; CHECK-NEXT: %6 = fneg nsz float %5
; CHECK-NEXT: %7 = fcmp nnan ole float %6, %b
; CHECK-NEXT: %8 = select nnan i1 %7, float %6, float poison
; CHECK-NEXT: ret float %8
define float @floats(float %a, float %b) {
  %1 = fadd contract float %a, 1.0
  %2 = fsub fast float %1, %b
  %3 = fmul reassoc nnan ninf nsz arcp contract float %2, 0x36A0000000000000
  %4 = fdiv afn float %3, %b
  %5 = frem float %4, %b
  %6 = fneg nsz float %5
  %7 = fcmp nnan ole float %6, %b
  %8 = select nnan i1 %7, float %6, float poison
  ret float %8
}

; CHECK-LABEL: define void @casts(
; CHECK-NEXT: %1 = trunc nuw nsw i64 %i to i32
; CHECK-NEXT: %2 = zext nneg i32 %1 to i64
; CHECK-NEXT: %3 = sext i32 %1 to i64
; CHECK-NEXT: %4 = fptoui double %d to i32
; CHECK-NEXT: %5 = fptosi double %d to i32
; CHECK-NEXT: %6 = uitofp nneg i32 %4 to float
; CHECK-NEXT: %7 = sitofp i32 %5 to double
; CHECK-NEXT: %8 = fptrunc contract double %7 to float
; CHECK-NEXT: %9 = fpext float %8 to double
; CHECK-NEXT: %10 = ptrtoint ptr %p to i64
; CHECK-NEXT: %11 = ptrtoaddr ptr %p to i64
; CHECK-NEXT: %12 = inttoptr i64 %10 to ptr
; CHECK-NEXT: %13 = bitcast double %9 to <2 x i32>
; CHECK-NEXT: %14 = addrspacecast ptr %p to ptr addrspace(1)
; CHECK-NEXT: ret void
define void @casts(i64 %i, double %d, ptr %p) {
  %1 = trunc nuw nsw i64 %i to i32
  %2 = zext nneg i32 %1 to i64
  %3 = sext i32 %1 to i64
  %4 = fptoui double %d to i32
  %5 = fptosi double %d to i32
  %6 = uitofp nneg i32 %4 to float
  %7 = sitofp i32 %5 to double
  %8 = fptrunc contract double %7 to float
  %9 = fpext float %8 to double
  %10 = ptrtoint ptr %p to i64
  %11 = ptrtoaddr ptr %p to i64
  %12 = inttoptr i64 %10 to ptr
  %13 = bitcast double %9 to <2 x i32>
  %14 = addrspacecast ptr %p to ptr addrspace(1)
  ret void
}

; CHECK-LABEL: define void @memory(
; CHECK-NEXT: %1 = alloca i32, align 4
; CHECK-NEXT: %2 = alloca { i8, [3 x i16] }, i64 %n, align 16
; CHECK-NEXT: %3 = alloca i32, align 4, addrspace(5)
; CHECK-NEXT: %4 = load volatile i32, ptr %p, align 4
; CHECK-NEXT: %5 = load atomic volatile i32, ptr %p syncscope("block") acquire, align 4
; CHECK-NEXT: store i32 %4, ptr %p, align 4
; CHECK-NEXT: store atomic i32 %5, ptr %p release, align 4
; CHECK-NEXT: fence syncscope("device") seq_cst
; CHECK-NEXT: %6 = cmpxchg weak volatile ptr %p, i32 0, i32 1 syncscope("device") acq_rel monotonic, align 4
; CHECK-NEXT: %7 = atomicrmw volatile uinc_wrap ptr %p, i32 9 syncscope("singlethread") monotonic, align 4
; CHECK-NEXT: %8 = atomicrmw fadd ptr addrspace(3) @g, float 1.000000e+00 seq_cst, align 4
; CHECK-NEXT: %9 = getelementptr inbounds nuw { i8, [3 x i16] }, ptr %2, i64 %n, i32 1, i64 2
; CHECK-NEXT: %10 = getelementptr nusw i8, ptr %p, i64 1
; CHECK-NEXT: %11 = getelementptr i8, ptr %p, <2 x i64> splat (i64 4)
; CHECK-NEXT: %12 = load float, ptr addrspacecast (ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @g, i64 4) to ptr), align 4
; CHECK-NEXT: %13 = va_arg ptr %p, i32
; CHECK-NEXT: ret void
define void @memory(ptr %p, i64 %n) {
  %1 = alloca i32, align 4
  %2 = alloca { i8, [3 x i16] }, i64 %n, align 16
  %3 = alloca i32, i32 1, align 4, addrspace(5)
  %4 = load volatile i32, ptr %p, align 4
  %5 = load atomic volatile i32, ptr %p syncscope("block") acquire, align 4
  store i32 %4, ptr %p, align 4
  store atomic i32 %5, ptr %p release, align 4
  fence syncscope("device") seq_cst
  %6 = cmpxchg weak volatile ptr %p, i32 0, i32 1 syncscope("device") acq_rel monotonic, align 4
  %7 = atomicrmw volatile uinc_wrap ptr %p, i32 9 syncscope("singlethread") monotonic, align 4
  %8 = atomicrmw fadd ptr addrspace(3) @g, float 1.0 seq_cst, align 4
  %9 = getelementptr inbounds nuw { i8, [3 x i16] }, ptr %2, i64 %n, i32 1, i64 2
  %10 = getelementptr nusw i8, ptr %p, i64 1
  %11 = getelementptr i8, ptr %p, <2 x i64> splat (i64 4)
  %12 = load float, ptr addrspacecast (ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @g, i64 4) to ptr), align 4
  %13 = va_arg ptr %p, i32
  ret void
}

; CHECK-LABEL: define { i32, float } @aggregates(
; CHECK-NEXT: %1 = extractelement <4 x i32> %v, i32 1
; CHECK-NEXT: %2 = insertelement <4 x i32> poison, i32 %1, i64 0
; CHECK-NEXT: %3 = shufflevector <4 x i32> %v, <4 x i32> %2, <2 x i32> <i32 0, i32 poison>
; CHECK-NEXT: %4 = extractvalue { i32, { float, i8 } } %s, 1, 0
; CHECK-NEXT: %5 = insertvalue { i32, float } zeroinitializer, float %4, 1
; CHECK-NEXT: ret { i32, float } %5
define { i32, float } @aggregates(<4 x i32> %v, { i32, { float, i8 } } %s) {
  %1 = extractelement <4 x i32> %v, i32 1
  %2 = insertelement <4 x i32> poison, i32 %1, i64 0
  %3 = shufflevector <4 x i32> %v, <4 x i32> %2, <2 x i32> <i32 0, i32 poison>
  %4 = extractvalue { i32, { float, i8 } } %s, 1, 0
  %5 = insertvalue { i32, float } zeroinitializer, float %4, 1
  ret { i32, float } %5
}

; CHECK-LABEL: define void @calls(
; CHECK-NEXT: %1 = tail call noundef i32 @callee(ptr noundef nonnull align 8 %p, i32 range(i32 0, 9) 1) #0
; CHECK-NEXT: %2 = call i32 (ptr, ...) @printf(ptr byval(i64) align 8 %p, double 1.000000e+00) nounwind "a"="b"
; CHECK-NEXT: %3 = notail call fastcc i32 %p(i1 true)
; CHECK-NEXT: %4 = call { i32, i32 } asm sideeffect "mov.u32 $0, %laneid;\0A", "=r,=r,r,~{memory}"(i32 %1) #0
; CHECK-NEXT: call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p) ]
; CHECK-NEXT: %5 = load i32, ptr @h, align 4
; CHECK-NEXT: ret void
define void @calls(ptr %p) {
  %1 = tail call noundef i32 @callee(ptr noundef nonnull align 8 %p, i32 range(i32 0, 9) 1) #0
  %2 = call i32 (ptr, ...) @printf(ptr byval(i64) align 8 %p, double 1.0) nounwind "a"="b"
  %3 = notail call fastcc i32 %p(i1 true)
  %4 = call { i32, i32 } asm sideeffect "mov.u32 $0, %laneid;\0A", "=r,=r,r,~{memory}"(i32 %1) #0
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p) ]
  %5 = load i32, ptr @h, align 4
  ret void
}

; CHECK-LABEL: define ptr @result_types(
; CHECK-NEXT: %1 = call ptr (ptr, ...) @allocate(ptr %p, i32 1)
; CHECK-NEXT: %2 = call ptr addrspace(1) (ptr, ...) %p(ptr %1, double 5.000000e-01)
; CHECK-NEXT: %3 = call ptr addrspace(3) %p(ptr addrspace(1) %2)
; CHECK-NEXT: ret ptr %1
define ptr @result_types(ptr %p) {
  %1 = call ptr (ptr, ...) @allocate(ptr %p, i32 1)
  %2 = call ptr addrspace(1) (ptr, ...) %p(ptr %1, double 0.5)
  %3 = call ptr addrspace(3) %p(ptr addrspace(1) %2)
  ret ptr %1
}

; CHECK-LABEL: define i32 @must(
; CHECK-NEXT: %1 = musttail call i32 @callee(ptr %p, i32 %x)
; CHECK-NEXT: ret i32 %1
define i32 @must(ptr %p, i32 %x) {
  %1 = musttail call i32 @callee(ptr %p, i32 %x)
  ret i32 %1
}

; A value may be used ahead of its definition, and blocks may have names, quoted names or numbers.
; CHECK-LABEL: define i32 @control(
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ %next, %"with blank" ]
; CHECK-NEXT: switch i32 %n, label %1 [
; CHECK-NEXT: i32 0, label %"with blank"
; CHECK-NEXT: i32 -1, label %exit
; CHECK-NEXT: ]
; CHECK: "with blank":
; CHECK-NEXT: %next = add i32 %i, 1
; CHECK-NEXT: %0 = icmp eq i32 %next, %n
; CHECK-NEXT: br i1 %0, label %exit, label %loop
; CHECK: 1:
; CHECK-NEXT: unreachable
; CHECK: exit:
; CHECK-NEXT: %2 = phi i32 [ %i, %loop ], [ %next, %"with blank" ]
; CHECK-NEXT: ret i32 %2
define i32 @control(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %"with blank" ]
  switch i32 %n, label %1 [
    i32 0, label %"with blank"
    i32 -1, label %exit
  ]

"with blank":
  %next = add i32 %i, 1
  %0 = icmp eq i32 %next, %n
  br i1 %0, label %exit, label %loop

1:
  unreachable

exit:
  %2 = phi i32 [ %i, %loop ], [ %next, %"with blank" ]
  ret i32 %2
}

attributes #0 = { convergent nounwind }
