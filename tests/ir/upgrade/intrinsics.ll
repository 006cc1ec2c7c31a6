; Intrinsics of every target that older versions of LLVM had, tags of TBAA of the older kind, and pointers with a type.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

; CHECK: {{^ *}}%v = load i32, ptr %p, !tbaa !{!1, !1, i64 0}
; CHECK: {{^ *}}call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %p, i64 4, i1 false)
; CHECK: {{^ *}}call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 4, i1 false)
; CHECK: {{^ *}}call void @llvm.memmove.p0.p0.i64(ptr align 4 %p, ptr align 8 %p, i64 4, i1 false)
; CHECK-NEXT: {{^ *}}%al = alloca i32
; CHECK-NEXT: {{^ *}}call void @llvm.lifetime.end.p0(ptr %al)
; CHECK: {{^  %[a-z0-9]+ = }}call ptr @llvm.invariant.start.p0(i64 4, ptr %p)
; CHECK: {{^  %[a-z0-9]+ = }}call ptr @llvm.ptr.annotation.p0.p0(ptr %p, ptr %p, ptr %p, i32 4, ptr null)
; CHECK: {{^  %[a-z0-9]+ = }}call i32 @llvm.ctlz.i32(i32 1, i1 false)
; CHECK: {{^  %[a-z0-9]+ = }}call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 false, i1 false)
; CHECK: {{^  %[a-z0-9]+ = }}call ptr @llvm.launder.invariant.group.p0(ptr %p)
; CHECK: {{^  %[a-z0-9]+ = }}call float @llvm.vector.reduce.fadd.v2f32(float
; CHECK: {{^  %[a-z0-9]+ = }}call i32 @llvm.vector.reduce.add.v2i32(
; CHECK: {{^  %[a-z0-9]+ = }}call ptr @llvm.stacksave.p0()
; CHECK: {{^ *}}call void @llvm.stackrestore.p0(ptr %w)

target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
define void @k(i32* %p) {
entry:
  %v = load i32, i32* %p, !tbaa !1
  br label %l
l:
  store i32 1, i32* %p, !tbaa !3
  br i1 true, label %l, label %m, !llvm.loop !5
m:
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %p, i64 4, i32 4, i1 false)
  call void @llvm.memset.p0i8.i64(i8* %p, i8 0, i64 4, i32 8, i1 false)
  call void @llvm.memmove.p0i8.p0i8.i64(i8* align 4 %p, i8* align 8 %p, i64 4, i1 false)
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %p)
  call void @llvm.lifetime.start(i64 4, i8* %p)
  %al = alloca i32
  call void @llvm.lifetime.end.p0(i64 4, ptr %al)
  %i = call {}* @llvm.invariant.start.p0i8(i64 4, i8* %p)
  %a = call i8* @llvm.ptr.annotation.p0i8(i8* %p, i8* %p, i8* %p, i32 4)
  %cz = call i32 @llvm.ctlz.i32(i32 1)
  %os = call i64 @llvm.objectsize.i64(i8* %p, i1 false)
  %y = call i8* @llvm.invariant.group.barrier(i8* %p)
  %ex = call i64 @llvm.expect.i64(i64 1, i64 1)
  %z1 = atomicrmw add i32* %p, i32 1 seq_cst
  %z2 = cmpxchg i32* %p, i32 1, i32 2 seq_cst seq_cst
  %z3 = call float @llvm.convert.from.fp16.f32(i16 1)
  %z4 = fneg float %z3
  %z5 = fsub float -0.0, %z3
  %z6 = shufflevector <2 x i32> zeroinitializer, <2 x i32> undef, <2 x i32> zeroinitializer
  %z7 = getelementptr inbounds i32, i32* %p, <2 x i64> zeroinitializer
  %z8 = call float @llvm.experimental.vector.reduce.v2.fadd.f32.v2f32(float 0.0, <2 x float> zeroinitializer)
  %z9 = call i32 @llvm.experimental.vector.reduce.add.v2i32(<2 x i32> zeroinitializer)
  %w = call i8* @llvm.stacksave()
  call void @llvm.stackrestore(i8* %w)
  %mx = call float @llvm.maxnum.f32(float 1.0, float %z3)
  %m2 = load i32, i32* %p, !range !10, !invariant.load !11
  ret void
}
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i32, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i32, i1)
declare void @llvm.memmove.p0i8.p0i8.i64(i8* , i8* , i64 , i1 )
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.start(i64, i8*)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare {}* @llvm.invariant.start.p0i8(i64, i8*)
declare i8* @llvm.ptr.annotation.p0i8(i8*,i8*,i8*,i32)
declare i32 @llvm.ctlz.i32(i32)
declare i64 @llvm.objectsize.i64(i8*,i1)
declare i8* @llvm.invariant.group.barrier(i8*)
declare i64 @llvm.expect.i64(i64, i64)
declare float @llvm.convert.from.fp16.f32(i16)
declare float @llvm.experimental.vector.reduce.v2.fadd.f32.v2f32(float , <2 x float> )
declare i32 @llvm.experimental.vector.reduce.add.v2i32(<2 x i32>)
declare i8* @llvm.stacksave()
declare void @llvm.stackrestore(i8*)
declare float @llvm.maxnum.f32(float, float)
!1 = !{!"int", !2}
!2 = !{!"omnipotent char", !20}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !2, i64 0}
!5 = !{!5, !6}
!6 = !{!"llvm.vectorizer.width", i32 4}
!10 = !{i32 0, i32 5}
!11 = !{}
!20 = !{!"Simple C/C++ TBAA"}
