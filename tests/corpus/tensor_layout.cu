// Tensors with strides known at run time and up to five dimensions: division
// by magic numbers, permutation, broadcasts, gather, reductions and im2col.
#include <cuda_runtime.h>

constexpr int kMaxDims = 5;

// Divides by multiplication: n / d = (umulhi(n, multiplier) + n) >> shift.
struct FastDivisor {
  unsigned divisor;
  unsigned multiplier;
  unsigned shift;

  __device__ unsigned Divide(unsigned n, unsigned& rest) const {
    const unsigned quotient = (__umulhi(n, multiplier) + n) >> shift;
    rest = n - quotient * divisor;
    return quotient;
  }
};

// The sizes of an iteration, the innermost first, and each operand's strides.
template <int kOperands>
struct OffsetCalculator {
  int dims;
  FastDivisor sizes[kMaxDims];
  unsigned strides[kMaxDims][kOperands];

  __device__ void Get(unsigned index, unsigned (&offsets)[kOperands]) const {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] = 0;
    }
#pragma unroll
    for (int d = 0; d < kMaxDims; ++d) {
      if (d == dims) {
        break;
      }
      unsigned at;
      index = sizes[d].Divide(index, at);
#pragma unroll
      for (int k = 0; k < kOperands; ++k) {
        offsets[k] += at * strides[d][k];
      }
    }
  }
};

template <typename T, int kDims>
struct TensorAccessor {
  T* data;
  long long sizes[kDims];
  long long strides[kDims];
};

// Copies between any two layouts: a thread has kItems elements in flight.
template <typename T, int kItems>
__global__ void CopyStrided(T* out, const T* in, unsigned count,
                            OffsetCalculator<2> calculator) {
  const unsigned base = blockIdx.x * blockDim.x * kItems + threadIdx.x;
  T values[kItems];
  unsigned to[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const unsigned index = base + i * blockDim.x;
    if (index < count) {
      unsigned offsets[2];
      calculator.Get(index, offsets);
      to[i] = offsets[0];
      values[i] = in[offsets[1]];
    }
  }
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (base + i * blockDim.x < count) {
      out[to[i]] = values[i];
    }
  }
}

template __global__ void CopyStrided<double, 4>(double*, const double*,
                                                unsigned, OffsetCalculator<2>);

// out = a + scale * b * c with broadcasts, whose strides are zero.
__global__ void MultiplyAddBroadcast(float* out, const float* a,
                                     const float* b, const float* c,
                                     float scale, unsigned count,
                                     OffsetCalculator<4> calculator) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < count;
       index += 2 * step) {
    unsigned first[4];
    unsigned second[4];
    calculator.Get(index, first);
    const bool has_second = index + step < count;
    calculator.Get(has_second ? index + step : index, second);
    const float x = a[first[1]] + scale * b[first[2]] * c[first[3]];
    const float y = a[second[1]] + scale * b[second[2]] * c[second[3]];
    out[first[0]] = x;
    if (has_second) {
      out[second[0]] = y;
    }
  }
}

// out[i][j][k][l] = in[..][indices[i][j][k][l]][..] along a dimension.
template <typename T, int kDims>
__global__ void GatherAlong(TensorAccessor<T, kDims> out,
                            TensorAccessor<const T, kDims> in,
                            TensorAccessor<const long long, kDims> indices,
                            int dim, long long count, int* error) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long linear =
           static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       linear < count; linear += step) {
    long long rest = linear;
    long long from = 0;
    long long at = 0;
    long long to = 0;
#pragma unroll
    for (int d = kDims - 1; d >= 0; --d) {
      const long long size = indices.sizes[d];
      const long long place = d == 0 ? rest : rest % size;
      rest /= size;
      at += place * indices.strides[d];
      to += place * out.strides[d];
      if (d != dim) {
        from += place * in.strides[d];
      }
    }
    const long long size = in.sizes[dim];
    long long index = indices.data[at];
    if (index < -size || index >= size) {
      *error = 1;
      continue;
    }
    index += index < 0 ? size : 0;
    out.data[to] = in.data[from + index * in.strides[dim]];
  }
}

template __global__ void GatherAlong<float, 4>(
    TensorAccessor<float, 4>, TensorAccessor<const float, 4>,
    TensorAccessor<const long long, 4>, int, long long, int*);

struct MeanAndVariance {
  float mean;
  float squares;
  float count;
};

namespace {

// Joins moments as Chan does.
__device__ MeanAndVariance Join(MeanAndVariance a, MeanAndVariance b) {
  const float count = a.count + b.count;
  if (count == 0.0f) {
    return a;
  }
  const float delta = b.mean - a.mean;
  const float share = b.count / count;
  return {a.mean + delta * share,
          a.squares + b.squares + delta * delta * a.count * share, count};
}

}  // namespace

// Reduces any dimensions to moments: a block for each output. A thread keeps
// four independent moments.
__global__ void ReduceMoments(const float* in, unsigned reduced,
                              OffsetCalculator<2> outputs,
                              OffsetCalculator<1> inputs, float correction,
                              float* means, float* variances) {
  __shared__ MeanAndVariance shared[32];
  unsigned bases[2];
  outputs.Get(blockIdx.x, bases);
  const float* from = in + bases[1];
  MeanAndVariance moments[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    moments[i] = {0.0f, 0.0f, 0.0f};
  }
  for (unsigned base = threadIdx.x; base < reduced; base += 4 * blockDim.x) {
    float values[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned index = base + i * blockDim.x;
      if (index < reduced) {
        unsigned offset[1];
        inputs.Get(index, offset);
        values[i] = from[offset[0]];
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (base + i * blockDim.x < reduced) {
        moments[i].count += 1.0f;
        const float delta = values[i] - moments[i].mean;
        moments[i].mean += delta / moments[i].count;
        moments[i].squares += delta * (values[i] - moments[i].mean);
      }
    }
  }
  MeanAndVariance all =
      Join(Join(moments[0], moments[1]), Join(moments[2], moments[3]));
  const int lane = threadIdx.x & 31;
  const int warps = blockDim.x >> 5;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
#pragma unroll 1
    for (int step = 16; step > 0; step /= 2) {
      const MeanAndVariance other = {
          __shfl_down_sync(0xffffffffu, all.mean, step),
          __shfl_down_sync(0xffffffffu, all.squares, step),
          __shfl_down_sync(0xffffffffu, all.count, step)};
      all = Join(all, other);
    }
    if (round == 0) {
      if (lane == 0) {
        shared[threadIdx.x >> 5] = all;
      }
      __syncthreads();
      all = {0.0f, 0.0f, 0.0f};
      if (lane < warps) {
        all = shared[lane];
      }
    }
  }
  if (threadIdx.x == 0) {
    means[bases[0]] = all.mean;
    variances[bases[0]] = all.squares / fmaxf(all.count - correction, 0.0f);
  }
}

namespace {

// NaN is larger than all numbers, and the first of equal elements wins.
__device__ bool IsBetter(double a, int where_a, double b, int where_b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) && (!isnan(b) || where_a < where_b);
  }
  return a > b || (a == b && where_a < where_b);
}

}  // namespace

// Finds the largest elements along a strided dimension, a warp for each output.
__global__ void ArgMaxStrided(const double* in, int size, long long stride,
                              unsigned outputs, OffsetCalculator<2> calculator,
                              long long* indices, double* values) {
  const unsigned index = blockIdx.x * blockDim.y + threadIdx.y;
  const int lane = threadIdx.x;
  if (index >= outputs) {
    return;
  }
  unsigned offsets[2];
  calculator.Get(index, offsets);
  const double* from = in + offsets[1];
  double best = -INFINITY;
  int where = size;
#pragma unroll 2
  for (int i = lane; i < size; i += 32) {
    const double value = from[i * stride];
    if (IsBetter(value, i, best, where)) {
      best = value;
      where = i;
    }
  }
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    const double value = __shfl_xor_sync(0xffffffffu, best, step);
    const int other = __shfl_xor_sync(0xffffffffu, where, step);
    if (IsBetter(value, other, best, where)) {
      best = value;
      where = other;
    }
  }
  if (lane == 0) {
    indices[offsets[0]] = where;
    values[offsets[0]] = best;
  }
}

struct ConvolutionShape {
  int channels, depth, height, width;
  int kernel_d, kernel_h, kernel_w;
  int pad_d, pad_h, pad_w;
  int stride_d, stride_h, stride_w;
  int dilation_d, dilation_h, dilation_w;
  int out_d, out_h, out_w;
};

// Unfolds volumes to columns: a thread has a channel's window at one output.
__global__ void VolumeToColumns(const float* volume, ConvolutionShape s,
                                long long count, float* columns) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long linear =
           static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       linear < count; linear += step) {
    int rest = static_cast<int>(linear);
    const int x = rest % s.out_w;
    rest /= s.out_w;
    const int y = rest % s.out_h;
    rest /= s.out_h;
    const int z = rest % s.out_d;
    const int channel = rest / s.out_d;
    const int in_z = z * s.stride_d - s.pad_d;
    const int in_y = y * s.stride_h - s.pad_h;
    const int in_x = x * s.stride_w - s.pad_w;
    const long long plane = static_cast<long long>(s.out_d) * s.out_h * s.out_w;
    float* to = columns +
                channel * s.kernel_d * s.kernel_h * s.kernel_w * plane +
                (static_cast<long long>(z) * s.out_h + y) * s.out_w + x;
    const float* from =
        volume +
        ((static_cast<long long>(channel) * s.depth + in_z) * s.height + in_y) *
            s.width +
        in_x;
    for (int i = 0; i < s.kernel_d; ++i) {
      for (int j = 0; j < s.kernel_h; ++j) {
        for (int k = 0; k < s.kernel_w; ++k) {
          const int dz = i * s.dilation_d;
          const int dy = j * s.dilation_h;
          const int dx = k * s.dilation_w;
          const bool is_inside = in_z + dz >= 0 && in_z + dz < s.depth &&
                                 in_y + dy >= 0 && in_y + dy < s.height &&
                                 in_x + dx >= 0 && in_x + dx < s.width;
          *to = is_inside ? from[(static_cast<long long>(dz) * s.height + dy) *
                                     s.width +
                                 dx]
                          : 0.0f;
          to += plane;
        }
      }
    }
  }
}

// Folds columns to images: a thread sums the windows that hold its pixel.
__global__ void ColumnsToImage(const double* columns, ConvolutionShape s,
                               int count, double* image) {
  const int linear = blockIdx.x * blockDim.x + threadIdx.x;
  if (linear >= count) {
    return;
  }
  const int x = linear % s.width + s.pad_w;
  const int y = linear / s.width % s.height + s.pad_h;
  const int channel = linear / (s.width * s.height);
  const int extent_w = (s.kernel_w - 1) * s.dilation_w + 1;
  const int extent_h = (s.kernel_h - 1) * s.dilation_h + 1;
  const int x_begin = x < extent_w ? 0 : (x - extent_w) / s.stride_w + 1;
  const int x_end = min(x / s.stride_w + 1, s.out_w);
  const int y_begin = y < extent_h ? 0 : (y - extent_h) / s.stride_h + 1;
  const int y_end = min(y / s.stride_h + 1, s.out_h);
  double sum = 0.0;
  for (int oy = y_begin; oy < y_end; ++oy) {
    for (int ox = x_begin; ox < x_end; ++ox) {
      int kernel_y = y - oy * s.stride_h;
      int kernel_x = x - ox * s.stride_w;
      if (kernel_y % s.dilation_h == 0 && kernel_x % s.dilation_w == 0) {
        kernel_y /= s.dilation_h;
        kernel_x /= s.dilation_w;
        const long long row =
            (static_cast<long long>(channel) * s.kernel_h + kernel_y) *
                s.kernel_w +
            kernel_x;
        sum += columns[(row * s.out_h + oy) * s.out_w + ox];
      }
    }
  }
  image[linear] = sum;
}
