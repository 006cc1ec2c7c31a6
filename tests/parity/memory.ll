; Loads, stores and atomics of every order, scope, space and width; aggregates; constants of every type.
; llc: -mcpu=sm_90 -mattr=+ptx83
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @orders(ptr %g, ptr addrspace(1) %a, ptr addrspace(3) %s) {
  %1 = load atomic i32, ptr %g monotonic, align 4
  %2 = load atomic i32, ptr addrspace(1) %a acquire, align 4
  %3 = load atomic i64, ptr addrspace(3) %s syncscope("block") seq_cst, align 8
  %4 = load volatile i32, ptr %g
  %5 = load atomic volatile i32, ptr addrspace(1) %a monotonic, align 4
  store atomic i32 %1, ptr %g monotonic, align 4
  store atomic i32 %2, ptr addrspace(1) %a syncscope("device") release, align 4
  store atomic i64 %3, ptr addrspace(3) %s seq_cst, align 8
  store volatile i32 %4, ptr %g
  store atomic volatile i32 %5, ptr addrspace(1) %a monotonic, align 4
  fence syncscope("block") acquire
  fence seq_cst
  fence syncscope("cluster") acq_rel
  %r = atomicrmw add ptr addrspace(1) %a, i32 1 acq_rel
  %x = atomicrmw xchg ptr addrspace(3) %s, i64 7 monotonic
  %c = cmpxchg ptr %g, i32 1, i32 %r seq_cst monotonic
  %cv = extractvalue { i32, i1 } %c, 0
  store i32 %cv, ptr %g
  %m = atomicrmw umax ptr addrspace(1) %a, i64 %x syncscope("device") release
  store i64 %m, ptr %g
  %fa = atomicrmw fadd ptr addrspace(1) %a, float 1.5 monotonic
  store float %fa, ptr %g
  ret void
}
define ptx_kernel void @widths(ptr %p, ptr addrspace(1) noalias readonly %q, ptr addrspace(4) %c) {
  %a = load i8, ptr %p
  %b = load i16, ptr addrspace(1) %q
  %d = load <4 x float>, ptr addrspace(1) %q, align 16
  %e = load <2 x double>, ptr addrspace(4) %c, align 16
  %f = load <8 x half>, ptr addrspace(1) %q, align 16
  %g = load i128, ptr addrspace(1) %q, align 16
  %h = load <3 x i8>, ptr addrspace(1) %q, align 4
  store volatile i8 %a, ptr %p
  store volatile i16 %b, ptr %p
  store volatile <4 x float> %d, ptr %p, align 16
  store volatile <2 x double> %e, ptr %p, align 16
  store volatile <8 x half> %f, ptr %p, align 16
  store volatile i128 %g, ptr %p, align 16
  store volatile <3 x i8> %h, ptr %p, align 4
  ret void
}
define ptx_kernel void @constants(ptr %p, half %h, bfloat %b) {
  store volatile float 0x7FF8000000000000, ptr %p
  store volatile float 0xFFF0000000000000, ptr %p
  store volatile double 1.000000e-01, ptr %p
  store volatile half 0xH3C00, ptr %p
  store volatile bfloat 0xR3F80, ptr %p
  store volatile i64 -1, ptr %p
  store volatile i1 true, ptr %p
  store volatile <2 x half> <half 1.0, half 2.0>, ptr %p
  %x = fadd half %h, 0xH3C00
  %y = fadd bfloat %b, 0xR4000
  store volatile half %x, ptr %p
  store volatile bfloat %y, ptr %p
  ret void
}
