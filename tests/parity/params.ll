; Parameters and results of every kind, for kernels and device functions.
; llc: -mcpu=sm_90 -mattr=+ptx80
target triple = "nvptx64-nvidia-cuda"

%struct.s = type { i32, float, i64 }
%struct.small = type { i8, i8, i8 }
%struct.big = type { [100 x i32] }
%struct.al = type { <4 x float>, i32 }

define ptx_kernel void @scalars(i1 %a, i8 %b, i16 %c, i32 %d, i64 %e, half %f, bfloat %g, float %h, double %i) {
  ret void
}
define ptx_kernel void @vectors(<2 x i8> %a, <3 x i8> %b, <4 x i8> %c, <2 x i16> %d, <2 x half> %e, <4 x half> %f, <2 x float> %g, <3 x float> %h, <4 x float> %i, <2 x double> %j, <8 x i32> %k, <16 x i1> %l, <3 x i1> %m) {
  ret void
}
define ptx_kernel void @aggs(%struct.s %a, %struct.small %b, [3 x i32] %c, { i8, i64 } %d, %struct.al %g) {
  ret void
}
define ptx_kernel void @pointers(ptr %a, ptr addrspace(1) %b, ptr addrspace(3) %c, ptr addrspace(4) %d, ptr addrspace(5) %e, ptr align 16 %f, ptr addrspace(1) align 8 %g, ptr noalias readonly align 4 %h, ptr addrspace(3) align 32 %i, ptr addrspace(101) %j) {
  ret void
}
define ptx_kernel void @byvals(ptr byval(%struct.s) align 8 %a, ptr byval(%struct.small) align 1 %b, ptr byval(%struct.big) align 4 %c, ptr byval(%struct.al) %d, ptr byval(i32) align 4 %e, ptr addrspace(101) byval(%struct.s) align 4 %g) {
  ret void
}
define ptx_kernel void @gridconst(ptr byval(%struct.s) align 8 "nvvm.grid_constant" %a, ptr %out) {
  %v = load i32, ptr %a
  store i32 %v, ptr %out
  ret void
}
define ptx_kernel void @nothing() {
  ret void
}
define ptx_kernel void @vecptrs(<2 x ptr> %a, [2 x ptr addrspace(1)] %b) {
  ret void
}

define i1 @d_i1(i1 %a) { ret i1 %a }
define zeroext i8 @d_i8(i8 signext %a, i8 zeroext %b) { ret i8 %a }
define i16 @d_i16(i16 %a) { ret i16 %a }
define i32 @d_i32(i32 %a) { ret i32 %a }
define i64 @d_i64(i64 %a) { ret i64 %a }
define half @d_half(half %a) { ret half %a }
define bfloat @d_bf(bfloat %a) { ret bfloat %a }
define float @d_f(float %a) { ret float %a }
define double @d_d(double %a) { ret double %a }
define i7 @d_i7(i7 %a) { ret i7 %a }
define i24 @d_i24(i24 %a) { ret i24 %a }
define i33 @d_i33(i33 %a) { ret i33 %a }
define i65 @d_i65(i65 %a) { ret i65 %a }
define i128 @d_i128(i128 %a) { ret i128 %a }
define i256 @d_i256(i256 %a) { ret i256 %a }
define ptr @d_ptr(ptr %a) { ret ptr %a }
define ptr addrspace(1) @d_ptr1(ptr addrspace(1) %a) { ret ptr addrspace(1) %a }
define ptr addrspace(3) @d_ptr3(ptr addrspace(3) %a) { ret ptr addrspace(3) %a }
define <2 x half> @d_v2h(<2 x half> %a) { ret <2 x half> %a }
define <2 x float> @d_v2f(<2 x float> %a) { ret <2 x float> %a }
define <3 x float> @d_v3f(<3 x float> %a) { ret <3 x float> %a }
define <4 x float> @d_v4f(<4 x float> %a) { ret <4 x float> %a }
define <4 x i8> @d_v4i8(<4 x i8> %a) { ret <4 x i8> %a }
define <2 x i1> @d_v2i1(<2 x i1> %a) { ret <2 x i1> %a }
define <1 x i32> @d_v1i32(<1 x i32> %a) { ret <1 x i32> %a }
define %struct.s @d_s(%struct.s %a) { ret %struct.s %a }
define %struct.small @d_small(%struct.small %a) { ret %struct.small %a }
define [5 x i8] @d_arr([5 x i8] %a) { ret [5 x i8] %a }
define { i32 } @d_one({ i32 } %a) { ret { i32 } %a }
define void @d_byval(ptr byval(%struct.s) align 8 %a, ptr byval(%struct.small) align 1 %b, ptr byval(%struct.big) %c, ptr byval(i8) align 2 %d) { ret void }
define void @d_align(ptr byval(%struct.s) align 32 %a, %struct.s alignstack(16) %b) { ret void }
define alignstack(32) %struct.s @d_ralign(i32 %x) { ret %struct.s undef }

; Local linkage lets parameters take a larger alignment, unless the address escapes.
define internal %struct.s @l_s(%struct.s %a, ptr byval(%struct.small) %b, <2 x half> %c, i128 %d) noinline { ret %struct.s %a }
define internal %struct.s @l_taken(%struct.s %a, ptr byval(%struct.small) %b, <2 x half> %c, i128 %d) noinline { ret %struct.s %a }
define private [5 x i8] @l_priv([5 x i8] %a) noinline { ret [5 x i8] %a }
define linkonce_odr %struct.s @lo_s(%struct.s %a) noinline { ret %struct.s %a }
define weak %struct.s @w_s(%struct.s %a) noinline { ret %struct.s %a }
define available_externally i32 @ae(i32 %a) noinline { ret i32 %a }
define hidden i32 @hid(i32 %a) noinline { ret i32 %a }

define void @noret() noreturn { call void @llvm.trap() unreachable }
declare void @llvm.trap()
declare void @ext_noret(i32) noreturn
declare i32 @ext(i8, i16, float, double, ptr, %struct.s, ptr byval(%struct.small))
declare extern_weak void @ext_weak(i32)
declare void @unused(i32)
declare i32 @ext_var(i32, ...)
declare <4 x float> @ext_vec(<4 x float>, <2 x half>)
declare %struct.small @"odd.name"(i1)

define i32 @varargs(i32 %n, ...) {
  %ap = alloca ptr
  call void @llvm.va_start(ptr %ap)
  %v = va_arg ptr %ap, i32
  call void @llvm.va_end(ptr %ap)
  ret i32 %v
}
define void @varargs0(...) { ret void }
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)

define void @calls(ptr %p, %struct.s %s, i128 %i) {
  store ptr @l_taken, ptr %p
  %a = call %struct.s @l_s(%struct.s %s, ptr byval(%struct.small) %p, <2 x half> zeroinitializer, i128 %i)
  %b = call %struct.s @l_taken(%struct.s %a, ptr byval(%struct.small) %p, <2 x half> zeroinitializer, i128 %i)
  %x = extractvalue %struct.s %b, 0
  %c = call i32 @ext(i8 1, i16 2, float 3.0, double 4.0, ptr %p, %struct.s %b, ptr byval(%struct.small) %p)
  %d = call i32 (i32, ...) @ext_var(i32 %c, i32 %x, double 2.0, ptr %p)
  %e = call i32 (i32, ...) @varargs(i32 %d)
  call void @ext_weak(i32 %e)
  %v = call <4 x float> @ext_vec(<4 x float> zeroinitializer, <2 x half> zeroinitializer)
  store <4 x float> %v, ptr %p
  %pr = call [5 x i8] @l_priv([5 x i8] zeroinitializer)
  %lo = call %struct.s @lo_s(%struct.s %b)
  store %struct.s %lo, ptr %p
  %f = load ptr, ptr %p
  %g = call i32 %f(i32 1, %struct.s %b)
  store i32 %g, ptr %p
  %h = call <2 x half> %f(ptr byval(%struct.al) align 16 %p, half 1.0, i1 true)
  store <2 x half> %h, ptr %p
  call void @later(i32 1)
  call void @ext_noret(i32 1)
  unreachable
}
define internal void @later(i32 %a) noinline {
  call void asm sideeffect "// nothing", ""()
  ret void
}
