; Intrinsics of nvvm that older versions of LLVM had.
;
; RUN: ptxmir -x ir -emit-llvm %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"
declare i16 @llvm.nvvm.abs.bf16(i16)
declare i32 @llvm.nvvm.abs.bf16x2(i32)
declare i16 @llvm.nvvm.neg.bf16(i16)
declare i16 @llvm.nvvm.fma.rn.bf16(i16,i16,i16)
declare i32 @llvm.nvvm.fma.rn.relu.bf16x2(i32,i32,i32)
declare i16 @llvm.nvvm.fmax.nan.bf16(i16,i16)
declare i32 @llvm.nvvm.fmin.nan.bf16x2(i32,i32)
declare i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32*, i32)
declare i32 @llvm.nvvm.atomic.load.inc.32.p1i32(i32 addrspace(1)*, i32)
declare float @llvm.nvvm.atomic.load.add.f32.p0f32(float*, float)
declare double @llvm.nvvm.atomic.load.add.f64.p1f64(double addrspace(1)*, double)
declare void @llvm.nvvm.bar.sync(i32)
declare void @llvm.nvvm.barrier(i32, i32)
declare void @llvm.nvvm.barrier.n(i32)
declare void @llvm.nvvm.barrier.sync(i32)
declare void @llvm.nvvm.barrier.sync.cnt(i32, i32)
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.barrier0.and(i32)
declare i32 @llvm.nvvm.barrier0.or(i32)
declare i32 @llvm.nvvm.barrier0.popc(i32)
declare i64 @llvm.nvvm.bitcast.d2ll(double)
declare double @llvm.nvvm.bitcast.ll2d(i64)
declare i32 @llvm.nvvm.bitcast.f2i(float)
declare float @llvm.nvvm.bitcast.i2f(i32)
declare double @llvm.nvvm.ex2.approx.d(double)
declare float @llvm.nvvm.ex2.approx.f(float)
declare half @llvm.nvvm.ex2.approx.f16(half)
declare <2 x half> @llvm.nvvm.ex2.approx.f16x2(<2 x half>)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare double @llvm.nvvm.fabs.d(double)
declare float @llvm.nvvm.fabs.f(float)
declare float @llvm.nvvm.fabs.ftz.f(float)
declare float @llvm.nvvm.ldg.global.f.f32.p1f32(float addrspace(1)*, i32)
declare i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr, i32)
declare ptr @llvm.nvvm.ldg.global.p.p0.p1(ptr addrspace(1), i32)
declare i8* @llvm.nvvm.ptr.constant.to.gen.p0i8.p4i8(i8 addrspace(4)*)
declare i8 addrspace(4)* @llvm.nvvm.ptr.gen.to.constant.p4i8.p0i8(i8*)
declare i8 addrspace(101)* @llvm.nvvm.ptr.gen.to.param.p101i8.p0i8(i8*)
declare i8* @llvm.nvvm.ptr.param.to.gen.p0i8.p101i8(i8 addrspace(101)*)
declare i32 @llvm.nvvm.rotate.b32(i32,i32)
declare i64 @llvm.nvvm.rotate.b64(i64,i32)
declare i64 @llvm.nvvm.rotate.right.b64(i64,i32)
declare i64 @llvm.nvvm.swap.lo.hi.b64(i64)
declare i32 @llvm.nvvm.brev32(i32)
declare i64 @llvm.nvvm.brev64(i64)
declare i32 @llvm.nvvm.clz.i(i32)
declare i32 @llvm.nvvm.clz.ll(i64)
declare i32 @llvm.nvvm.popc.i(i32)
declare i32 @llvm.nvvm.popc.ll(i64)
declare float @llvm.nvvm.h2f(i16)
declare i32 @llvm.nvvm.abs.i(i32)
declare i64 @llvm.nvvm.abs.ll(i64)
declare i32 @llvm.nvvm.max.i(i32,i32)
declare i64 @llvm.nvvm.max.ll(i64,i64)
declare i16 @llvm.nvvm.max.s(i16,i16)
declare i32 @llvm.nvvm.max.ui(i32,i32)
declare i64 @llvm.nvvm.max.ull(i64,i64)
declare i16 @llvm.nvvm.max.us(i16,i16)
declare i32 @llvm.nvvm.min.i(i32,i32)
declare i64 @llvm.nvvm.min.ull(i64,i64)
; CHECK-LABEL: {{^}}define void @k(
; CHECK-NEXT: {{^  }}%1 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%2 = call bfloat @llvm.nvvm.fabs.bf16(bfloat %1)
; CHECK-NEXT: {{^  }}%3 = bitcast bfloat %2 to i16
; CHECK-NEXT: {{^  }}%4 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%5 = call <2 x bfloat> @llvm.nvvm.fabs.v2bf16(<2 x bfloat> %4)
; CHECK-NEXT: {{^  }}%6 = bitcast <2 x bfloat> %5 to i32
; CHECK-NEXT: {{^  }}%7 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%8 = call bfloat @llvm.nvvm.neg.bf16(bfloat %7)
; CHECK-NEXT: {{^  }}%9 = bitcast bfloat %8 to i16
; CHECK-NEXT: {{^  }}%10 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%11 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%12 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%13 = call bfloat @llvm.nvvm.fma.rn.bf16(bfloat %10, bfloat %11, bfloat %12)
; CHECK-NEXT: {{^  }}%14 = bitcast bfloat %13 to i16
; CHECK-NEXT: {{^  }}%15 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%16 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%17 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%18 = call <2 x bfloat> @llvm.nvvm.fma.rn.relu.bf16x2(<2 x bfloat> %15, <2 x bfloat> %16, <2 x bfloat> %17)
; CHECK-NEXT: {{^  }}%19 = bitcast <2 x bfloat> %18 to i32
; CHECK-NEXT: {{^  }}%20 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%21 = bitcast i16 %h to bfloat
; CHECK-NEXT: {{^  }}%22 = call bfloat @llvm.nvvm.fmax.nan.bf16(bfloat %20, bfloat %21)
; CHECK-NEXT: {{^  }}%23 = bitcast bfloat %22 to i16
; CHECK-NEXT: {{^  }}%24 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%25 = bitcast i32 %i to <2 x bfloat>
; CHECK-NEXT: {{^  }}%26 = call <2 x bfloat> @llvm.nvvm.fmin.nan.bf16x2(<2 x bfloat> %24, <2 x bfloat> %25)
; CHECK-NEXT: {{^  }}%27 = bitcast <2 x bfloat> %26 to i32
; CHECK-NEXT: {{^  }}%28 = atomicrmw udec_wrap ptr %p, i32 %i seq_cst, align 4
; CHECK-NEXT: {{^  }}%29 = atomicrmw uinc_wrap ptr addrspace(1) %p1, i32 %i seq_cst, align 4
; CHECK-NEXT: {{^  }}%30 = atomicrmw fadd ptr %pf, float %f seq_cst, align 4
; CHECK-NEXT: {{^  }}%31 = atomicrmw fadd ptr addrspace(1) %pd, double %d seq_cst, align 8
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %i)
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %i)
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.all(i32 %i)
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.count(i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NEXT: {{^  }}%32 = icmp ne i32 %i, 0
; CHECK-NEXT: {{^  }}%33 = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %32)
; CHECK-NEXT: {{^  }}%34 = zext i1 %33 to i32
; CHECK-NEXT: {{^  }}%35 = icmp ne i32 %i, 0
; CHECK-NEXT: {{^  }}%36 = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %35)
; CHECK-NEXT: {{^  }}%37 = zext i1 %36 to i32
; CHECK-NEXT: {{^  }}%38 = icmp ne i32 %i, 0
; CHECK-NEXT: {{^  }}%c3 = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %38)
; CHECK-NEXT: {{^  }}%39 = bitcast double %d to i64
; CHECK-NEXT: {{^  }}%40 = bitcast i64 %l to double
; CHECK-NEXT: {{^  }}%41 = bitcast float %f to i32
; CHECK-NEXT: {{^  }}%42 = bitcast i32 %i to float
; CHECK-NEXT: {{^  }}%e1 = call double @llvm.nvvm.ex2.approx.f64(double %d)
; CHECK-NEXT: {{^  }}%e2 = call float @llvm.nvvm.ex2.approx.f32(float %f)
; CHECK-NEXT: {{^  }}%e3 = call half @llvm.nvvm.ex2.approx.f16(half %hf)
; CHECK-NEXT: {{^  }}%e4 = call <2 x half> @llvm.nvvm.ex2.approx.v2f16(<2 x half> %vh)
; CHECK-NEXT: {{^  }}%e5 = call float @llvm.nvvm.ex2.approx.ftz.f32(float %f)
; CHECK-NEXT: {{^  }}%f1 = call double @llvm.nvvm.fabs.f64(double %d)
; CHECK-NEXT: {{^  }}%f2 = call float @llvm.nvvm.fabs.f32(float %f)
; CHECK-NEXT: {{^  }}%f3 = call float @llvm.nvvm.fabs.ftz.f32(float %f)
; CHECK-NEXT: {{^  }}%43 = load float, ptr addrspace(1) %q1, align 8, !invariant.load !{}
; CHECK-NEXT: {{^  }}%44 = addrspacecast ptr %p to ptr addrspace(1)
; CHECK-NEXT: {{^  }}%45 = load i32, ptr addrspace(1) %44, align 4, !invariant.load !{}
; CHECK-NEXT: {{^  }}%46 = load ptr, ptr addrspace(1) %p1, align 8, !invariant.load !{}
; CHECK-NEXT: {{^  }}%47 = addrspacecast ptr addrspace(4) %q4 to ptr
; CHECK-NEXT: {{^  }}%48 = addrspacecast ptr %q to ptr addrspace(4)
; CHECK-NEXT: {{^  }}%49 = addrspacecast ptr %q to ptr addrspace(101)
; CHECK-NEXT: {{^  }}%50 = addrspacecast ptr addrspace(101) %q101 to ptr
; CHECK-NEXT: {{^  }}%i1 = call i32 @llvm.fshl.i32(i32 %i, i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}%51 = zext i32 %i to i64
; CHECK-NEXT: {{^  }}%i2 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 %51)
; CHECK-NEXT: {{^  }}%52 = zext i32 %i to i64
; CHECK-NEXT: {{^  }}%i3 = call i64 @llvm.fshr.i64(i64 %l, i64 %l, i64 %52)
; CHECK-NEXT: {{^  }}%i4 = call i64 @llvm.fshl.i64(i64 %l, i64 %l, i64 32)
; CHECK-NEXT: {{^  }}%j1 = call i32 @llvm.bitreverse.i32(i32 %i)
; CHECK-NEXT: {{^  }}%j2 = call i64 @llvm.bitreverse.i64(i64 %l)
; CHECK-NEXT: {{^  }}%j3 = call i32 @llvm.ctlz.i32(i32 %i, i1 false)
; CHECK-NEXT: {{^  }}%53 = call i64 @llvm.ctlz.i64(i64 %l, i1 false)
; CHECK-NEXT: {{^  }}%54 = trunc i64 %53 to i32
; CHECK-NEXT: {{^  }}%j5 = call i32 @llvm.ctpop.i32(i32 %i)
; CHECK-NEXT: {{^  }}%55 = call i64 @llvm.ctpop.i64(i64 %l)
; CHECK-NEXT: {{^  }}%56 = trunc i64 %55 to i32
; CHECK-NEXT: {{^  }}%j7 = call float @llvm.convert.from.fp16.f32(i16 %h)
; CHECK-NEXT: {{^  }}%57 = sub i32 0, %i
; CHECK-NEXT: {{^  }}%58 = icmp sge i32 %i, 0
; CHECK-NEXT: {{^  }}%59 = select i1 %58, i32 %i, i32 %57
; CHECK-NEXT: {{^  }}%60 = sub i64 0, %l
; CHECK-NEXT: {{^  }}%61 = icmp sge i64 %l, 0
; CHECK-NEXT: {{^  }}%62 = select i1 %61, i64 %l, i64 %60
; CHECK-NEXT: {{^  }}%k1 = call i32 @llvm.smax.i32(i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}%k2 = call i64 @llvm.smax.i64(i64 %l, i64 %l)
; CHECK-NEXT: {{^  }}%k3 = call i16 @llvm.smax.i16(i16 %h, i16 %h)
; CHECK-NEXT: {{^  }}%k4 = call i32 @llvm.umax.i32(i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}%k5 = call i64 @llvm.umax.i64(i64 %l, i64 %l)
; CHECK-NEXT: {{^  }}%k6 = call i16 @llvm.umax.i16(i16 %h, i16 %h)
; CHECK-NEXT: {{^  }}%k7 = call i32 @llvm.smin.i32(i32 %i, i32 %i)
; CHECK-NEXT: {{^  }}%k8 = call i64 @llvm.umin.i64(i64 %l, i64 %l)
define void @k(i16 %h, i32 %i, i64 %l, float %f, double %d, i32* %p, i32 addrspace(1)* %p1, float* %pf, double addrspace(1)* %pd, <2 x half> %vh, half %hf, ptr addrspace(1) %q1, i8 addrspace(4)* %q4, i8 addrspace(101)* %q101, i8* %q) {
  %a1 = call i16 @llvm.nvvm.abs.bf16(i16 %h)
  %a2 = call i32 @llvm.nvvm.abs.bf16x2(i32 %i)
  %a3 = call i16 @llvm.nvvm.neg.bf16(i16 %h)
  %a4 = call i16 @llvm.nvvm.fma.rn.bf16(i16 %h,i16 %h,i16 %h)
  %a5 = call i32 @llvm.nvvm.fma.rn.relu.bf16x2(i32 %i,i32 %i,i32 %i)
  %a6 = call i16 @llvm.nvvm.fmax.nan.bf16(i16 %h,i16 %h)
  %a7 = call i32 @llvm.nvvm.fmin.nan.bf16x2(i32 %i,i32 %i)
  %b1 = call i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32* %p, i32 %i)
  %b2 = call i32 @llvm.nvvm.atomic.load.inc.32.p1i32(i32 addrspace(1)* %p1, i32 %i)
  %b3 = call float @llvm.nvvm.atomic.load.add.f32.p0f32(float* %pf, float %f)
  %b4 = call double @llvm.nvvm.atomic.load.add.f64.p1f64(double addrspace(1)* %pd, double %d)
  call void @llvm.nvvm.bar.sync(i32 %i)
  call void @llvm.nvvm.barrier(i32 %i, i32 %i)
  call void @llvm.nvvm.barrier.n(i32 %i)
  call void @llvm.nvvm.barrier.sync(i32 %i)
  call void @llvm.nvvm.barrier.sync.cnt(i32 %i, i32 %i)
  call void @llvm.nvvm.barrier0()
  %c1 = call i32 @llvm.nvvm.barrier0.and(i32 %i)
  %c2 = call i32 @llvm.nvvm.barrier0.or(i32 %i)
  %c3 = call i32 @llvm.nvvm.barrier0.popc(i32 %i)
  %d1 = call i64 @llvm.nvvm.bitcast.d2ll(double %d)
  %d2 = call double @llvm.nvvm.bitcast.ll2d(i64 %l)
  %d3 = call i32 @llvm.nvvm.bitcast.f2i(float %f)
  %d4 = call float @llvm.nvvm.bitcast.i2f(i32 %i)
  %e1 = call double @llvm.nvvm.ex2.approx.d(double %d)
  %e2 = call fast float @llvm.nvvm.ex2.approx.f(float %f)
  %e3 = call half @llvm.nvvm.ex2.approx.f16(half %hf)
  %e4 = call <2 x half> @llvm.nvvm.ex2.approx.f16x2(<2 x half> %vh)
  %e5 = call float @llvm.nvvm.ex2.approx.ftz.f(float %f)
  %f1 = call double @llvm.nvvm.fabs.d(double %d)
  %f2 = call float @llvm.nvvm.fabs.f(float %f)
  %f3 = call float @llvm.nvvm.fabs.ftz.f(float %f)
  %g1 = call float @llvm.nvvm.ldg.global.f.f32.p1f32(float addrspace(1)* %q1, i32 8)
  %g2 = call i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr %p, i32 4), !align !1
  %g3 = call ptr @llvm.nvvm.ldg.global.p.p0.p1(ptr addrspace(1) %p1, i32 8), !align !1
  %h1 = call i8* @llvm.nvvm.ptr.constant.to.gen.p0i8.p4i8(i8 addrspace(4)* %q4)
  %h2 = call i8 addrspace(4)* @llvm.nvvm.ptr.gen.to.constant.p4i8.p0i8(i8* %q)
  %h3 = call i8 addrspace(101)* @llvm.nvvm.ptr.gen.to.param.p101i8.p0i8(i8* %q)
  %h4 = call i8* @llvm.nvvm.ptr.param.to.gen.p0i8.p101i8(i8 addrspace(101)* %q101)
  %i1 = call i32 @llvm.nvvm.rotate.b32(i32 %i,i32 %i)
  %i2 = call i64 @llvm.nvvm.rotate.b64(i64 %l,i32 %i)
  %i3 = call i64 @llvm.nvvm.rotate.right.b64(i64 %l,i32 %i)
  %i4 = call i64 @llvm.nvvm.swap.lo.hi.b64(i64 %l)
  %j1 = call i32 @llvm.nvvm.brev32(i32 %i)
  %j2 = call i64 @llvm.nvvm.brev64(i64 %l)
  %j3 = call i32 @llvm.nvvm.clz.i(i32 %i)
  %j4 = call i32 @llvm.nvvm.clz.ll(i64 %l)
  %j5 = call i32 @llvm.nvvm.popc.i(i32 %i)
  %j6 = call i32 @llvm.nvvm.popc.ll(i64 %l)
  %j7 = call float @llvm.nvvm.h2f(i16 %h)
  %j8 = call i32 @llvm.nvvm.abs.i(i32 %i)
  %j9 = call i64 @llvm.nvvm.abs.ll(i64 %l)
  %k1 = call i32 @llvm.nvvm.max.i(i32 %i,i32 %i)
  %k2 = call i64 @llvm.nvvm.max.ll(i64 %l,i64 %l)
  %k3 = call i16 @llvm.nvvm.max.s(i16 %h,i16 %h)
  %k4 = call i32 @llvm.nvvm.max.ui(i32 %i,i32 %i)
  %k5 = call i64 @llvm.nvvm.max.ull(i64 %l,i64 %l)
  %k6 = call i16 @llvm.nvvm.max.us(i16 %h,i16 %h)
  %k7 = call i32 @llvm.nvvm.min.i(i32 %i,i32 %i)
  %k8 = call i64 @llvm.nvvm.min.ull(i64 %l,i64 %l)
  ret void
}
!1 = !{i64 4}
