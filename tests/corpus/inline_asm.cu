// Inline assembly: several outputs, tied and early-clobber operands,
// immediates, memory clobbers, predicates and labels inside, vectors and every
// constraint.
#include <cuda_runtime.h>

__global__ void CarryChains(const uint4* a, const uint4* b, uint4* sum,
                            unsigned* carry) {
  const int i = threadIdx.x;
  const uint4 x = a[i];
  const uint4 y = b[i];
  uint4 z;
  unsigned c;
  asm("add.cc.u32 %0, %5, %9;\n\t"
      "addc.cc.u32 %1, %6, %10;\n\t"
      "addc.cc.u32 %2, %7, %11;\n\t"
      "addc.cc.u32 %3, %8, %12;\n\t"
      "addc.u32 %4, 0, 0;"
      : "=&r"(z.x), "=&r"(z.y), "=&r"(z.z), "=&r"(z.w), "=r"(c)
      : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z),
        "r"(y.w));
  sum[i] = z;
  carry[i] = c;
}

__global__ void TiedOperands(unsigned* values, float* floats, double* doubles,
                             unsigned short* shorts,
                             unsigned long long* longs) {
  const int i = threadIdx.x;
  unsigned v = values[i];
  asm("mad.lo.u32 %0, %0, %1, %2;" : "+r"(v) : "r"(v >> 3), "n"(12345));
  asm("{\n\t.reg .b32 t;\n\tnot.b32 t, %0;\n\txor.b32 %0, t, %1;\n\t}"
      : "+r"(v)
      : "r"(i));
  values[i] = v;
  float f = floats[i];
  asm("fma.rn.ftz.f32 %0, %1, %2, %0;" : "+f"(f) : "f"(f), "f"(0.5f));
  floats[i] = f;
  double d = doubles[i];
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(d));
  doubles[i] = d;
  unsigned short h = shorts[i];
  asm("mul.lo.u16 %0, %1, %2;" : "=h"(h) : "h"(h), "h"((unsigned short)3));
  shorts[i] = h;
  unsigned long long l = longs[i];
  asm("shl.b64 %0, %1, %2;" : "=l"(l) : "l"(l), "r"(5));
  longs[i] = l;
}

__global__ void PredicatesInside(const int* in, int* out) {
  const int i = threadIdx.x;
  int result;
  asm volatile(
      "{\n\t"
      ".reg .pred p, q;\n\t"
      "setp.gt.s32 p, %1, 10;\n\t"
      "setp.lt.and.s32 q, %1, 20, p;\n\t"
      "mov.u32 %0, 0;\n\t"
      "@p mov.u32 %0, 1;\n\t"
      "@q mov.u32 %0, 2;\n\t"
      "@!p bra SKIP_%=;\n\t"
      "add.s32 %0, %0, %1;\n\t"
      "SKIP_%=:\n\t"
      "}"
      : "=&r"(result)
      : "r"(in[i]));
  int again;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; selp.b32 %0, %2, %3, p;}"
               : "=r"(again)
               : "r"(result), "r"(in[i + 32]), "r"(in[i + 64])
               : "memory");
  out[i] = again;
}

__global__ void MemoryAccess(const float4* in, float4* out, int* shared_out) {
  __shared__ int cells[64];
  const int i = threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(__cvta_generic_to_global(in + i)));
  asm volatile("st.global.cs.v4.f32 [%0+16], {%1, %2, %3, %4};" ::"l"(
                   __cvta_generic_to_global(out + i)),
               "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
  const unsigned at =
      static_cast<unsigned>(__cvta_generic_to_shared(&cells[i]));
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(i * i) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  int got;
  asm volatile("ld.volatile.shared.s32 %0, [%1];"
               : "=r"(got)
               : "r"(at ^ 4)
               : "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + 32));
  shared_out[i] = got;
}

__global__ void SpecialRegisters(unsigned* out) {
  unsigned lane, warp, sm, mask;
  unsigned long long timer;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  out[threadIdx.x] = lane ^ warp ^ sm ^ mask ^ static_cast<unsigned>(timer);
}

__global__ void LopAndPermute(const uint3* in, unsigned* out) {
  const uint3 v = in[threadIdx.x];
  unsigned majority, choice, mixed;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;"
      : "=r"(majority)
      : "r"(v.x), "r"(v.y), "r"(v.z));
  asm("lop3.b32 %0, %1, %2, %3, %4;"
      : "=r"(choice)
      : "r"(v.x), "r"(v.y), "r"(v.z), "n"(0xca));
  asm("prmt.b32 %0, %1, %2, %3;"
      : "=r"(mixed)
      : "r"(majority), "r"(choice), "r"(0x5410));
  // A result nobody reads still runs because it is volatile.
  unsigned unused;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(unused)::"memory");
  out[threadIdx.x] = mixed;
}
