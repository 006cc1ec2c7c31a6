// Decompression: LZ4 blocks, canonical Huffman codes, packed integers with
// frames of reference and deltas, run lengths, hybrid pages and byte codes.
#include <cuda_runtime.h>

namespace {

template <typename T>
__device__ T InclusiveSum(T value, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(0xffffffffu, value, step);
    value += lane >= step ? before : 0;
  }
  return value;
}

// Reads the bytes that extend a length of 15. Returns a negative number if the
// input ends.
__device__ int ExtendLength(const unsigned char* in, int& at, int end,
                            int length) {
  if (length < 15) {
    return length;
  }
  int byte = 255;
  while (byte == 255) {
    if (at >= end) {
      return -1;
    }
    byte = in[at++];
    length += byte;
  }
  return length;
}

enum Lz4Error { kCutInput = -1, kBadOffset = -2, kFullOutput = -3 };

}  // namespace

// Decodes blocks in the manner of LZ4, a warp for each.
__global__ void Lz4Decode(const unsigned char* inputs, const int* in_offsets,
                          unsigned char* outputs, const int* out_offsets,
                          int blocks, int* results) {
  const int lane = threadIdx.x;
  const int block = blockIdx.x * blockDim.y + threadIdx.y;
  if (block >= blocks) {
    return;
  }
  const unsigned char* in = inputs + in_offsets[block];
  unsigned char* out = outputs + out_offsets[block];
  const int end = in_offsets[block + 1] - in_offsets[block];
  const int capacity = out_offsets[block + 1] - out_offsets[block];
  int at = 0;
  int written = 0;
  int error = 0;
  while (at < end) {
    const int token = in[at++];
    const int literals = ExtendLength(in, at, end, token >> 4);
    if (literals < 0 || literals > end - at) {
      error = kCutInput;
      break;
    }
    if (literals > capacity - written) {
      error = kFullOutput;
      break;
    }
    for (int i = lane; i < literals; i += 32) {
      out[written + i] = in[at + i];
    }
    at += literals;
    written += literals;
    if (at == end) {
      break;
    }
    if (at + 2 > end) {
      error = kCutInput;
      break;
    }
    const int offset = in[at] | in[at + 1] << 8;
    at += 2;
    int length = ExtendLength(in, at, end, token & 15);
    if (length < 0) {
      error = kCutInput;
      break;
    }
    length += 4;
    if (offset == 0 || offset > written) {
      error = kBadOffset;
      break;
    }
    if (length > capacity - written) {
      error = kFullOutput;
      break;
    }
    __syncwarp();
    // A match may reach into itself. Every lane reads from before it.
    for (int i = lane; i < length; i += 32) {
      const int from = offset > i ? i : i % offset;
      out[written + i] = out[written - offset + from];
    }
    written += length;
    __syncwarp();
  }
  if (lane == 0) {
    results[block] = error < 0 ? error : written;
  }
}

// Builds the table of a canonical code and decodes a stream for each thread.
// Codes that are longer than kBits are found by their length's limit.
template <int kBits>
__global__ void HuffmanDecode(const unsigned char* lengths,
                              const unsigned* words, const int* first_words,
                              const int* counts, int streams,
                              const int* out_words, unsigned* out) {
  __shared__ unsigned short table[1 << kBits];
  __shared__ int count_of_length[17];
  __shared__ unsigned limits[17];
  __shared__ int first_of_length[17];
  __shared__ unsigned char symbols[256];
  for (int i = threadIdx.x; i < 1 << kBits; i += blockDim.x) {
    table[i] = 0;
  }
  if (threadIdx.x < 17) {
    count_of_length[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (lengths[i] != 0) {
      atomicAdd(&count_of_length[lengths[i]], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    // Limits are aligned to the left of 16 bits.
    unsigned code = 0;
    int index = 0;
#pragma unroll 1
    for (int length = 1; length <= 16; ++length) {
      code <<= 1;
      first_of_length[length] = index - static_cast<int>(code);
      code += count_of_length[length];
      index += count_of_length[length];
      limits[length] = code << (16 - length);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    const int length = lengths[i];
    if (length == 0) {
      continue;
    }
    int rank = 0;
#pragma unroll 2
    for (int before = 0; before < i; ++before) {
      rank += lengths[before] == length;
    }
    const unsigned first =
        (limits[length] >> (16 - length)) - count_of_length[length];
    const unsigned code = first + rank;
    symbols[first_of_length[length] + static_cast<int>(code)] =
        static_cast<unsigned char>(i);
    if (length <= kBits) {
      const int copies = 1 << (kBits - length);
#pragma unroll 1
      for (int k = 0; k < copies; ++k) {
        table[code * copies + k] = static_cast<unsigned short>(length << 8 | i);
      }
    }
  }
  __syncthreads();
  const int stream = blockIdx.x * blockDim.x + threadIdx.x;
  if (stream >= streams) {
    return;
  }
  const unsigned* next = words + first_words[stream];
  unsigned* to = out + out_words[stream];
  const int count = counts[stream];
  unsigned long long buffer = 0;
  int bits = 0;
  unsigned group = 0;
  for (int i = 0; i < count; ++i) {
    if (bits < 32) {
      buffer |= static_cast<unsigned long long>(*next++) << (32 - bits);
      bits += 32;
    }
    const unsigned entry = table[buffer >> (64 - kBits)];
    int length = entry >> 8;
    unsigned symbol = entry & 0xff;
    if (entry == 0) {
      const unsigned ahead = static_cast<unsigned>(buffer >> 48);
      length = kBits + 1;
      while (length < 16 && ahead >= limits[length]) {
        ++length;
      }
      const int code = static_cast<int>(ahead >> (16 - length));
      symbol = symbols[first_of_length[length] + code & 255];
    }
    buffer <<= length;
    bits -= length;
    group = group >> 8 | symbol << 24;
    if (i % 4 == 3) {
      to[i / 4] = group;
    }
  }
  if (count % 4 != 0) {
    to[count / 4] = group >> 8 * (4 - count % 4);
  }
}

template __global__ void HuffmanDecode<8>(const unsigned char*,
                                          const unsigned*, const int*,
                                          const int*, int, const int*,
                                          unsigned*);

template <typename T>
struct PageHeader {
  T base;
  T least_delta;
  int first_word;
  int width;
};

namespace {

// Returns `width` bits from bit `at` on. Two more words follow each page.
template <typename T>
__device__ T ReadBits(const unsigned* words, int at, int width) {
  const unsigned* from = words + (at >> 5);
  const T mask = width == 0 ? 0 : ~T(0) >> (8 * sizeof(T) - width);
  const unsigned low = __funnelshift_r(from[0], from[1], at);
  if constexpr (sizeof(T) == 4) {
    return low & mask;
  } else {
    const unsigned high = __funnelshift_r(from[1], from[2], at);
    return (static_cast<T>(high) << 32 | low) & mask;
  }
}

}  // namespace

// Decodes pages of 256 deltas, a warp for each and eight for each lane.
template <typename T>
__global__ void UnpackDeltas(const PageHeader<T>* headers,
                             const unsigned* words, long long count, T* out) {
  const int lane = threadIdx.x & 31;
  const long long page =
      (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
  const int here = static_cast<int>(min(count - page * 256, 256ll));
  if (here <= 0) {
    return;
  }
  const PageHeader<T> header = headers[page];
  const unsigned* packed = words + header.first_word;
  T values[8];
  T sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int index = 8 * lane + i;
    if (index < here) {
      sum += header.least_delta +
             ReadBits<T>(packed, index * header.width, header.width);
    }
    values[i] = sum;
  }
  const T before = InclusiveSum(sum, lane) - sum + header.base;
  out += page * 256 + 8 * lane;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (8 * lane + i < here) {
      out[i] = before + values[i];
    }
  }
}

template __global__ void UnpackDeltas<unsigned long long>(
    const PageHeader<unsigned long long>*, const unsigned*, long long,
    unsigned long long*);

namespace {

// Unpacks 32 values of kWidth bits. Words of a lane are 32 words apart.
template <int kWidth>
__device__ void UnpackLane(const unsigned* words, unsigned (&values)[32]) {
  unsigned packed[kWidth];
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    packed[i] = words[32 * i];
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    constexpr unsigned kMask = (1u << kWidth) - 1;
    const int word = i * kWidth / 32;
    const int shift = i * kWidth % 32;
    unsigned value = packed[word] >> shift;
    if (shift + kWidth > 32) {
      value |= packed[word + 1 < kWidth ? word + 1 : 0] << (32 - shift);
    }
    values[i] = value & kMask;
  }
}

}  // namespace

// Decodes tiles of 1024 values in lanes, with deltas over the whole tile.
__global__ void UnpackTiles(const unsigned* words, const int* first_words,
                            const unsigned char* widths,
                            const unsigned* references, int tiles,
                            uint4* out) {
  const int lane = threadIdx.x;
  const int tile = blockIdx.x * blockDim.y + threadIdx.y;
  if (tile >= tiles) {
    return;
  }
  const unsigned* packed = words + first_words[tile] + lane;
  unsigned values[32];
  switch (widths[tile]) {
    case 5:
      UnpackLane<5>(packed, values);
      break;
    case 12:
      UnpackLane<12>(packed, values);
      break;
    default:
      UnpackLane<19>(packed, values);
      break;
  }
#pragma unroll
  for (int i = 1; i < 32; ++i) {
    values[i] += values[i - 1];
  }
  const unsigned before =
      InclusiveSum(values[31], lane) - values[31] + references[tile];
  uint4* to = out + 256 * tile + 8 * lane;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    to[i] = make_uint4(before + values[4 * i], before + values[4 * i + 1],
                       before + values[4 * i + 2], before + values[4 * i + 3]);
  }
}

// Expands runs. A block finds its tile's runs once and keeps their ends.
template <typename T, int kPerThread>
__global__ void ExpandRuns(const T* values, const int* ends, int runs,
                           int total, T* out) {
  __shared__ int shared_ends[512];
  __shared__ int range[2];
  const int tile = blockDim.x * kPerThread;
  const int begin = blockIdx.x * tile;
  if (threadIdx.x < 2) {
    // The first run that ends behind the tile's first or last element.
    const int wanted =
        threadIdx.x == 0 ? begin : min(begin + tile, total) - 1;
    int low = 0;
    int high = runs;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (ends[middle] <= wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    range[threadIdx.x] = low;
  }
  __syncthreads();
  const int first = range[0];
  const int count = min(range[1] - first + 1, 512);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    shared_ends[i] = ends[first + i];
  }
  __syncthreads();
  const int at = begin + threadIdx.x * kPerThread;
  if (at >= total) {
    return;
  }
  int low = 0;
  int high = count;
  while (low < high) {
    const int middle = (low + high) >> 1;
    const bool is_before = shared_ends[middle] <= at;
    low = is_before ? middle + 1 : low;
    high = is_before ? high : middle;
  }
  int run = low;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    if (at + i >= total) {
      break;
    }
    while ((run < 512 ? shared_ends[run] : ends[first + run]) <= at + i) {
      ++run;
    }
    out[at + i] = values[first + run];
  }
}

template __global__ void ExpandRuns<double, 4>(const double*, const int*, int,
                                               int, double*);

// Decodes pages of indices into a dictionary as Parquet has them: runs of one
// index and groups of eight packed indices. A warp has a page.
__global__ void DecodeHybrid(const unsigned char* pages, const int* offsets,
                             const unsigned char* widths, const int* counts,
                             int page_count, const long long* dictionary,
                             int dictionary_size, const int* out_offsets,
                             long long* out, int* errors) {
  const int lane = threadIdx.x & 31;
  const int page = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (page >= page_count) {
    return;
  }
  const unsigned char* in = pages + offsets[page];
  const unsigned char* end = pages + offsets[page + 1];
  const int width = widths[page];
  const int count = counts[page];
  long long* to = out + out_offsets[page];
  const unsigned mask = width == 32 ? ~0u : (1u << width) - 1;
  bool is_bad = false;
  int done = 0;
  while (done < count && in < end) {
    unsigned header = 0;
    int shift = 0;
    unsigned byte;
    do {
      byte = *in++;
      header |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80 && shift < 32 && in < end);
    if (header & 1) {
      const int packed = static_cast<int>(header >> 1) * 8;
      const int here = min(packed, count - done);
      if (end - in < static_cast<long long>(packed / 8) * width) {
        is_bad = true;
        break;
      }
      for (int i = lane; i < here; i += 32) {
        const long long bit = static_cast<long long>(i) * width;
        const unsigned char* from = in + (bit >> 3);
        const int last = static_cast<int>(bit & 7) + width;
        unsigned long long all = 0;
#pragma unroll
        for (int k = 0; k < 5; ++k) {
          if (8 * k < last) {
            all |= static_cast<unsigned long long>(from[k]) << 8 * k;
          }
        }
        const unsigned index = static_cast<unsigned>(all >> (bit & 7)) & mask;
        is_bad |= index >= dictionary_size;
        to[done + i] = index < dictionary_size ? dictionary[index] : -1;
      }
      in += packed / 8 * width;
      done += here;
    } else {
      const int here =
          min(static_cast<int>(header >> 1), count - done);
      const int bytes = (width + 7) / 8;
      if (end - in < bytes) {
        is_bad = true;
        break;
      }
      unsigned index = 0;
      for (int k = 0; k < bytes; ++k) {
        index |= static_cast<unsigned>(in[k]) << 8 * k;
      }
      is_bad |= index >= dictionary_size;
      const long long value =
          index < dictionary_size ? dictionary[index] : -1;
      for (int i = lane; i < here; i += 32) {
        to[done + i] = value;
      }
      in += bytes;
      done += here;
    }
  }
  for (int i = done + lane; i < count; i += 32) {
    to[i] = -1;
  }
  is_bad |= done < count;
  const bool any = __any_sync(0xffffffffu, is_bad);
  if (lane == 0) {
    errors[page] = any;
  }
}

// Decodes integers of one to four bytes, whose lengths are in a byte for four.
// The values are zigzag deltas of the chunk's first value.
__global__ void DecodeBytes(const unsigned char* controls,
                            const unsigned* data, const int* data_offsets,
                            const int* firsts, int groups, int4* out) {
  const int lane = threadIdx.x & 31;
  const int chunk = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int group = 32 * chunk + lane;
  const unsigned control = group < groups ? controls[group] : 0;
  int lengths[4];
  int size = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    lengths[i] = (control >> 2 * i & 3) + 1;
    size += lengths[i];
  }
  const int end = InclusiveSum(size, lane);
  int deltas[4] = {};
  if (group < groups) {
    const int at = data_offsets[chunk] + end - size;
    const unsigned* words = data + (at >> 2);
    const int needed = ((at & 3) + size + 3) >> 2;
    unsigned loaded[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      loaded[i] = i < needed ? words[i] : 0;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      loaded[i] = __funnelshift_r(loaded[i], loaded[i + 1], 8 * (at & 3));
    }
    unsigned long long low =
        static_cast<unsigned long long>(loaded[1]) << 32 | loaded[0];
    unsigned long long high =
        static_cast<unsigned long long>(loaded[3]) << 32 | loaded[2];
    int sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int bits = 8 * lengths[i];
      const unsigned raw = static_cast<unsigned>(low) & (~0u >> (32 - bits));
      sum += static_cast<int>(raw >> 1 ^ -(raw & 1));
      deltas[i] = sum;
      low = low >> bits | high << (64 - bits);
      high >>= bits;
    }
  }
  int before = InclusiveSum(deltas[3], lane) - deltas[3];
  if (group < groups) {
    before += firsts[chunk];
    out[group] = make_int4(before + deltas[0], before + deltas[1],
                           before + deltas[2], before + deltas[3]);
  }
}
