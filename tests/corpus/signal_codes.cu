// Signals and codes: layered LDPC decoding by min-sum, a Viterbi decoder with
// two path metrics a word, filters, the CDF 9/7 wavelet by lifting,
// Reed-Solomon syndromes and CORDIC.
#include <cuda_runtime.h>

namespace {

__device__ inline int Clamp(int v, int bound) {
  return max(-bound, min(v, bound));
}

}  // namespace

// ---- LDPC. A row of the base graph has five blocks; a block is a rotated
// identity, and a layer has a block once. A thread has one row of each
// layer and keeps its messages.

constexpr int kLayers = 3;
constexpr int kDegree = 5;
constexpr int kMaxBlocks = 16;

struct BaseGraph {
  short block[kLayers][kDegree];
  short shift[kLayers][kDegree];
};
__constant__ BaseGraph base_graph;

__global__ void LdpcMinSum(const signed char* channel, int blocks, int lift,
                           int iterations, unsigned char* bits,
                           int* used_iterations) {
  __shared__ int posterior[kMaxBlocks * 64];
  const int length = blocks * lift;
  const signed char* mine = channel + blockIdx.x * length;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    posterior[i] = mine[i];
  }
  const int row = threadIdx.x;
  int messages[kLayers][kDegree] = {};
  int round = 0;
  bool wrong = true;
  __syncthreads();
  while (round < iterations && wrong) {
    bool failed = false;
#pragma unroll
    for (int layer = 0; layer < kLayers; ++layer) {
      int at[kDegree];
      int in[kDegree];
      int least = 127;
      int second = 127;
      int sign = 0;
      int parity = 0;
      if (row < lift) {
#pragma unroll
        for (int e = 0; e < kDegree; ++e) {
          int place = row + base_graph.shift[layer][e];
          place -= place >= lift ? lift : 0;
          at[e] = base_graph.block[layer][e] * lift + place;
          const int old = posterior[at[e]];
          parity ^= old;
          in[e] = Clamp(old - messages[layer][e], 127);
          sign ^= in[e];
          const int size = abs(in[e]);
          second = min(second, max(size, least));
          least = min(least, size);
        }
#pragma unroll
        for (int e = 0; e < kDegree; ++e) {
          int size = abs(in[e]) == least ? second : least;
          size = size - (size >> 2);
          const int fresh = (sign ^ in[e]) < 0 ? -size : size;
          posterior[at[e]] = Clamp(in[e] + fresh, 255);
          messages[layer][e] = fresh;
        }
        failed |= parity < 0;
      }
      __syncthreads();
    }
    wrong = __syncthreads_or(failed);
    ++round;
  }
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    bits[blockIdx.x * length + i] = posterior[i] < 0;
  }
  if (threadIdx.x == 0) {
    used_iterations[blockIdx.x] = round;
  }
}

// ---- Viterbi. A word has two metrics of sixteen bits that wrap around.

namespace {

// Returns all ones in each half in which b is less than a.
__device__ inline unsigned LessMask(unsigned b, unsigned a) {
  const unsigned difference =
      ((b | 0x80008000u) - (a & 0x7fff7fffu)) ^ ((b ^ ~a) & 0x80008000u);
  return (difference >> 15 & 0x00010001u) * 0xffffu;
}

__device__ inline unsigned AddHalves(unsigned a, unsigned b) {
  return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}

}  // namespace

// Rate 1/2, constraint length 7. A lane has the states `lane` and `lane + 32`,
// which are the predecessors of `2 * lane` and `2 * lane + 1`. A warp decodes
// one frame; ballots keep the decisions.
__global__ void ViterbiWarp(const uchar2* soft, int steps, int tail_state,
                            uint2* decisions, unsigned char* bits) {
  const int lane = threadIdx.x % 32;
  const int frame = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  soft += frame * steps;
  decisions += frame * steps;
  bits += frame * steps;
  // The outputs of the branch from `lane` for an input of zero.
  const unsigned out0 = __popc((lane << 1) & 0x79) & 1;
  const unsigned out1 = __popc((lane << 1) & 0x5b) & 1;
  unsigned metrics = lane == 0 ? 0x10000000u : 0x10001000u;
  for (int t = 0; t < steps; ++t) {
    const uchar2 seen = soft[t];
    const unsigned one = (out0 != 0 ? 255 - seen.x : seen.x) +
                         (out1 != 0 ? 255 - seen.y : seen.y);
    const unsigned other = 510 - one;
    // Both generators use the newest and the oldest bit, so the four branches
    // have two costs.
    const unsigned zero_in = AddHalves(metrics, other << 16 | one);
    const unsigned one_in = AddHalves(metrics, one << 16 | other);
    const unsigned low = __byte_perm(zero_in, one_in, 0x5410);
    const unsigned high = __byte_perm(zero_in, one_in, 0x7632);
    const unsigned worse = LessMask(high, low);
    const unsigned best = (high & worse) | (low & ~worse);
    const unsigned even = __ballot_sync(0xffffffffu, worse & 1);
    const unsigned odd = __ballot_sync(0xffffffffu, worse >> 16 & 1);
    if (lane == 0) {
      decisions[t] = make_uint2(even, odd);
    }
    const unsigned a = __shfl_sync(0xffffffffu, best, lane / 2);
    const unsigned b = __shfl_sync(0xffffffffu, best, lane / 2 + 16);
    metrics = __byte_perm(a, b, lane % 2 == 0 ? 0x5410 : 0x7632);
    if (t % 16 == 15) {
      unsigned least = min(metrics & 0xffffu, metrics >> 16);
#pragma unroll
      for (int step = 16; step > 0; step /= 2) {
        least = min(least, __shfl_xor_sync(0xffffffffu, least, step));
      }
      metrics -= least * 0x10001u;
    }
  }
  __syncwarp();
  if (lane == 0) {
    int state = tail_state;
    for (int t = steps - 1; t >= 0; --t) {
      bits[t] = state & 1;
      const uint2 taken = decisions[t];
      const unsigned word = state % 2 == 0 ? taken.x : taken.y;
      state = state >> 1 | static_cast<int>(word >> (state >> 1) & 1) << 5;
    }
  }
}

// ---- Filters.

struct Biquad {
  float b0, b1, b2, a1, a2;
};

// A thread filters a channel; samples of all channels are interleaved.
template <int kSections>
__global__ void BiquadCascade(const Biquad* __restrict__ filters,
                              float2* __restrict__ state,
                              const float* __restrict__ in,
                              float* __restrict__ out, int channels,
                              int samples) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) {
    return;
  }
  Biquad f[kSections];
  float2 s[kSections];
#pragma unroll
  for (int k = 0; k < kSections; ++k) {
    f[k] = filters[k * channels + channel];
    s[k] = state[k * channels + channel];
  }
#pragma unroll 1
  for (int t = 0; t < samples; ++t) {
    float x = in[t * channels + channel];
#pragma unroll
    for (int k = 0; k < kSections; ++k) {
      const float y = fmaf(f[k].b0, x, s[k].x);
      s[k].x = fmaf(f[k].b1, x, fmaf(-f[k].a1, y, s[k].y));
      s[k].y = fmaf(f[k].b2, x, -f[k].a2 * y);
      x = y;
    }
    out[t * channels + channel] = x;
  }
#pragma unroll
  for (int k = 0; k < kSections; ++k) {
    state[k * channels + channel] = s[k];
  }
}

template __global__ void BiquadCascade<6>(const Biquad*, float2*, const float*,
                                          float*, int, int);

// Each thread makes kOutputs neighbors with a window that slides over the
// taps; the complex signal is in shared memory.
template <int kOutputs, int kMaxTaps>
__global__ void ComplexFir(const float2* __restrict__ in, int count,
                           const float* __restrict__ taps, int tap_count,
                           float2* __restrict__ out) {
  extern __shared__ float2 signal[];
  __shared__ float weights[kMaxTaps];
  const int tile = blockDim.x * kOutputs;
  const int first = blockIdx.x * tile;
  for (int i = threadIdx.x; i < tile + tap_count - 1; i += blockDim.x) {
    const int at = first + i - (tap_count - 1);
    signal[i] = at >= 0 && at < count ? in[at] : make_float2(0.0f, 0.0f);
  }
  for (int i = threadIdx.x; i < tap_count; i += blockDim.x) {
    weights[i] = taps[tap_count - 1 - i];
  }
  __syncthreads();
  const float2* mine = signal + threadIdx.x * kOutputs;
  float2 sums[kOutputs];
  float2 window[kOutputs];
#pragma unroll
  for (int k = 0; k < kOutputs; ++k) {
    sums[k] = make_float2(0.0f, 0.0f);
    window[k] = mine[k];
  }
  for (int tap = 0; tap < tap_count; ++tap) {
    const float w = weights[tap];
#pragma unroll
    for (int k = 0; k < kOutputs; ++k) {
      sums[k].x = fmaf(w, window[k].x, sums[k].x);
      sums[k].y = fmaf(w, window[k].y, sums[k].y);
    }
#pragma unroll
    for (int k = 0; k + 1 < kOutputs; ++k) {
      window[k] = window[k + 1];
    }
    if (tap + 1 < tap_count) {
      window[kOutputs - 1] = mine[kOutputs + tap];
    }
  }
#pragma unroll
  for (int k = 0; k < kOutputs; ++k) {
    const int at = first + static_cast<int>(threadIdx.x) * kOutputs + k;
    if (at < count) {
      out[at] = sums[k];
    }
  }
}

template __global__ void ComplexFir<8, 128>(const float2*, int, const float*,
                                            int, float2*);

// ---- The wavelet of JPEG 2000, for an even number of samples.

namespace {

constexpr float kAlpha = -1.586134342f;
constexpr float kBeta = -0.05298011854f;
constexpr float kGamma = 0.8829110762f;
constexpr float kDelta = 0.4435068522f;
constexpr float kScale = 1.230174105f;

}  // namespace

// A thread walks down two columns with what the next rows need in registers.
__global__ void LiftColumns(const float2* __restrict__ in,
                            float2* __restrict__ out, int pairs, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= pairs) {
    return;
  }
  const int half = height / 2;
  const float* source = reinterpret_cast<const float*>(in + x);
  float* target = reinterpret_cast<float*>(out + x);
  const int stride = 2 * pairs;
  float s1[2], d1[2], d2[2];
  for (int n = 0; n <= half; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      // Behind the last row, rows are reflected.
      float fresh_s1 = s1[c];
      float fresh_d1 = 0.0f;
      if (n < half) {
        const int after = min(2 * n + 2, height - 2);
        const float a = source[2 * n * stride + c];
        const float b = source[(2 * n + 1) * stride + c];
        fresh_d1 = b + kAlpha * (a + source[after * stride + c]);
        fresh_s1 = a + kBeta * ((n == 0 ? fresh_d1 : d1[c]) + fresh_d1);
      }
      if (n > 0) {
        const float fresh_d2 = d1[c] + kGamma * (s1[c] + fresh_s1);
        const float s2 = s1[c] + kDelta * ((n == 1 ? fresh_d2 : d2[c]) +
                                           fresh_d2);
        target[(n - 1) * stride + c] = s2 * (1.0f / kScale);
        target[(half + n - 1) * stride + c] = fresh_d2 * kScale;
        d2[c] = fresh_d2;
      }
      d1[c] = fresh_d1;
      s1[c] = fresh_s1;
    }
  }
}

// ---- Reed-Solomon over GF(256) with the polynomial 0x11d.

namespace {

// Multiplies four elements by the generator.
__device__ inline unsigned TimesTwo(unsigned v) {
  return ((v & 0x7f7f7f7fu) << 1) ^ ((v >> 7 & 0x01010101u) * 0x1du);
}

}  // namespace

// A thread has four words that are interleaved by bytes and kCount syndromes of
// each: S[j] is the received polynomial at the generator's power j + 1.
template <int kCount>
__global__ void SyndromesByBytes(const unsigned* __restrict__ words,
                                 int length, int columns,
                                 unsigned* __restrict__ syndromes,
                                 unsigned* __restrict__ wrong) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s[kCount] = {};
  if (column < columns) {
    for (int i = 0; i < length; ++i) {
      const unsigned symbol = words[i * columns + column];
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        unsigned v = s[j];
#pragma unroll
        for (int k = 0; k <= j; ++k) {
          v = TimesTwo(v);
        }
        s[j] = v ^ symbol;
      }
    }
  }
  unsigned any = 0;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    any |= s[j];
    if (column < columns) {
      syndromes[j * columns + column] = s[j];
    }
  }
  const unsigned votes = __ballot_sync(0xffffffffu, any != 0);
  if (threadIdx.x % 32 == 0) {
    wrong[column / 32] = votes;
  }
}

template __global__ void SyndromesByBytes<6>(const unsigned*, int, int,
                                             unsigned*, unsigned*);

// ---- CORDIC with 30 bits after the point.

namespace {

__constant__ int arc_tangents[28] = {
    843314857, 497837829, 263043837, 133525159, 67021687, 33543516, 16775851,
    8388437,   4194283,   2097149,   1048576,   524288,   262144,   131072,
    65536,     32768,     16384,     8192,      4096,     2048,     1024,
    512,       256,       128,       64,        32,       16,       8};

}  // namespace

// Finds size and angle of each vector; turns the vector to the next by it.
__global__ void Cordic(const int2* vectors, const int* turns, int count,
                       int steps, int2* polar, int2* turned) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  int x = vectors[i].x;
  int y = vectors[i].y;
  int u = x;
  int v = y;
  int angle = 0;
  int rest = turns[i];
  // A vector to the left is turned by half a circle in advance.
  const bool left = x < 0;
  if (left) {
    x = -x;
    y = -y;
  }
  for (int k = 0; k < steps; ++k) {
    const int arc = arc_tangents[k];
    const int down = y >> 31;
    const int x_shift = x >> k;
    const int y_shift = y >> k;
    x += (y_shift ^ down) - down;
    y -= (x_shift ^ down) - down;
    angle += (arc ^ down) - down;
    const int back = rest >> 31;
    const int u_shift = u >> k;
    const int v_shift = v >> k;
    u -= (v_shift ^ back) - back;
    v += (u_shift ^ back) - back;
    rest -= (arc ^ back) - back;
  }
  // The product of the cosines, with 32 bits after the point.
  constexpr unsigned kGain = 2608131496u;
  const auto scale = [](int w) {
    return static_cast<int>(static_cast<long long>(w) * kGain >> 32);
  };
  // The angle that comes out has 29 bits after the point.
  const int half_circle = 1686629713;
  const int whole = left ? (vectors[i].y < 0 ? -half_circle : half_circle) : 0;
  polar[i] = make_int2(scale(x), (angle >> 1) + whole);
  turned[i] = make_int2(scale(u), scale(v));
}
