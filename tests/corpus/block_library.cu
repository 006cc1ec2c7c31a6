// CUB's block and warp algorithms as applications use them: loads in each
// arrangement, scans, sorts, reductions, exchanges, histograms.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

__global__ void __launch_bounds__(128)
    SortTiles(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
              int* values_out) {
  using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using LoadValues = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_VECTORIZE>;
  using Store =
      cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<unsigned, 128, 4, int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename LoadValues::TempStorage load_values;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } scratch;
  unsigned keys[4];
  int values[4];
  const int base = blockIdx.x * 512;
  Load(scratch.load).Load(keys_in + base, keys);
  __syncthreads();
  LoadValues(scratch.load_values).Load(values_in + base, values);
  __syncthreads();
  Sort(scratch.sort).Sort(keys, values);
  __syncthreads();
  Store(scratch.store).Store(keys_out + base, keys);
  for (int i = 0; i < 4; ++i) {
    values_out[base + threadIdx.x * 4 + i] = values[i];
  }
}

struct Extent {
  float low;
  float high;
};

struct JoinExtents {
  __device__ Extent operator()(const Extent& a, const Extent& b) const {
    return {fminf(a.low, b.low), fmaxf(a.high, b.high)};
  }
};

__global__ void __launch_bounds__(256)
    Extents(const float* in, Extent* out, int count) {
  using Reduce =
      cub::BlockReduce<Extent, 256, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ typename Reduce::TempStorage scratch;
  Extent mine = {1e30f, -1e30f};
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count;
       i += gridDim.x * 256) {
    mine = JoinExtents()(mine, Extent{in[i], in[i]});
  }
  mine = Reduce(scratch).Reduce(mine, JoinExtents());
  if (threadIdx.x == 0) {
    out[blockIdx.x] = mine;
  }
}

__global__ void __launch_bounds__(256)
    ScanTiles(const long long* in, long long* out, long long* totals) {
  using Scan = cub::BlockScan<long long, 256, cub::BLOCK_SCAN_RAKING>;
  __shared__ typename Scan::TempStorage scratch;
  long long items[2] = {in[(blockIdx.x * 256 + threadIdx.x) * 2],
                        in[(blockIdx.x * 256 + threadIdx.x) * 2 + 1]};
  long long total;
  Scan(scratch).ExclusiveSum(items, items, total);
  out[(blockIdx.x * 256 + threadIdx.x) * 2] = items[0];
  out[(blockIdx.x * 256 + threadIdx.x) * 2 + 1] = items[1];
  if (threadIdx.x == 0) {
    totals[blockIdx.x] = total;
  }
}

__global__ void __launch_bounds__(128)
    Histogram(const unsigned char* in, int* bins) {
  using Counter =
      cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_SORT>;
  __shared__ typename Counter::TempStorage scratch;
  __shared__ int counts[256];
  unsigned char items[4];
  for (int i = 0; i < 4; ++i) {
    items[i] = in[blockIdx.x * 512 + threadIdx.x * 4 + i];
  }
  Counter(scratch).Histogram(items, counts);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) {
    atomicAdd(&bins[i], counts[i]);
  }
}

__global__ void WarpSums(const double* in, double* out) {
  using Reduce = cub::WarpReduce<double, 16>;
  __shared__ typename Reduce::TempStorage scratch[4];
  const int warp = threadIdx.x / 16;
  const double sum = Reduce(scratch[warp]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 16 == 0) {
    out[warp] = sum;
  }
}
