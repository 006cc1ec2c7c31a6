// Hash tables and indexes of databases: open addressing by compare-and-swap,
// tiles that probe buckets, cuckoo hashing, blocked Bloom filters, grouping in
// shared memory, a chained join and a B-tree.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kNoKey = 0xffffffffu;
constexpr unsigned long long kFree = ~0ull;

// The final mix of Murmur3.
__host__ __device__ inline unsigned Mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

__device__ inline unsigned long long Pack(unsigned key, unsigned value) {
  return static_cast<unsigned long long>(key) << 32 | value;
}

__device__ inline unsigned KeyOf(unsigned long long slot) {
  return static_cast<unsigned>(slot >> 32);
}

__device__ inline unsigned ValueOf(unsigned long long slot) {
  return static_cast<unsigned>(slot);
}

}  // namespace

// ---- Open addressing. A slot is a key and a value; the least value of a key
// stays.

__global__ void InsertOpen(unsigned long long* slots, unsigned mask,
                           const unsigned* keys, const unsigned* values,
                           int count, int max_probes, unsigned* lost) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const unsigned key = keys[i];
    const unsigned long long fresh = Pack(key, values[i]);
    unsigned at = Mix(key) & mask;
    bool done = false;
    for (int probe = 0; probe < max_probes && !done; ++probe) {
      unsigned long long seen = slots[at];
      if (seen == kFree) {
        seen = atomicCAS(&slots[at], kFree, fresh);
        done = seen == kFree;
      }
      while (!done && KeyOf(seen) == key) {
        if (seen <= fresh) {
          done = true;
        } else {
          const unsigned long long before = atomicCAS(&slots[at], seen, fresh);
          done = before == seen;
          seen = before;
        }
      }
      // Steps are the triangular numbers, which reach every slot.
      at = (at + probe + 1) & mask;
    }
    if (!done) {
      atomicAdd(lost, 1u);
    }
  }
}

// Each lane has a key; a tile looks up the keys of its lanes one by one. A
// bucket has as many slots as the tile has lanes, so a probe is one load.
template <int kTile>
__global__ void FindInTiles(const unsigned long long* __restrict__ slots,
                            unsigned buckets, const unsigned* keys,
                            unsigned* values, int count) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool mine_is_there = i < count;
  const unsigned mine = mine_is_there ? keys[i] : 0;
  unsigned result = kNoKey;
  unsigned work = tile.ballot(mine_is_there);
  while (work != 0) {
    const int turn = __ffs(work) - 1;
    const unsigned key = tile.shfl(mine, turn);
    const unsigned hash = Mix(key);
    unsigned bucket = hash % buckets;
    const unsigned step = 1 + (hash >> 16) % (buckets - 1);
    for (unsigned tries = 0; tries < buckets; ++tries) {
      const unsigned long long slot =
          slots[bucket * kTile + tile.thread_rank()];
      const unsigned hits = tile.ballot(KeyOf(slot) == key);
      if (hits != 0) {
        const unsigned found = tile.shfl(ValueOf(slot), __ffs(hits) - 1);
        if (tile.thread_rank() == turn) {
          result = found;
        }
        break;
      }
      if (tile.any(slot == kFree)) {
        break;
      }
      bucket += step;
      if (bucket >= buckets) {
        bucket -= buckets;
      }
    }
    work &= work - 1;
  }
  if (mine_is_there) {
    values[i] = result;
  }
}

template __global__ void FindInTiles<8>(const unsigned long long*, unsigned,
                                        const unsigned*, unsigned*, int);

// ---- Cuckoo hashing with four functions.

struct CuckooHashes {
  unsigned a[4];
  unsigned b[4];
};

namespace {

__device__ inline unsigned CuckooPlace(const CuckooHashes& hashes, int which,
                                       unsigned key, unsigned size) {
  return __umulhi(hashes.a[which] * key + hashes.b[which], size);
}

}  // namespace

__global__ void CuckooInsert(unsigned long long* slots, unsigned size,
                             CuckooHashes hashes, const unsigned* keys,
                             const unsigned* values, int count, int max_moves,
                             unsigned* lost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  unsigned long long entry = Pack(keys[i], values[i]);
  unsigned at = CuckooPlace(hashes, 0, KeyOf(entry), size);
  for (int moves = 0; moves < max_moves; ++moves) {
    entry = atomicExch(&slots[at], entry);
    if (entry == kFree) {
      return;
    }
    // The evicted entry goes to the place after the one it had.
    const unsigned key = KeyOf(entry);
    unsigned next = CuckooPlace(hashes, 0, key, size);
#pragma unroll
    for (int f = 3; f > 0; --f) {
      if (at == CuckooPlace(hashes, f - 1, key, size)) {
        next = CuckooPlace(hashes, f, key, size);
      }
    }
    at = next;
  }
  atomicAdd(lost, 1u);
}

// Four keys a thread and four places a key: sixteen loads in flight.
__global__ void CuckooFind(const unsigned long long* __restrict__ slots,
                           unsigned size, CuckooHashes hashes,
                           const unsigned* __restrict__ keys,
                           unsigned* __restrict__ values, int count) {
  const int base = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  unsigned key[4];
  unsigned long long seen[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * blockDim.x;
    key[k] = i < count ? keys[i] : 0;
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      seen[k][f] = slots[CuckooPlace(hashes, f, key[k], size)];
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * blockDim.x;
    unsigned result = kNoKey;
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      if (KeyOf(seen[k][f]) == key[k]) {
        result = ValueOf(seen[k][f]);
      }
    }
    if (i < count) {
      values[i] = result;
    }
  }
}

// ---- A Bloom filter of blocks of 256 bits: each of the eight words of a
// key's block has one of its bits.

namespace {

struct BloomBits {
  unsigned word[8];
};

__device__ inline BloomBits BloomMask(unsigned hash) {
  constexpr unsigned kSalts[8] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu,
                                  0xa2b7289du, 0x705495c7u, 0x2df1424bu,
                                  0x9efc4947u, 0x5c6bfb31u};
  BloomBits bits;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    bits.word[i] = 1u << (hash * kSalts[i] >> 27);
  }
  return bits;
}

}  // namespace

// Keeps the rows whose keys may be in the filter, in their order.
__global__ void BloomSelect(const uint4* __restrict__ filter, unsigned blocks,
                            const unsigned long long* __restrict__ keys,
                            int count, int* rows, int* row_count) {
  __shared__ int warp_counts[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  const int first = (threadIdx.x + blockIdx.x * blockDim.x) * 2;
  unsigned kept = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (first + k < count) {
      const unsigned long long key = keys[first + k] * 0x9e3779b97f4a7c15ull;
      const unsigned block = __umulhi(static_cast<unsigned>(key >> 32), blocks);
      const BloomBits b = BloomMask(static_cast<unsigned>(key));
      const uint4 low = __ldg(&filter[block * 2]);
      const uint4 high = __ldg(&filter[block * 2 + 1]);
      const unsigned missing =
          (~low.x & b.word[0]) | (~low.y & b.word[1]) | (~low.z & b.word[2]) |
          (~low.w & b.word[3]) | (~high.x & b.word[4]) |
          (~high.y & b.word[5]) | (~high.z & b.word[6]) |
          (~high.w & b.word[7]);
      kept |= static_cast<unsigned>(missing == 0) << k;
    }
  }
  const int mine = __popc(kept);
  int sum = mine;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) {
      sum += other;
    }
  }
  if (lane == 31) {
    warp_counts[warp] = sum;
  }
  __syncthreads();
  int before = sum - mine;
  int total = 0;
#pragma unroll 1
  for (int w = 0; w < warps; ++w) {
    if (w < warp) {
      before += warp_counts[w];
    }
    total += warp_counts[w];
  }
  int* mine_out = rows + blockIdx.x * blockDim.x * 2 + before;
  while (kept != 0) {
    const int k = __ffs(kept) - 1;
    *mine_out++ = first + k;
    kept &= kept - 1;
  }
  if (threadIdx.x == 0) {
    row_count[blockIdx.x] = total;
  }
}

// ---- Grouping: select flag, sum(quantity), sum(price), sum(price * (1 -
// discount)), sum(price * (1 - discount) * (1 + tax)), min, count(*) where
// date <= last group by flag. Money is in cents and rates in percent.

struct Columns {
  const unsigned* flag;
  const int* date;
  const int* quantity;
  const long long* price;
  const signed char* discount;
  const signed char* tax;
};

struct Group {
  unsigned long long quantity, price, discounted, charged;
  unsigned count, flag;
  int least, unused;
};

namespace {

__device__ inline void Fold(Group* to, const Group& from) {
  atomicAdd(&to->quantity, from.quantity);
  atomicAdd(&to->price, from.price);
  atomicAdd(&to->discounted, from.discounted);
  atomicAdd(&to->charged, from.charged);
  atomicAdd(&to->count, from.count);
  atomicMin(&to->least, from.least);
}

__device__ inline Group* Place(Group* table, unsigned size, unsigned flag) {
  unsigned at = Mix(flag) % size;
  for (unsigned probe = 0; probe < size; ++probe) {
    const unsigned before = atomicCAS(&table[at].flag, kNoKey, flag);
    if (before == kNoKey || before == flag) {
      return &table[at];
    }
    at = at + 1 == size ? 0 : at + 1;
  }
  return nullptr;
}

__device__ inline Group Nothing(unsigned flag) {
  return {0, 0, 0, 0, 0, flag, 0x7fffffff, 0};
}

}  // namespace

template <int kSlots>
__global__ void GroupBy(Columns columns, int count, int last, Group* table,
                        unsigned table_size, unsigned* lost) {
  __shared__ Group groups[kSlots];
  for (int i = threadIdx.x; i < kSlots; i += blockDim.x) {
    groups[i] = Nothing(kNoKey);
  }
  __syncthreads();
  // A thread reads a stretch of rows and folds a run of one flag at once. Rows
  // are lost if a block has more flags than slots.
  const int share = (count + gridDim.x * blockDim.x - 1) /
                    static_cast<int>(gridDim.x * blockDim.x);
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * share;
  const int end = min(begin + share, count);
  Group run = Nothing(kNoKey);
  for (int i = begin; i <= end; ++i) {
    const unsigned flag = i < end ? columns.flag[i] : kNoKey;
    if (flag != run.flag || i == end) {
      if (run.count != 0) {
        Group* to = Place(groups, kSlots, run.flag);
        if (to == nullptr) {
          atomicAdd(lost, run.count);
        } else {
          Fold(to, run);
        }
      }
      run = Nothing(flag);
    }
    if (i < end && columns.date[i] <= last) {
      const long long price = columns.price[i];
      const long long discounted = price * (100 - columns.discount[i]);
      run.quantity += columns.quantity[i];
      run.price += price;
      run.discounted += discounted;
      run.charged += discounted * (100 + columns.tax[i]);
      run.least = min(run.least, columns.quantity[i]);
      ++run.count;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kSlots; i += blockDim.x) {
    if (groups[i].flag != kNoKey) {
      Group* to = Place(table, table_size, groups[i].flag);
      if (to == nullptr) {
        atomicAdd(lost, groups[i].count);
      } else {
        Fold(to, groups[i]);
      }
    }
  }
}

template __global__ void GroupBy<16>(Columns, int, int, Group*, unsigned,
                                     unsigned*);

// ---- A join with chains. Each thread follows four chains at a time.

struct JoinNode {
  unsigned key;
  int next;
  long long payload;
};

__global__ void ProbeChains(const int* __restrict__ heads, unsigned mask,
                            const JoinNode* __restrict__ nodes,
                            const unsigned* __restrict__ keys,
                            const long long* __restrict__ weights, int count,
                            long long* sums, int* matches) {
  constexpr int kChains = 4;
  const int stride = gridDim.x * blockDim.x;
  for (int base = blockIdx.x * blockDim.x + threadIdx.x; base < count;
       base += stride * kChains) {
    unsigned key[kChains];
    int node[kChains];
    int found[kChains] = {};
    long long sum[kChains] = {};
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const int i = base + c * stride;
      key[c] = i < count ? keys[i] : 0;
      node[c] = i < count ? heads[Mix(key[c]) & mask] : -1;
    }
    while ((node[0] & node[1] & node[2] & node[3]) >= 0) {
      JoinNode fetched[kChains];
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
        fetched[c] = node[c] >= 0 ? nodes[node[c]] : JoinNode{0, -1, 0};
      }
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
        if (node[c] >= 0 && fetched[c].key == key[c]) {
          sum[c] += fetched[c].payload;
          ++found[c];
        }
        node[c] = fetched[c].next;
      }
    }
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const int i = base + c * stride;
      if (i < count) {
        sums[i] = sum[c] * weights[i];
        matches[i] = found[c];
      }
    }
  }
}

// ---- A B-tree with fifteen keys a node. Inner nodes name the first of their
// children, which lie side by side; leaves name the next leaf by `child`. The
// greatest integer fills nodes up.

constexpr int kNoTreeKey = 0x7fffffff;

struct alignas(64) TreeNode {
  int keys[15];
  int child;
};

namespace {

// Loads a node as four vectors; returns the number of its keys below `key`.
__device__ inline int Rank(const TreeNode* node, int key, int* child) {
  const int4* parts = reinterpret_cast<const int4*>(node);
  const int4 a = __ldg(parts);
  const int4 b = __ldg(parts + 1);
  const int4 c = __ldg(parts + 2);
  const int4 d = __ldg(parts + 3);
  *child = d.w;
  return (a.x < key) + (a.y < key) + (a.z < key) + (a.w < key) + (b.x < key) +
         (b.y < key) + (b.z < key) + (b.w < key) + (c.x < key) + (c.y < key) +
         (c.z < key) + (c.w < key) + (d.x < key) + (d.y < key) + (d.z < key);
}

}  // namespace

// Counts and sums up the keys in [low, high) of each range.
__global__ void TreeRanges(const TreeNode* nodes, int levels,
                           const int2* ranges, int count, int* counts,
                           long long* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int low = ranges[i].x;
  const int high = ranges[i].y;
  int at = 0;
  int child = 0;
  int rank = 0;
  for (int level = 0; level < levels; ++level) {
    rank = Rank(&nodes[at], low, &child);
    if (level + 1 < levels) {
      at = child + rank;
    }
  }
  int found = 0;
  long long sum = 0;
  bool more = low < high;
  while (more) {
    const TreeNode& leaf = nodes[at];
#pragma unroll 3
    for (int k = 0; k < 15; ++k) {
      const int key = leaf.keys[k];
      if (k >= rank && key < high) {
        ++found;
        sum += key;
      }
      more &= key < high || key == kNoTreeKey;
    }
    more &= leaf.child >= 0;
    at = leaf.child;
    rank = 0;
  }
  counts[i] = found;
  sums[i] = sum;
}
