// Automata driven by tables: CSV and JSON scanners, UTF-8 validation, several
// patterns at once, a position automaton and cellular automata in bit slices.
#include <cuda_runtime.h>

namespace {

// ---- Functions from eight states to eight states, a nibble for each state.

constexpr unsigned kIdentity = 0x76543210u;

enum CsvState { kLineStart, kField, kQuoted, kQuoteInQuoted, kComment };

constexpr unsigned Pack(int s0, int s1, int s2, int s3, int s4) {
  return s0 | s1 << 4 | s2 << 8 | s3 << 12 | s4 << 16 | 0x76500000u;
}

// The functions of other bytes, quotes, commas, line ends and hashes.
__constant__ unsigned csv_functions[5] = {
    Pack(kField, kField, kQuoted, kField, kComment),
    Pack(kQuoted, kQuoted, kQuoteInQuoted, kQuoted, kComment),
    Pack(kField, kField, kQuoted, kField, kComment),
    Pack(kLineStart, kLineStart, kQuoted, kLineStart, kLineStart),
    Pack(kComment, kField, kQuoted, kField, kComment),
};

__device__ int CsvClass(unsigned byte) {
  return byte == '"' ? 1 : byte == ',' ? 2 : byte == '\n' ? 3 : byte == '#' ? 4
                                                                            : 0;
}

// Packs the low nibbles of four bytes.
__device__ unsigned Nibbles(unsigned bytes) {
  const unsigned pairs = (bytes & 0x0f0f0f0fu) | (bytes & 0x0f0f0f0fu) >> 4;
  return __byte_perm(pairs, 0, 0x4420) & 0xffffu;
}

// Returns the function that applies `first` and then `second`.
__device__ unsigned Compose(unsigned first, unsigned second) {
  const unsigned even = second & 0x0f0f0f0fu;
  const unsigned odd = second >> 4 & 0x0f0f0f0fu;
  const unsigned low = __byte_perm(even, odd, 0x5140);
  const unsigned high = __byte_perm(even, odd, 0x7362);
  return Nibbles(__byte_perm(low, high, first & 0xffffu)) |
         Nibbles(__byte_perm(low, high, first >> 16)) << 16;
}

__device__ int Apply(unsigned function, int state) {
  return function >> (4 * state) & 7;
}

// Loads 16 bytes. Bytes behind the end are spaces.
__device__ uint4 LoadText(const unsigned char* text, long long at,
                          long long length) {
  if (at + 16 <= length) {
    return *reinterpret_cast<const uint4*>(text + at);
  }
  uint4 words = {};
#pragma unroll 1
  for (int i = 15; i >= 0; --i) {
    words.w = __funnelshift_l(words.z, words.w, 8);
    words.z = __funnelshift_l(words.y, words.z, 8);
    words.y = __funnelshift_l(words.x, words.y, 8);
    words.x = words.x << 8 | (at + i < length ? text[at + i] : ' ');
  }
  return words;
}

__device__ unsigned FunctionOfText(uint4 text) {
  unsigned function = kIdentity;
#pragma unroll 1
  for (int word = 0; word < 4; ++word) {
#pragma unroll 2
    for (int i = 0; i < 4; ++i) {
      const unsigned byte = text.x >> 8 * i & 0xff;
      function = Compose(function, csv_functions[CsvClass(byte)]);
    }
    text = make_uint4(text.y, text.z, text.w, text.x);
  }
  return function;
}

}  // namespace

// Marks the commas and the line ends that have a meaning. A block walks over
// its document with a tile of 16 bytes for each thread.
__global__ void CsvStructure(const unsigned char* texts,
                             const long long* offsets, unsigned short* commas,
                             unsigned short* ends, int2* counts) {
  __shared__ unsigned of_warp[32];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int warps = blockDim.x >> 5;
  const unsigned char* text = texts + offsets[blockIdx.x];
  const long long length = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
  int state_of_tile = kLineStart;
  int comma_count = 0;
  int end_count = 0;
  for (long long base = 0; base < length; base += 16 * blockDim.x) {
    const long long at = base + 16 * threadIdx.x;
    uint4 mine = LoadText(text, at, length);
    unsigned function = FunctionOfText(mine);
#pragma unroll 1
    for (int step = 1; step < 32; step *= 2) {
      const unsigned before = __shfl_up_sync(0xffffffffu, function, step);
      if (lane >= step) {
        function = Compose(before, function);
      }
    }
    if (lane == 31) {
      of_warp[warp] = function;
    }
    __syncthreads();
    int state = state_of_tile;
    for (int i = 0; i < warps; ++i) {
      state = i == warp ? state_of_tile : state;
      state_of_tile = Apply(of_warp[i], state_of_tile);
    }
    __syncthreads();
    const unsigned before = __shfl_up_sync(0xffffffffu, function, 1);
    if (lane > 0) {
      state = Apply(before, state);
    }
    unsigned comma_bits = 0;
    unsigned end_bits = 0;
#pragma unroll 2
    for (int i = 0; i < 16; ++i) {
      const int kind = CsvClass(mine.x & 0xff);
      if (state != kQuoted) {
        comma_bits |= static_cast<unsigned>(kind == 2 && state != kComment)
                      << i;
        end_bits |= static_cast<unsigned>(kind == 3) << i;
      }
      state = Apply(csv_functions[kind], state);
      mine.x = __funnelshift_r(mine.x, mine.y, 8);
      mine.y = __funnelshift_r(mine.y, mine.z, 8);
      mine.z = __funnelshift_r(mine.z, mine.w, 8);
      mine.w >>= 8;
    }
    if (at < length) {
      const long long out = (offsets[blockIdx.x] + at) / 16;
      commas[out] = static_cast<unsigned short>(comma_bits);
      ends[out] = static_cast<unsigned short>(end_bits);
    }
    comma_count += __popc(comma_bits);
    end_count += __popc(end_bits);
  }
  comma_count = __nvvm_redux_sync_add(comma_count, 0xffffffffu);
  end_count = __nvvm_redux_sync_add(end_count, 0xffffffffu);
  if (lane == 0) {
    atomicAdd(&counts[blockIdx.x].x, comma_count);
    atomicAdd(&counts[blockIdx.x].y, end_count);
  }
}

namespace {

// Returns a bit for each byte of `mask`, whose bytes are 0 or 255.
__device__ unsigned long long Gather(unsigned mask) {
  return (mask & 0x08040201u) * 0x01010101u >> 24;
}

}  // namespace

// Finds the strings and the operators of JSON: a lane has 64 bytes.
__global__ void JsonStructure(const unsigned char* texts, const int* starts,
                              const int* lengths,
                              unsigned long long* strings,
                              unsigned long long* operators) {
  const int lane = threadIdx.x & 31;
  const int document = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  const unsigned char* text = texts + starts[document];
  const int length = lengths[document];
  bool escaped_in = false;
  bool string_in = false;
  for (int base = 0; base < length; base += 2048) {
    const int at = base + 64 * lane;
    unsigned long long slashes = 0;
    unsigned long long quotes = 0;
    unsigned long long marks = 0;
#pragma unroll 2
    for (int i = 0; i < 16 && at < length; ++i) {
      // The texts are padded to 64 bytes.
      const unsigned word =
          *reinterpret_cast<const unsigned*>(text + at + 4 * i);
      // A bit tells brackets from braces.
      const unsigned brace = word | 0x20202020u;
      const unsigned mark = __vcmpeq4(brace, '{' * 0x01010101u) |
                            __vcmpeq4(brace, '}' * 0x01010101u) |
                            __vcmpeq4(word, ':' * 0x01010101u) |
                            __vcmpeq4(word, ',' * 0x01010101u);
      slashes |= Gather(__vcmpeq4(word, '\\' * 0x01010101u)) << 4 * i;
      quotes |= Gather(__vcmpeq4(word, '"' * 0x01010101u)) << 4 * i;
      marks |= Gather(mark) << 4 * i;
    }
    // A run of slashes at the end escapes the next lane's first byte as an
    // adder carries. A lane full of slashes propagates.
    const int run = __clzll(static_cast<long long>(~slashes));
    const unsigned propagates = __ballot_sync(0xffffffffu, run == 64);
    const unsigned generates = __ballot_sync(0xffffffffu, run < 64 && run & 1);
    const unsigned long long either = propagates | generates;
    const unsigned long long sum = either + generates + escaped_in;
    const unsigned long long carries = sum ^ either ^ generates;
    const unsigned long long in = carries >> lane & 1;
    escaped_in = carries >> 32 & 1;

    slashes &= ~in;
    const unsigned long long follows = slashes << 1 | in;
    constexpr unsigned long long kEven = 0x5555555555555555ull;
    const unsigned long long odd_starts = slashes & ~kEven & ~follows;
    const unsigned long long inverts = (odd_starts + slashes) << 1;
    const unsigned long long escaped = (kEven ^ inverts) & follows;

    unsigned long long inside = quotes & ~escaped;
#pragma unroll
    for (int step = 1; step < 64; step *= 2) {
      inside ^= inside << step;
    }
    const unsigned odd = __ballot_sync(0xffffffffu, inside >> 63 & 1);
    const unsigned before = __popc(odd & ((1u << lane) - 1));
    if ((before & 1) != string_in) {
      inside = ~inside;
    }
    string_in ^= __popc(odd) & 1;
    marks &= ~inside;
    if (at < length) {
      const int valid = min(64, length - at);
      const unsigned long long mask = ~0ull >> (64 - valid);
      const int out = (starts[document] + at) / 64;
      strings[out] = inside & mask;
      operators[out] = marks & mask;
    }
  }
}

namespace {

// ---- UTF-8 by three tables of nibbles: a bit for each kind of error.

enum Utf8Error : unsigned {
  kTooShort = 1 << 0,
  kTooLong = 1 << 1,
  kOverlong3 = 1 << 2,
  kTooLarge = 1 << 3,
  kSurrogate = 1 << 4,
  kOverlong2 = 1 << 5,
  kOverlong4OrLarge = 1 << 6,
  kTwoContinuations = 1 << 7,
  kCarried = kTooShort | kTooLong | kTwoContinuations,
};

struct Table16 {
  unsigned words[4];
};

constexpr unsigned Bytes(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a | b << 8 | c << 16 | d << 24;
}

// Looks up the low nibble of each byte.
__device__ unsigned LookUp(const Table16& table, unsigned bytes) {
  const unsigned selector = Nibbles(bytes) & 0x7777u;
  const unsigned low = __byte_perm(table.words[0], table.words[1], selector);
  const unsigned high = __byte_perm(table.words[2], table.words[3], selector);
  const unsigned is_high = (bytes >> 3 & 0x01010101u) * 0xff;
  return (low & ~is_high) | (high & is_high);
}

__device__ unsigned Utf8Errors(unsigned before, unsigned word) {
  constexpr unsigned kLarge = kCarried | kTooLarge | kOverlong4OrLarge;
  constexpr Table16 kFirstHigh = {
      {kTooLong * 0x01010101u, kTooLong * 0x01010101u,
       kTwoContinuations * 0x01010101u,
       Bytes(kTooShort | kOverlong2, kTooShort,
             kTooShort | kOverlong3 | kSurrogate,
             kTooShort | kTooLarge | kOverlong4OrLarge)}};
  constexpr Table16 kFirstLow = {
      {Bytes(kCarried | kOverlong3 | kOverlong2 | kOverlong4OrLarge,
             kCarried | kOverlong2, kCarried, kCarried),
       Bytes(kCarried | kTooLarge, kLarge, kLarge, kLarge),
       kLarge * 0x01010101u,
       Bytes(kLarge, kLarge | kSurrogate, kLarge, kLarge)}};
  constexpr unsigned kSecond = kTooLong | kOverlong2 | kTwoContinuations;
  constexpr Table16 kSecondHigh = {
      {kTooShort * 0x01010101u, kTooShort * 0x01010101u,
       Bytes(kSecond | kOverlong3 | kOverlong4OrLarge,
             kSecond | kOverlong3 | kTooLarge,
             kSecond | kSurrogate | kTooLarge,
             kSecond | kSurrogate | kTooLarge),
       kTooShort * 0x01010101u}};
  const unsigned first = __funnelshift_l(before, word, 8);
  const unsigned back2 = __funnelshift_l(before, word, 16);
  const unsigned back3 = __funnelshift_l(before, word, 24);
  const unsigned special = LookUp(kFirstHigh, first >> 4) &
                           LookUp(kFirstLow, first) &
                           LookUp(kSecondHigh, word >> 4);
  const unsigned must_continue =
      __vcmpgeu4(back2, 0xe0e0e0e0u) | __vcmpgeu4(back3, 0xf0f0f0f0u);
  return special ^ (must_continue & 0x80808080u);
}

}  // namespace

// Validates documents, a warp for each. A lane has kWords words at a time.
template <int kWords>
__global__ void Utf8Validate(const unsigned* text, const int* first_words,
                             const int* lengths, int documents, int* valid,
                             int* code_points) {
  const int lane = threadIdx.x & 31;
  const int document = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (document >= documents) {
    return;
  }
  const unsigned* words = text + first_words[document];
  const int length = lengths[document];
  unsigned errors = 0;
  int points = 0;
  // One more word: a character that the end cuts is an error there.
  for (int base = 0; base <= length; base += 32 * 4 * kWords) {
    const int at = base + lane * 4 * kWords;
    unsigned mine[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const int left = length - at - 4 * i;
      mine[i] = left > 0 ? words[at / 4 + i] : 0;
      if (left > 0 && left < 4) {
        mine[i] &= 0xffffffffu >> 8 * (4 - left);
      }
    }
    unsigned before = __shfl_up_sync(0xffffffffu, mine[kWords - 1], 1);
    if (lane == 0) {
      before = base > 0 ? words[base / 4 - 1] : 0;
    }
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      errors |= Utf8Errors(before, mine[i]);
      before = mine[i];
      points += 4 - __popc(mine[i] & ~(mine[i] << 1) & 0x80808080u);
    }
    const int here = min(max(length - at, 0), 4 * kWords);
    points -= 4 * kWords - here;
  }
  errors = __nvvm_redux_sync_or(errors, 0xffffffffu);
  points = __nvvm_redux_sync_add(points, 0xffffffffu);
  if (lane == 0) {
    valid[document] = errors == 0;
    code_points[document] = points;
  }
}

template __global__ void Utf8Validate<3>(const unsigned*, const int*,
                                         const int*, int, int*, int*);

// Aho and Corasick: a thread follows kStreams pieces of the text at once.
template <int kStreams>
__global__ void FindPatterns(const unsigned char* text, int length, int piece,
                             int overlap, const unsigned short* moves,
                             int states, int classes,
                             const unsigned char* class_of,
                             const unsigned* ends, unsigned* hits,
                             int* counts) {
  extern __shared__ unsigned char storage[];
  unsigned* shared_ends = reinterpret_cast<unsigned*>(storage);
  int* shared_counts = reinterpret_cast<int*>(shared_ends + states);
  unsigned short* table =
      reinterpret_cast<unsigned short*>(shared_counts + 32);
  unsigned char* kinds =
      reinterpret_cast<unsigned char*>(table + states * classes);
  for (int i = threadIdx.x; i < states * classes; i += blockDim.x) {
    table[i] = moves[i];
  }
  for (int i = threadIdx.x; i < states; i += blockDim.x) {
    shared_ends[i] = ends[i];
  }
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    kinds[i] = class_of[i];
  }
  if (threadIdx.x < 32) {
    shared_counts[threadIdx.x] = 0;
  }
  __syncthreads();
  const int first =
      (blockIdx.x * blockDim.x + threadIdx.x) * kStreams * piece;
  int state[kStreams];
  int begin[kStreams];
#pragma unroll
  for (int s = 0; s < kStreams; ++s) {
    state[s] = 0;
    begin[s] = first + s * piece;
  }
  for (int i = -overlap; i < piece; ++i) {
#pragma unroll
    for (int s = 0; s < kStreams; ++s) {
      const int at = begin[s] + i;
      if (at < 0 || at >= length) {
        continue;
      }
      state[s] = table[state[s] * classes + kinds[text[at]]];
      if (i >= 0) {
        unsigned found = shared_ends[state[s]];
        hits[at] = found;
        while (found != 0) {
          atomicAdd(&shared_counts[__ffs(found) - 1], 1);
          found &= found - 1;
        }
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < 32 && shared_counts[threadIdx.x] != 0) {
    atomicAdd(&counts[threadIdx.x], shared_counts[threadIdx.x]);
  }
}

template __global__ void FindPatterns<2>(const unsigned char*, int, int, int,
                                         const unsigned short*, int, int,
                                         const unsigned char*, const unsigned*,
                                         unsigned*, int*);

// A position automaton of 64 states: a thread for each string.
__global__ void MatchPositions(const unsigned char* strings,
                               const int* offsets, int count,
                               const unsigned long long* follow,
                               const unsigned long long* reach,
                               unsigned long long first,
                               unsigned long long last, int* first_match,
                               int* matches) {
  __shared__ unsigned long long reached[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    reached[i] = reach[i];
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int end = offsets[i + 1];
  unsigned long long active = 0;
  int found = -1;
  int total = 0;
  for (int at = offsets[i]; at < end; ++at) {
    unsigned long long next = first;
#pragma unroll
    for (int byte = 0; byte < 8; ++byte) {
      next |= follow[256 * byte + (active >> 8 * byte & 0xff)];
    }
    active = next & reached[strings[at]];
    if (active & last) {
      found = found < 0 ? at - offsets[i] : found;
      ++total;
    }
  }
  first_match[i] = found;
  matches[i] = total;
}

// One generation of any rule of nine cells with words of 64 cells. Cells
// outside are dead.
__global__ void LifeRule(const unsigned long long* in, unsigned long long* out,
                         int words, int height, unsigned births,
                         unsigned survivals, unsigned long long* population) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= words || y0 >= height) {
    return;
  }
  unsigned long long cells[4];
  unsigned long long west[4];
  unsigned long long east[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int y = y0 + i - 1;
    const bool is_inside = y >= 0 && y < height;
    const unsigned long long* row = in + static_cast<long long>(y) * words;
    cells[i] = is_inside ? row[x] : 0;
    const unsigned long long left = is_inside && x > 0 ? row[x - 1] : 0;
    const unsigned long long right =
        is_inside && x + 1 < words ? row[x + 1] : 0;
    west[i] = cells[i] << 1 | left >> 63;
    east[i] = cells[i] >> 1 | right << 63;
  }
  unsigned long long alive = 0;
#pragma unroll
  for (int i = 1; i <= 2; ++i) {
    const unsigned long long neighbors[8] = {
        west[i - 1], cells[i - 1], east[i - 1], west[i],
        east[i],     west[i + 1],  cells[i + 1], east[i + 1]};
    unsigned long long planes[4] = {};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      unsigned long long carry = neighbors[n];
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        const unsigned long long sum = planes[p] ^ carry;
        carry &= planes[p];
        planes[p] = sum;
      }
    }
    unsigned long long next = 0;
#pragma unroll
    for (int n = 0; n <= 8; ++n) {
      unsigned long long equal = ~0ull;
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        equal &= n >> p & 1 ? planes[p] : ~planes[p];
      }
      const unsigned long long born = births >> n & 1 ? ~cells[i] : 0;
      const unsigned long long stays = survivals >> n & 1 ? cells[i] : 0;
      next |= equal & (born | stays);
    }
    if (y0 + i - 1 < height) {
      out[static_cast<long long>(y0 + i - 1) * words + x] = next;
      alive += __popcll(next);
    }
  }
  atomicAdd(population, alive);
}
