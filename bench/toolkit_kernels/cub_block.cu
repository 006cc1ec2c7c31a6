// The algorithms of a CTA, with many items to a thread.

#include <cub/cub.cuh>

template <typename T, int kThreads, int kItems>
struct Tile {
  T* const items;
  __device__ explicit Tile(T* all) : items(all + blockIdx.x * kThreads * kItems) {}
  __device__ void LoadBlocked(T (&values)[kItems]) const {
    for (int i = 0; i < kItems; ++i) values[i] = items[threadIdx.x * kItems + i];
  }
  __device__ void LoadStriped(T (&values)[kItems]) const {
    for (int i = 0; i < kItems; ++i) values[i] = items[i * kThreads + threadIdx.x];
  }
  __device__ void StoreBlocked(const T (&values)[kItems]) const {
    for (int i = 0; i < kItems; ++i) items[threadIdx.x * kItems + i] = values[i];
  }
};

// Has a block algorithm run on the items of a CTA: each thread loads its own, one behind the other, and stores them so.
template <typename Block, int kThreads, int kItems, typename T, typename Run>
__device__ void RunOnTile(T* all, Run run) {
  __shared__ typename Block::TempStorage storage;
  const Tile<T, kThreads, kItems> tile(all);
  T values[kItems];
  tile.LoadBlocked(values);
  Block block(storage);
  run(block, values);
  tile.StoreBlocked(values);
}

template <typename T, int kThreads, int kItems>
__global__ void RadixSort(T* all) {
  using Block = cub::BlockRadixSort<T, kThreads, kItems>;
  RunOnTile<Block, kThreads, kItems>(all, [](Block& block, T(&values)[kItems]) { block.Sort(values); });
}

template <typename T, int kThreads, int kItems>
__global__ void MergeSort(T* all) {
  using Block = cub::BlockMergeSort<T, kThreads, kItems>;
  RunOnTile<Block, kThreads, kItems>(
      all, [](Block& block, T(&values)[kItems]) { block.Sort(values, [](T a, T b) { return a < b; }); });
}

template <typename T, int kThreads, int kItems>
__global__ void Scan(T* all) {
  using Block = cub::BlockScan<T, kThreads>;
  RunOnTile<Block, kThreads, kItems>(all, [](Block& block, T(&values)[kItems]) { block.InclusiveSum(values, values); });
}

template <typename T, int kThreads, int kItems>
__global__ void Exchange(T* all) {
  using Block = cub::BlockExchange<T, kThreads, kItems>;
  __shared__ typename Block::TempStorage storage;
  const Tile<T, kThreads, kItems> tile(all);
  T values[kItems];
  tile.LoadStriped(values);
  Block(storage).StripedToBlocked(values, values);
  T hash = 0;
  for (int i = 0; i < kItems; ++i) values[i] = hash = hash * 3 + values[i];
  Block(storage).BlockedToWarpStriped(values, values);
  tile.StoreBlocked(values);
}

template __global__ void RadixSort<int, 128, 8>(int*);
template __global__ void RadixSort<double, 128, 12>(double*);
template __global__ void RadixSort<unsigned long long, 256, 16>(unsigned long long*);
template __global__ void MergeSort<int, 128, 8>(int*);
template __global__ void MergeSort<double, 128, 11>(double*);
template __global__ void Scan<float, 128, 16>(float*);
template __global__ void Scan<double, 128, 24>(double*);
template __global__ void Exchange<double, 128, 16>(double*);
template __global__ void Exchange<int, 256, 24>(int*);
