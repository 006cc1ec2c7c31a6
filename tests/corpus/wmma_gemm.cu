// Tensor-core products by the wmma interface and by mma built-ins: f16 with
// both accumulators, bf16, tf32, s8, u4 and single-bit operands.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <typename Sum>
__global__ void WmmaHalf(int n, int k, const __half* a, const __half* b,
                         Sum* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
  wmma::fill_fragment(sum, static_cast<Sum>(0.0f));
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::load_matrix_sync(left, a + row * k + k0, k);
    wmma::load_matrix_sync(right, b + col * k + k0, k);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) {
    sum.x[i] = sum.x[i] * static_cast<Sum>(0.125f);
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

template __global__ void WmmaHalf<float>(int, int, const __half*, const __half*,
                                         float*);
template __global__ void WmmaHalf<__half>(int, int, const __half*,
                                          const __half*, __half*);

// The shapes 32x8x16 and 8x32x16, one through shared memory.
__global__ void WmmaShapes(const __half* a, const __half* b, float* c) {
  __shared__ __half staged[32 * 16];
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> tall;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> thin;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::col_major> flat;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::col_major> wide;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> other;
  for (int i = threadIdx.x; i < 32 * 16; i += 32) {
    staged[i] = __hneg(a[i]);
  }
  __syncwarp();
  wmma::load_matrix_sync(tall, staged, 16);
  wmma::load_matrix_sync(thin, b, 8);
  wmma::load_matrix_sync(sum, c, 8, wmma::mem_row_major);
  wmma::mma_sync(sum, tall, thin, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
  wmma::load_matrix_sync(flat, a, 8);
  wmma::load_matrix_sync(wide, b, 16);
  wmma::fill_fragment(other, 1.0f);
  wmma::mma_sync(other, flat, wide, other);
  wmma::store_matrix_sync(c + 256, other, 8, wmma::mem_col_major);
}

__global__ void WmmaInteger(const signed char* a, const signed char* b, int* c,
                            int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major>
      right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::load_matrix_sync(left, a + k0, k);
    wmma::load_matrix_sync(right, b + k0, k);
    wmma::mma_sync(sum, left, right, sum, true);
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

// The built-ins themselves, for the types the header leaves to newer chips.
__global__ void MmaBuiltins(const __nv_bfloat16* a, const __nv_bfloat16* b,
                            const int* a32, const int* b32, float* c, int* bits,
                            double* d) {
  int left[4];
  int right[4];
  float sum[8] = {};
  __mma_bf16_m16n16k16_ld_a(left, reinterpret_cast<const int*>(a), 16, 0);
  __mma_bf16_m16n16k16_ld_b(right, reinterpret_cast<const int*>(b), 16, 1);
  __mma_bf16_m16n16k16_mma_f32(sum, left, right, sum, 1, 0);
  __hmma_m16n16k16_st_c_f32(c, sum, 16, 0);

  int left_tf[4];
  int right_tf[4];
  float sum_tf[8] = {};
  __mma_tf32_m16n16k8_ld_a(left_tf, a32, 8, 0);
  __mma_tf32_m16n16k8_ld_b(right_tf, b32, 8, 0);
  __mma_tf32_m16n16k8_mma_f32(sum_tf, left_tf, right_tf, sum_tf, 0, 0);
  __mma_m16n16k8_st_c_f32(c + 256, sum_tf, 16, 1);

  int left_bits;
  int right_bits;
  int sum_bits[2] = {0, 0};
  __bmma_m8n8k128_ld_a_b1(&left_bits, a32, 128, 0);
  __bmma_m8n8k128_ld_b_b1(&right_bits, b32, 128, 1);
  __bmma_m8n8k128_mma_xor_popc_b1(sum_bits, &left_bits, &right_bits, sum_bits,
                                  1);
  __bmma_m8n8k128_st_c_i32(bits, sum_bits, 8, 0);

  int left_u4;
  int right_u4;
  int sum_u4[2] = {1, 2};
  __imma_m8n8k32_ld_a_u4(&left_u4, a32, 32, 0);
  __imma_m8n8k32_ld_b_u4(&right_u4, b32, 32, 1);
  __imma_m8n8k32_mma_u4(sum_u4, &left_u4, &right_u4, sum_u4, 1, 0);
  __imma_m8n8k32_st_c_i32(bits + 64, sum_u4, 8, 0);

  double left_d;
  double right_d;
  double sum_d[2] = {0.0, 0.0};
  __dmma_m8n8k4_ld_a(&left_d, d, 4, 0);
  __dmma_m8n8k4_ld_b(&right_d, d + 32, 4, 1);
  __dmma_m8n8k4_mma_f64(sum_d, &left_d, &right_d, sum_d, 1, 0);
  __dmma_m8n8k4_st_c_f64(d + 64, sum_d, 8, 0);
}
