// Dynamic programming: Levenshtein by anti-diagonals and by bit vectors, local
// alignment, dynamic time warping, knapsack, Floyd-Warshall and Viterbi.
#include <cuda_runtime.h>

__global__ void Levenshtein(const char* a, int na, const char* b, int nb,
                            int* result) {
  extern __shared__ int cells[];
  int* before = cells;
  int* last = cells + na + 1;
  int* now = cells + 2 * (na + 1);
  for (int d = 0; d <= na + nb; ++d) {
    const int low = max(0, d - nb);
    const int high = min(na, d);
    for (int i = low + threadIdx.x; i <= high; i += blockDim.x) {
      const int j = d - i;
      if (i == 0 || j == 0) {
        now[i] = i + j;
      } else {
        const int change = before[i - 1] + (a[i - 1] != b[j - 1]);
        now[i] = min(min(last[i - 1], last[i]) + 1, change);
      }
    }
    __syncthreads();
    int* t = before;
    before = last;
    last = now;
    now = t;
  }
  if (threadIdx.x == 0) {
    *result = last[na];
  }
}

// Myers: a column of 64 cells is two words.
__global__ void BitLevenshtein(const unsigned char* patterns, int length,
                               const unsigned char* text, int text_length,
                               int* distances) {
  __shared__ unsigned long long where[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned long long bits = 0;
    for (int j = 0; j < length; ++j) {
      bits |= static_cast<unsigned long long>(
                  patterns[blockIdx.x * length + j] == i)
              << j;
    }
    where[i] = bits;
  }
  __syncthreads();
  unsigned long long plus = ~0ull;
  unsigned long long minus = 0;
  int score = length;
  const unsigned char* mine = text + threadIdx.x * text_length;
  for (int i = 0; i < text_length; ++i) {
    const unsigned long long eq = where[mine[i]];
    const unsigned long long x = eq | minus;
    const unsigned long long zero = ((eq & plus) + plus ^ plus) | eq;
    unsigned long long up = minus | ~(zero | plus);
    unsigned long long down = plus & zero;
    score += up >> (length - 1) & 1;
    score -= down >> (length - 1) & 1;
    up = up << 1 | 1;
    down <<= 1;
    plus = down | ~(x | up);
    minus = up & x;
  }
  distances[blockIdx.x * blockDim.x + threadIdx.x] = score;
}

// Smith-Waterman with affine gaps: a thread has eight rows in registers.
__global__ void LocalAlign(const char* query, const char* targets, int length,
                           const signed char* scores, int open, int extend,
                           int* best_out) {
  int h[8] = {};
  int e[8];
  int f = -10000;
  int above_before = 0;
  int best = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    e[i] = -10000;
  }
  const char* target = targets + blockIdx.x * length;
  for (int step = 0; step < length + 31; ++step) {
    int above = __shfl_up_sync(0xffffffffu, h[7], 1);
    int gap = __shfl_up_sync(0xffffffffu, f, 1);
    const int j = step - static_cast<int>(threadIdx.x);
    if (threadIdx.x == 0) {
      above = 0;
      gap = -10000;
    }
    if (j >= 0 && j < length) {
      const signed char* row = scores + target[j] * 32;
      int diagonal = above_before;
      f = gap;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        e[i] = max(e[i] - extend, h[i] - open);
        f = max(f - extend, (i > 0 ? h[i - 1] : above) - open);
        const int v = max(max(diagonal + row[query[threadIdx.x * 8 + i]], 0),
                          max(e[i], f));
        diagonal = h[i];
        h[i] = v;
        best = max(best, v);
      }
      above_before = above;
    }
  }
  best = __nvvm_redux_sync_max(best, 0xffffffffu);
  if (threadIdx.x == 0) {
    best_out[blockIdx.x] = best;
  }
}

__global__ void Warping(const float* a, const float* b, int length, int band,
                        float* out) {
  float row[65];
  const float* x = a + blockIdx.x * length;
  const float* y = b + (blockIdx.y * blockDim.x + threadIdx.x) * length;
  for (int k = 0; k < 65; ++k) {
    row[k] = 1e30f;
  }
  row[band] = 0.0f;
  for (int i = 0; i < length; ++i) {
    float left = 1e30f;
    for (int k = 0; k <= 2 * band; ++k) {
      const int j = i + k - band;
      if (j < 0 || j >= length) {
        continue;
      }
      const float d = x[i] - y[j];
      const float up = k < 2 * band ? row[k + 1] : 1e30f;
      left = fminf(fminf(left, up), row[k]) + d * d;
      row[k] = left;
    }
  }
  out[(blockIdx.x * gridDim.y + blockIdx.y) * blockDim.x + threadIdx.x] =
      sqrtf(row[band]);
}

__global__ void KnapsackRow(const int* in, int* out, int capacity, int weight,
                            int value, unsigned* taken) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int without = c <= capacity ? in[c] : 0;
  const int with = c >= weight && c <= capacity ? in[c - weight] + value : -1;
  const unsigned votes = __ballot_sync(0xffffffffu, with > without);
  if (c <= capacity) {
    out[c] = max(with, without);
  }
  if (threadIdx.x % 32 == 0) {
    taken[c / 32] = votes;
  }
}

__global__ void __launch_bounds__(1024)
    FloydTile(short* distances, int n, int stage) {
  __shared__ short left[32][32];
  __shared__ short top[32][32];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * 32 + y;
  const int column = blockIdx.x * 32 + x;
  left[y][x] = distances[row * n + stage * 32 + x];
  top[y][x] = distances[(stage * 32 + y) * n + column];
  __syncthreads();
  int best = distances[row * n + column];
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    best = min(best, left[y][k] + top[k][x]);
  }
  distances[row * n + column] = static_cast<short>(best);
}

__global__ void Viterbi(const float* moves, const float* emits,
                        const unsigned char* seen, int steps, int states,
                        unsigned char* back, float* last) {
  __shared__ float scores[2][64];
  const int s = threadIdx.x;
  scores[0][s] = s == 0 ? 0.0f : -1e30f;
  for (int t = 0; t < steps; ++t) {
    __syncthreads();
    float best = -1e30f;
    int from = 0;
    for (int p = 0; p < states; ++p) {
      const float v = scores[t & 1][p] + moves[p * states + s];
      if (v > best) {
        best = v;
        from = p;
      }
    }
    scores[~t & 1][s] = best + emits[seen[t] * states + s];
    back[t * states + s] = static_cast<unsigned char>(from);
  }
  last[s] = scores[steps & 1][s];
}
