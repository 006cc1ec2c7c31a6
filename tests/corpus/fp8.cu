// Eight-bit floats on sm_89: conversions both ways, an e4m3 matrix product by
// mma.sync, scaled quantisation of rows and e5m2 storage of gradients.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void Conversions(const float2* in, const __half2* halves,
                            __nv_fp8x2_storage_t* e4, __nv_fp8x2_storage_t* e5,
                            __half2* back) {
  const int i = threadIdx.x;
  e4[i] = __nv_cvt_float2_to_fp8x2(in[i], __NV_SATFINITE, __NV_E4M3);
  e5[i] = __nv_cvt_float2_to_fp8x2(in[i], __NV_SATFINITE, __NV_E5M2);
  e4[i + 32] = __nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(halves[i]),
                                          __NV_SATFINITE, __NV_E4M3);
  back[i] = __half2(__nv_cvt_fp8x2_to_halfraw2(e4[i + 64], __NV_E4M3));
  back[i + 32] = __half2(__nv_cvt_fp8x2_to_halfraw2(e5[i + 64], __NV_E5M2));
}

__global__ void QuantiseRows(const float4* in, __nv_fp8x4_e4m3* out,
                             float* scales, int quads) {
  in += static_cast<size_t>(blockIdx.x) * quads;
  out += static_cast<size_t>(blockIdx.x) * quads;
  float top = 0.0f;
  for (int i = threadIdx.x; i < quads; i += 32) {
    const float4 v = in[i];
    top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)),
                           fmaxf(fabsf(v.z), fabsf(v.w))));
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
  }
  const float scale = top / 448.0f;
  const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
  for (int i = threadIdx.x; i < quads; i += 32) {
    const float4 v = in[i];
    out[i] = __nv_fp8x4_e4m3(make_float4(v.x * inverse, v.y * inverse,
                                         v.z * inverse, v.w * inverse));
  }
  if (threadIdx.x == 0) {
    scales[blockIdx.x] = scale;
  }
}

__global__ void MmaE4m3(const unsigned* a, const unsigned* b, float* c, int k) {
  const int lane = threadIdx.x;
  float d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    const unsigned* left = a + (lane / 4) * k + k0 + lane % 4;
    const unsigned* right = b + (lane / 4) * k + k0 + lane % 4;
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(left[0]), "r"(left[8 * k]), "r"(left[4]), "r"(left[8 * k + 4]),
          "r"(right[0]), "r"(right[4]));
  }
  *reinterpret_cast<float2*>(&c[(lane / 4) * 8 + lane % 4 * 2]) =
      make_float2(d[0], d[1]);
  *reinterpret_cast<float2*>(&c[(lane / 4 + 8) * 8 + lane % 4 * 2]) =
      make_float2(d[2], d[3]);
}

__global__ void Accumulate(__nv_fp8_e5m2* moments, const float* gradients,
                           float decay, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float old = static_cast<float>(moments[i]);
    moments[i] = __nv_fp8_e5m2(decay * old + (1.0f - decay) * gradients[i]);
  }
}

__global__ void Builtins(const float* in, short* out, const short* packed,
                         unsigned* halves) {
  const int i = threadIdx.x;
  out[i] = __nvvm_ff_to_e4m3x2_rn(in[i], in[i + 1]);
  out[i + 32] = __nvvm_ff_to_e4m3x2_rn_relu(in[i], in[i + 1]);
  out[i + 64] = __nvvm_ff_to_e5m2x2_rn(in[i], in[i + 1]);
  typedef __fp16 Pair __attribute__((vector_size(4)));
  union {
    Pair pair;
    unsigned word;
  } u;
  u.pair = __nvvm_e4m3x2_to_f16x2_rn(packed[i]);
  halves[i] = u.word;
  out[i + 96] = __nvvm_f16x2_to_e5m2x2_rn(u.pair);
}
