// Cooperative groups of the CUDA headers: tiles, coalesced groups, reductions,
// labelled partitions, grid synchronisation and block-wide barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void TileSum(const float* in, float* out, int count) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  float sum = 0.0f;
  for (int i = block.group_index().x * block.size() + block.thread_rank();
       i < count; i += gridDim.x * block.size()) {
    sum += in[i];
  }
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0) {
    atomicAdd(out, sum);
  }
}

__global__ void Coalesced(const int* in, int* counter, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && in[i] % 3 == 0) {
    const auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) {
      base = atomicAdd(counter, active.num_threads());
    }
    out[active.shfl(base, 0) + active.thread_rank()] = in[i];
  }
}

__global__ void Partition(const int* labels, int* sums) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int label = labels[warp.thread_rank()];
  const auto same = cg::labeled_partition(warp, label);
  const int total = cg::reduce(same, static_cast<int>(warp.thread_rank()),
                               cg::greater<int>());
  const int before = cg::exclusive_scan(warp, label);
  sums[warp.thread_rank()] =
      total + before + warp.all(label > 2) + warp.match_any(label);
}

__global__ void WholeGrid(float* a, float* b, int count, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < rounds; ++r) {
    for (int i = grid.thread_rank(); i < count; i += grid.size()) {
      b[i] = 0.5f * (a[i] + a[(i + 1) % count]);
    }
    grid.sync();
    float* t = a;
    a = b;
    b = t;
  }
}

__global__ void SplitBlock(int* cells) {
  const cg::thread_block block = cg::this_thread_block();
  cells[block.thread_rank()] *= 2;
  block.sync();
  const auto half = cg::tiled_partition<8>(block);
  cells[block.thread_rank()] +=
      half.shfl_xor(cells[block.thread_rank() ^ 1], 3);
  half.sync();
  const auto dynamic = cg::tiled_partition(block, 4);
  cells[block.thread_rank()] += dynamic.size() * dynamic.thread_rank();
}
