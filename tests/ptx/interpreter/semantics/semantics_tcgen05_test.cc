// SPDX-License-Identifier: Apache-2.0

// Tensor memory in running kernels: the effects of instructions, and the faults that they report.

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/interpreter/memory/tensor_memory.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "tests/ptx/interpreter/ptx_kernel.h"

namespace ptxmir::ptx {
namespace {

constexpr std::string_view kDeclare = R"(
    .reg .b32 r<128>; .reg .b32 taddr, mine, bar, warp, lane, i, v; .reg .pred p, q; .reg .b64 at, d<4>;
    shr.u32 warp, tid, 5; and.b32 lane, tid, 31; add.u32 bar, shared, 8176;)";

// Allocates `columns` columns in warp 0. `taddr` is the address, `mine` the address of the warp's own lanes.
std::string Allocate(unsigned columns) {
  return StrCat(R"(
    setp.ne.u32 q, warp, 0;
    @q bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [bar+8], )",
                columns, R"(;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    ALLOCATED:
    setp.ne.u32 p, tid, 0;
    @!p mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    ld.volatile.shared.u32 taddr, [bar+8];
    shl.b32 mine, warp, 21;
    add.u32 mine, mine, taddr;)");
}

std::string Free(unsigned columns) {
  return StrCat(R"(
    bar.sync 0;
    setp.ne.u32 q, warp, 0;
    @q bra FREED;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 taddr, )",
                columns, ";\n FREED:\n");
}

constexpr std::string_view kCommitAndWait = R"(
    @!p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;
    @!q bra WAIT;
    tcgen05.fence::after_thread_sync;)";

std::string Registers(unsigned count) {
  std::string out = "{";
  for (unsigned i = 0; i < count; ++i) StrAppend(&out, i == 0 ? "r" : ", r", i);
  return out + "}";
}

// Copies the words of the input to shared memory. Ends with a barrier.
std::string FillShared(size_t words, unsigned threads) {
  return StrCat(R"(
    mov.u32 i, tid;
    FILL: mad.wide.u32 at, i, 4, in;
    ld.global.u32 v, [at];
    mad.lo.u32 r0, i, 4, shared;
    st.shared.u32 [r0], v;
    add.u32 i, i, )",
                threads, ";\n setp.lt.u32 q, i, ", words, ";\n @q bra FILL;\n bar.sync 0;");
}

// Stores `columns` columns, in the lanes of all four warps, row by row.
std::string StoreAll(unsigned columns) {
  std::string out = StrCat("\n mad.wide.u32 at, tid, ", columns * 4, ", out;\n tcgen05.ld.sync.aligned.32x32b.x",
                           columns, ".b32 ", Registers(columns), ", [mine];\n tcgen05.wait::ld.sync.aligned;\n");
  for (unsigned i = 0; i < columns; ++i) StrAppend(&out, "st.global.u32 [at+", i * 4, "], r", i, ";\n");
  return out;
}

PtxResult RunDefined(const std::string& body, PtxLaunch launch) {
  PtxResult result = RunPtx(StrCat(kDeclare, body), launch);
  EXPECT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  return result;
}

Fault RunToFault(const std::string& body, uint32_t threads = 32) {
  return RunPtx(StrCat(kDeclare, body), {.threads = threads, .in = std::vector<uint32_t>(4096)}).fault;
}

// ---- Loads and stores.

// The warp's 32 lanes hold 1000 * lane + column. Loads them with `shape`.
std::vector<uint32_t> LoadAs(std::string_view shape, unsigned registers, std::string_view suffix = "") {
  std::string body = Allocate(64);
  for (unsigned i = 0; i < 64; ++i) StrAppend(&body, " mad.lo.u32 r", i, ", lane, 1000, ", i, ";");
  StrAppend(&body, " tcgen05.st.sync.aligned.32x32b.x64.b32 [mine], ", Registers(64),
            "; tcgen05.wait::st.sync.aligned;\n tcgen05.ld.sync.aligned.", shape, ".b32 ", Registers(registers),
            ", [mine]", suffix, "; mad.wide.u32 at, tid, ", registers * 4, ", out;");
  for (unsigned i = 0; i < registers; ++i) StrAppend(&body, " st.global.u32 [at+", i * 4, "], r", i, ";");
  StrAppend(&body, " tcgen05.wait::ld.sync.aligned;", Free(64));
  return RunDefined(body, {.out_count = 32 * registers}).out;
}

TEST(TensorMemoryAccessTest, LoadsOfAllShapes) {
  struct Case {
    std::string_view shape;
    TensorMovement movement;
    unsigned registers;
  };
  for (const Case& c :
       {Case{"16x64b.x1", TensorMovement::k16x64b, 1}, Case{"16x64b.x32", TensorMovement::k16x64b, 32},
        Case{"16x128b.x1", TensorMovement::k16x128b, 2}, Case{"16x128b.x16", TensorMovement::k16x128b, 32},
        Case{"16x256b.x1", TensorMovement::k16x256b, 4}, Case{"16x256b.x8", TensorMovement::k16x256b, 32},
        Case{"32x32b.x2", TensorMovement::k32x32b, 2}}) {
    const std::vector<uint32_t> out = LoadAs(c.shape, c.registers);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned reg = 0; reg < c.registers; ++reg) {
        const TensorPlace place = FindTensorPlace(c.movement, lane, reg);
        EXPECT_EQ(out[lane * c.registers + reg], 1000 * place.lane + place.column) << c.shape << " " << lane;
      }
    }
  }
}

TEST(TensorMemoryAccessTest, TwoHalves) {
  const std::vector<uint32_t> out = LoadAs("16x32bx2.x4", 4, ", 32");
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned reg = 0; reg < 4; ++reg) {
      EXPECT_EQ(out[lane * 4 + reg], 1000 * (lane % 16) + reg + (lane < 16 ? 0 : 32));
    }
  }
}

TEST(TensorMemoryAccessTest, PackedHalves) {
  const std::vector<uint32_t> out = LoadAs("32x32b.x2.pack::16b", 2);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned reg = 0; reg < 2; ++reg) {
      const unsigned low = 1000 * lane + 2 * reg;
      EXPECT_EQ(out[lane * 2 + reg], (low & 0xffff) | (low + 1) << 16);
    }
  }
}

TEST(TensorMemoryAccessTest, UnpackedHalvesAreBesideUndefinedOnes) {
  const PtxResult result = RunDefined(StrCat(Allocate(32), R"(
    mov.u32 r0, 0x00020001;
    tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [mine], {r0};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x2.b32 {r1, r2}, [mine];
    mad.wide.u32 at, tid, 8, out;
    st.global.u32 [at], r1;
    st.global.u32 [at+4], r2;
    tcgen05.wait::ld.sync.aligned;)",
                                             Free(32)),
                                      {.out_count = 64});
  EXPECT_EQ(result.undefined[10], 0xffff0000u);
  EXPECT_EQ(result.out[10] & 0xffff, 1u);
  EXPECT_EQ(result.out[11] & 0xffff, 2u);
}

TEST(TensorMemoryAccessTest, NewMemoryIsUndefined) {
  const PtxResult result = RunDefined(StrCat(Allocate(32), StoreAll(1), Free(32)), {.out_count = 32});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(result.undefined[i], ~0u);
}

// ---- Faults.

void ExpectFault(const std::string& body, FaultKind kind, std::string_view message, uint32_t threads = 32) {
  const Fault fault = RunToFault(body, threads);
  EXPECT_EQ(fault.kind, kind) << fault.ToString();
  EXPECT_NE(fault.message.find(message), std::string::npos) << fault.ToString();
}

TEST(TensorMemoryFaultTest, Allocation) {
  constexpr std::string_view kLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [v];";
  ExpectFault(StrCat("mov.u32 v, 0;", kLoad), FaultKind::kOutOfBounds, "have not been allocated");
  ExpectFault(StrCat(Allocate(32), "add.u32 v, taddr, 32;", kLoad), FaultKind::kOutOfBounds, "not been allocated");
  ExpectFault(StrCat(Allocate(32), Free(32), "mov.u32 v, taddr;", kLoad), FaultKind::kUseAfterFree, "given back");
  ExpectFault(StrCat(Allocate(512), "add.u32 v, taddr, 512;", kLoad), FaultKind::kOutOfBounds, "do not all exist");
  ExpectFault(StrCat(Allocate(32), "add.u32 v, taddr, 0x200000;", kLoad), FaultKind::kOutOfBounds,
              "warp 0 cannot access");
  ExpectFault(Allocate(32), FaultKind::kTrap, "has not given back");
  ExpectFault(StrCat(Allocate(64), Free(32)), FaultKind::kTrap, "not what has been allocated");
  ExpectFault(Allocate(48), FaultKind::kTrap, "48 columns");
  ExpectFault(StrCat(Allocate(32), "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [bar], 32;"),
              FaultKind::kTrap, "given up the right");
}

TEST(TensorMemoryFaultTest, FullMemoryWaits) {
  ExpectFault(R"(tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [bar], 512;
                 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [bar], 32;)",
              FaultKind::kDeadlock, "");
}

TEST(TensorMemoryFaultTest, AddressesMustAgree) {
  ExpectFault(StrCat(Allocate(32), "add.u32 v, taddr, lane; tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [v];"),
              FaultKind::kUndefinedAddress, "not the same in all threads");
}

constexpr std::string_view kStore = "mov.u32 r0, 1; tcgen05.st.sync.aligned.32x32b.x1.b32 [mine], {r0};";
constexpr std::string_view kLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [mine];";

TEST(TensorMemoryFaultTest, Order) {
  ExpectFault(StrCat(Allocate(32), kStore, kLoad), FaultKind::kDataRace, "not been waited for or fenced");
  ExpectFault(StrCat(Allocate(32), kStore, "tcgen05.wait::ld.sync.aligned;", kLoad), FaultKind::kDataRace, "");
  ExpectFault(StrCat(Allocate(32), kLoad, kStore), FaultKind::kDataRace, "a load has not been waited for");
}

// Makes a descriptor for the data at `shared`, without swizzling.
constexpr std::string_view kDescribe = R"(
    cvt.u64.u32 d0, shared; shr.u64 d0, d0, 4; or.b64 d0, d0, 0x0000401000080000;)";
constexpr std::string_view kCopy = "@!p tcgen05.cp.cta_group::1.128x256b [taddr], d0;";

TEST(TensorMemoryFaultTest, OperationsMustBeWaitedFor) {
  const std::string copy = StrCat(Allocate(32), FillShared(1024, 32), kDescribe, kCopy);
  ExpectFault(StrCat(copy, kLoad), FaultKind::kDataRace, "has not been waited for");
  ExpectFault(StrCat(copy, "@!p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];", kLoad),
              FaultKind::kDataRace, "has not been waited for");
  ExpectFault(StrCat(copy, Free(32)), FaultKind::kDataRace, "given back");
  EXPECT_FALSE(RunToFault(StrCat(copy, kCommitAndWait, kLoad, Free(32))).is_fault());
}

TEST(TensorMemoryFaultTest, AnotherWarpMustFence) {
  const std::string_view wait = kCommitAndWait.substr(0, kCommitAndWait.find("tcgen05.fence"));
  const std::string copy = StrCat(Allocate(32), FillShared(1024, 64), kDescribe, kCopy, wait);
  ExpectFault(StrCat(copy, kLoad), FaultKind::kDataRace, "waited for or fenced", 64);
}

// ---- Copies and shifts.

std::vector<uint32_t> Iota(uint32_t count) {
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; ++i) values[i] = 1 + i;
  return values;
}

// Copies as `shape` with the descriptor of kDescribe: eight rows of 16 bytes; the next 16 bytes of a row are 128
// bytes further, the next rows 256 bytes further. Returns eight columns of 128 lanes.
PtxResult CopyAs(std::string_view shape, std::string_view more = "") {
  return RunDefined(StrCat(Allocate(32), FillShared(1024, 128), kDescribe, "@!p tcgen05.cp.cta_group::1.", shape,
                           " [taddr], d0;", more, kCommitAndWait, StoreAll(8), Free(32)),
                    {.threads = 128, .in = Iota(1024), .out_count = 1024});
}
uint32_t SourceWord(uint32_t row, uint32_t column) {
  return 1 + row / 8 * 64 + column / 4 * 32 + row % 8 * 4 + column % 4;
}

TEST(TensorCopyTest, Shapes) {
  struct Case {
    std::string_view shape;
    uint32_t columns;
    int (*row_of_lane)(uint32_t lane);
  };
  for (const Case& c : {
           Case{"128x256b", 8, [](uint32_t lane) { return static_cast<int>(lane); }},
           Case{"128x128b", 4, [](uint32_t lane) { return static_cast<int>(lane); }},
           Case{"4x256b", 8, [](uint32_t lane) { return lane % 32 == 0 ? static_cast<int>(lane / 32) : -1; }},
           Case{"64x128b.warpx2::02_13", 4, [](uint32_t lane) { return static_cast<int>(lane % 64); }},
           Case{"64x128b.warpx2::01_23", 4, [](uint32_t lane) { return static_cast<int>(lane % 32 + lane / 64 * 32); }},
           Case{"32x128b.warpx4", 4, [](uint32_t lane) { return static_cast<int>(lane % 32); }},
       }) {
    const PtxResult result = CopyAs(c.shape);
    for (uint32_t lane = 0; lane < 128; ++lane) {
      for (uint32_t column = 0; column < 8; ++column) {
        const size_t at = lane * 8 + column;
        const int row = column < c.columns ? c.row_of_lane(lane) : -1;
        if (row < 0) {
          EXPECT_EQ(result.undefined[at], ~0u) << c.shape;
        } else {
          EXPECT_EQ(result[at], SourceWord(static_cast<uint32_t>(row), column)) << c.shape << " " << lane;
        }
      }
    }
  }
}

TEST(TensorCopyTest, ShiftMovesTheLanesOfAWarp) {
  const PtxResult result = CopyAs("128x256b", "add.u32 v, taddr, 0x200000; @!p tcgen05.shift.cta_group::1.down [v];");
  for (uint32_t lane = 0; lane < 128; ++lane) {
    const uint32_t from = lane >= 32 && lane < 63 ? lane + 1 : lane;
    for (uint32_t column = 0; column < 8; ++column) EXPECT_EQ(result[lane * 8 + column], SourceWord(from, column));
  }
}

TEST(TensorCopyTest, NarrowFieldsAreSpread) {
  // Sixteen fields of four bits: 0, 1, ... 15.
  std::vector<uint32_t> in(1024);
  in[0] = 0x76543210;
  in[1] = 0xfedcba98;
  const auto copy = [&](std::string_view format) {
    return RunDefined(
        StrCat(Allocate(32), FillShared(1024, 128), kDescribe, "@!p tcgen05.cp.cta_group::1.128x128b.b8x16.", format,
               " [taddr], d0;", kCommitAndWait, StoreAll(4), Free(32)),
        {.threads = 128, .in = in, .out_count = 512});
  };
  const PtxResult four = copy("b4x16_p64");
  EXPECT_EQ(four[0], 0x0c080400u);
  EXPECT_EQ(four[3], 0x3c383430u);
  in = std::vector<uint32_t>(1024);
  in[0] = 0x3f | 1 << 6 | 2 << 12 | 3 << 18 | 4u << 24 | 5u << 30;
  EXPECT_EQ(copy("b6x16_p32")[0], 0x0302013fu);
}

// ---- Products. Matrices are stored without swizzling: eight rows of 16 bytes; the next 16 bytes of a row are 128
// bytes further, the next rows 256 bytes further.

struct Product {
  std::string kind = "f16";        // followed by qualifiers
  std::string_view ws = "";        // ".ws"
  std::string_view modifier = "";  // ".ashift" and so on
  uint32_t rows = 128;
  uint32_t columns = 16;
  // The bits of the instruction descriptor other than the numbers of rows and columns.
  uint32_t shape = 0;
  std::string operands = "p";   // follow the instruction descriptor
  std::string before = {};      // executed by all threads
  std::vector<uint8_t> a = {};  // 32 bytes a row
  std::vector<uint8_t> b = {};
  std::string a_operand = "d0";
  uint32_t columns_of_d = 16;
};

void PutRows(const std::vector<uint8_t>& rows, size_t start, std::vector<uint32_t>* words) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t row = i / 32;
    const size_t at = start + row / 8 * 256 + i % 32 / 16 * 128 + row % 8 * 16 + i % 16;
    (*words)[at / 4] |= uint32_t{rows[i]} << (at % 4 * 8);
  }
}

// Returns the columns of D in 128 lanes.
PtxResult Multiply(const Product& product) {
  std::vector<uint32_t> in(2040);
  PutRows(product.a, 0, &in);
  PutRows(product.b, 4096, &in);
  const uint32_t shape = product.shape | product.columns / 8 << 17 | product.rows / 16 << 24;
  const std::string mma = StrCat("@!p tcgen05.mma", product.ws, ".cta_group::1.kind::", product.kind, product.modifier,
                                 " [taddr], ", product.a_operand, ", d1, ", shape, ", ", product.operands, ";");
  return RunDefined(StrCat(Allocate(128), FillShared(2040, 128), kDescribe, "add.u64 d1, d0, 256;", product.before, mma,
                           kCommitAndWait, StoreAll(product.columns_of_d), Free(128)),
                    {.threads = 128, .in = in, .out_count = 128 * product.columns_of_d});
}

// Small numbers and their encodings in a format, with 32 bytes per row.
struct Numbers {
  std::vector<int> values;
  std::vector<uint8_t> bytes;
};
template <typename Encode>
Numbers MakeNumbers(uint32_t rows, uint32_t bits, uint32_t seed, const Encode& encode) {
  Numbers numbers;
  numbers.bytes.resize(rows * 32);
  const uint32_t depth = 256 / bits;
  for (uint32_t i = 0; i < rows * depth; ++i) {
    const int value = static_cast<int>((i * 2654435761u + seed * 40503u) >> 13 & 3) - 1;
    numbers.values.push_back(value);
    const uint32_t code = encode(value);
    for (uint32_t bit = 0; bit < bits; ++bit) {
      if ((code >> bit & 1) != 0) {
        const uint32_t at = i / depth * 256 + i % depth * bits + bit;
        numbers.bytes[at / 8] |= static_cast<uint8_t>(1 << at % 8);
      }
    }
  }
  return numbers;
}
uint32_t Half(double value) { return FloatToHalf(static_cast<float>(value)); }
uint32_t Single(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }
uint32_t E4M3(double value) { return EncodeFloat(kE4M3Format, value); }
uint32_t E2M1(double value) { return EncodeFloat(kE2M1Format, value); }
uint32_t Signed(double value) { return static_cast<uint32_t>(static_cast<int>(value)) & 0xff; }

int Dot(const Numbers& a, const Numbers& b, uint32_t row, uint32_t column, uint32_t depth) {
  int sum = 0;
  for (uint32_t k = 0; k < depth; ++k) sum += a.values[row * depth + k] * b.values[column * depth + k];
  return sum;
}

TEST(TensorProductTest, Kinds) {
  struct Case {
    std::string_view kind;
    uint32_t bits;
    uint32_t (*encode)(double);
    uint32_t shape;
    uint32_t (*result)(double);
  };
  for (const Case& c :
       {Case{"f16", 16, &Half, 1 << 4, &Single}, Case{"tf32", 32, &Single, 1 << 4 | 2 << 7 | 2 << 10, &Single},
        Case{"f8f6f4", 8, &E4M3, 1 << 4, &Single}, Case{"i8", 8, &Signed, 2 << 4 | 1 << 7 | 1 << 10, [](double value) {
                                                          return static_cast<uint32_t>(static_cast<int>(value));
                                                        }}}) {
    const Numbers a = MakeNumbers(128, c.bits, 1, c.encode);
    const Numbers b = MakeNumbers(16, c.bits, 2, c.encode);
    const PtxResult result = Multiply({.kind = std::string(c.kind), .shape = c.shape, .a = a.bytes, .b = b.bytes});
    for (uint32_t row = 0; row < 128; ++row) {
      for (uint32_t column = 0; column < 16; ++column) {
        EXPECT_EQ(result[row * 16 + column], c.result(Dot(a, b, row, column, 256 / c.bits))) << c.kind << " " << row;
      }
    }
  }
}

TEST(TensorProductTest, HalvesInTheLowerHalfOfTheirWords) {
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  const PtxResult result = Multiply({.a = a.bytes, .b = b.bytes});
  EXPECT_EQ(result.undefined[5 * 16 + 3], 0xffff0000u);
  EXPECT_EQ(result.out[5 * 16 + 3] & 0xffff, Half(Dot(a, b, 5, 3, 16)));
}

TEST(TensorProductTest, SixtyFourRowsAreInHalfOfTheLanes) {
  const Numbers a = MakeNumbers(64, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  const PtxResult result = Multiply({.rows = 64, .shape = 1 << 4, .a = a.bytes, .b = b.bytes});
  for (uint32_t lane = 0; lane < 128; ++lane) {
    if (lane % 32 >= 16) {
      EXPECT_EQ(result.undefined[lane * 16], ~0u);
    } else {
      EXPECT_EQ(result[lane * 16 + 7], Single(Dot(a, b, lane / 32 * 16 + lane % 32, 7, 16)));
    }
  }
}

TEST(TensorProductTest, NegationAndTranspositionOfB) {
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  // 16 lines along n instead of along k. The same bytes are the transposed matrix.
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  // Unswizzled lines across k: the next lines are one leading offset (128) away, the next 16 bytes one stride
  // (256).
  Product product = {.shape = 1 << 4 | 1 << 13 | 1 << 16, .a = a.bytes};
  product.b.resize(16 * 32);
  for (uint32_t k = 0; k < 16; ++k) {
    for (uint32_t n = 0; n < 16; ++n) {
      // PutRows puts row r, byte c at r / 8 * 256 + c / 16 * 128 + r % 8 * 16 + c % 16.
      const uint32_t row = n / 8 * 8 + k % 8;
      const uint32_t byte = k / 8 * 16 + n % 8 * 2;
      std::memcpy(&product.b[row * 32 + byte], &b.bytes[n * 32 + k * 2], 2);
    }
  }
  const PtxResult result = Multiply(product);
  for (uint32_t row = 0; row < 128; ++row) {
    for (uint32_t n = 0; n < 16; ++n) EXPECT_EQ(result[row * 16 + n], Single(-Dot(a, b, row, n, 16) + 0.0));
  }
}

TEST(TensorProductTest, AccumulatesAndScales) {
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  // The second product adds to a quarter of the first.
  const uint32_t shape = 1 << 4 | 16 / 8 << 17 | 128 / 16 << 24;
  const PtxResult result =
      Multiply({.shape = 1 << 4,
                .operands = "!p, 2",
                .before = StrCat("@!p tcgen05.mma.cta_group::1.kind::f16 [taddr], d0, d1, ", shape, ", p;"),
                .a = a.bytes,
                .b = b.bytes});
  for (uint32_t row = 0; row < 128; ++row) EXPECT_EQ(result[row * 16 + 1], Single(1.25 * Dot(a, b, row, 1, 16)));
}

TEST(TensorProductTest, LanesCanBeDisabled) {
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  const PtxResult result = Multiply({.shape = 1 << 4,
                                     .operands = "{r1, r2, r1, r1}, p",
                                     .before = "mov.u32 r1, 0; mov.u32 r2, 4;",
                                     .a = a.bytes,
                                     .b = b.bytes});
  for (uint32_t row = 0; row < 128; ++row) {
    if (row == 34) {
      EXPECT_EQ(result.undefined[row * 16], ~0u);
    } else {
      EXPECT_EQ(result[row * 16], Single(Dot(a, b, row, 0, 16)));
    }
  }
}

TEST(TensorProductTest, AInTensorMemory) {
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  // The copy puts the rows of A next to D.
  const PtxResult result = Multiply({.shape = 1 << 4,
                                     .before = "add.u32 v, taddr, 64; @!p tcgen05.cp.cta_group::1.128x256b [v], d0;",
                                     .a = a.bytes,
                                     .b = b.bytes,
                                     .a_operand = "[v]"});
  for (uint32_t row = 0; row < 128; ++row) EXPECT_EQ(result[row * 16 + 9], Single(Dot(a, b, row, 9, 16)));
}

TEST(TensorProductTest, WeightStationaryIsFolded) {
  const Numbers a = MakeNumbers(32, 16, 1, &Half);
  const Numbers b = MakeNumbers(64, 16, 2, &Half);
  const PtxResult result =
      Multiply({.ws = ".ws", .rows = 32, .columns = 64, .shape = 1 << 4, .a = a.bytes, .b = b.bytes});
  for (uint32_t lane = 0; lane < 128; ++lane) {
    for (uint32_t column = 0; column < 16; ++column) {
      EXPECT_EQ(result[lane * 16 + column], Single(Dot(a, b, lane % 32, lane / 32 * 16 + column, 16)));
    }
  }
}

TEST(TensorProductTest, ZeroColumns) {
  const Numbers a = MakeNumbers(32, 16, 1, &Half);
  const Numbers b = MakeNumbers(66, 16, 2, &Half);
  // Example 4 of the PTX ISA, "Zero-Column Mask Descriptor": masks of 16 columns, shifted by two.
  const uint64_t mask = 1 << 8 | 2 << 16 | 1 << 24 | uint64_t{3} << 32 | uint64_t{1} << 39 | uint64_t{2} << 40 |
                        uint64_t{3} << 48 | uint64_t{2} << 56;
  const std::string_view masks[] = {"1110000111000011", "1100001110000111", "0011100001110000", "0001110000111000"};
  const PtxResult result = Multiply({.ws = ".ws",
                                     .rows = 32,
                                     .columns = 64,
                                     .shape = 1 << 4 | 1u << 30,
                                     .operands = "p, d2",
                                     .before = StrCat("mov.u64 d2, ", mask, ";"),
                                     .a = a.bytes,
                                     .b = b.bytes});
  for (uint32_t lane = 0; lane < 128; ++lane) {
    for (uint32_t column = 0; column < 16; ++column) {
      const bool is_zero = masks[lane / 32][column] == '1';
      const uint32_t from = lane / 32 * 16 + column + 2;
      EXPECT_EQ(result[lane * 16 + column], Single(is_zero ? 0 : Dot(a, b, lane % 32, from, 16))) << lane;
    }
  }
}

TEST(TensorProductTest, ScaledBlocks) {
  // The scales of A are 2^(row / 32) for each row, those of B are 2. They are stored in columns 64 to 67 and 68.
  const std::string scales = R"(
      mov.u32 r1, 0x7f7f7f7f; mov.u32 r2, 0x80808080; mov.u32 r3, 0x81818181; mov.u32 r4, 0x82828282; mov.u32 r5, r2;
      add.u32 v, mine, 64;
      tcgen05.st.sync.aligned.32x32b.x4.b32 [v], {r1, r2, r3, r4};
      add.u32 v, mine, 68;
      tcgen05.st.sync.aligned.32x32b.x1.b32 [v], {r5};
      tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
      add.u32 r6, taddr, 64; add.u32 r7, taddr, 68;)";
  struct Case {
    std::string_view kind;
    uint32_t bits;
    uint32_t (*encode)(double);
    uint32_t types;
  };
  for (const Case& c : {Case{"mxf8f6f4.block_scale", 8, &E4M3, 0},
                        Case{"mxf4.block_scale.scale_vec::2X", 4, &E2M1, 1 << 7 | 1 << 10}}) {
    const Numbers a = MakeNumbers(128, c.bits, 1, c.encode);
    const Numbers b = MakeNumbers(16, c.bits, 2, c.encode);
    const PtxResult result = Multiply({.kind = std::string(c.kind),
                                       .shape = c.types | 1 << 23,
                                       .operands = "[r6], [r7], p",
                                       .before = scales,
                                       .a = a.bytes,
                                       .b = b.bytes});
    for (uint32_t row = 0; row < 128; ++row) {
      for (uint32_t column = 0; column < 16; ++column) {
        EXPECT_EQ(result[row * 16 + column],
                  Single(std::ldexp(Dot(a, b, row, column, 256 / c.bits), static_cast<int>(row / 32 + 1))))
            << c.kind << " " << row;
      }
    }
  }
}

TEST(TensorProductTest, UndefinedRows) {
  // Row 3 of A is computed from a value that is never written.
  const Numbers a = MakeNumbers(128, 16, 1, &Half);
  const Numbers b = MakeNumbers(16, 16, 2, &Half);
  const PtxResult result = Multiply({.shape = 1 << 4,
                                     .before = "add.u32 v, shared, 48; @!p mbarrier.init.shared.b64 [v], 1; "
                                               "@!p mbarrier.inval.shared.b64 [v]; bar.sync 0;",
                                     .a = a.bytes,
                                     .b = b.bytes});
  for (uint32_t row = 0; row < 16; ++row) EXPECT_EQ(result.undefined[row * 16], row == 3 ? ~0u : 0u);
}

TEST(TensorProductTest, BadDescriptors) {
  const std::string begin = StrCat(Allocate(128), FillShared(2040, 32), kDescribe);
  const auto mma = [&](std::string_view kind, uint32_t shape) {
    return StrCat(begin, "@!p tcgen05.mma.cta_group::1.kind::", kind, " [taddr], d0, d0, ", shape, ", p;");
  };
  constexpr uint32_t kSize = 16 / 8 << 17 | 128 / 16 << 24;
  ExpectFault(mma("f16", kSize | 2 << 4), FaultKind::kBadDescriptor, "does not fit");
  ExpectFault(mma("f16", kSize | 1 << 4 | 2 << 7), FaultKind::kBadDescriptor, "does not fit");
  ExpectFault(mma("f16", 16 / 8 << 17 | 96 / 16 << 24 | 1 << 4), FaultKind::kBadDescriptor, "does not fit");
  ExpectFault(mma("f16", 128 / 16 << 24 | 1 << 4), FaultKind::kBadDescriptor, "does not fit");
  ExpectFault(mma("f16", 256 / 8 << 17 | 128 / 16 << 24 | 1 << 4), FaultKind::kOutOfBounds, "not been allocated");
  ExpectFault(
      StrCat(begin, "mov.u64 d0, -1; @!p tcgen05.mma.cta_group::1.kind::f16 [taddr], d0, d0, ", kSize | 1 << 4, ", p;"),
      FaultKind::kBadDescriptor, "matrix descriptor");
}

// ---- Pairs of CTAs.

TEST(TensorProductTest, PairsShareTheWork) {
  // Each CTA holds half of the rows of A and of the columns of B. The first CTA issues for both.
  const Numbers a = MakeNumbers(256, 16, 1, &Half);
  const Numbers b = MakeNumbers(32, 16, 2, &Half);
  std::vector<uint32_t> in;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    std::vector<uint32_t> half(2040);
    PutRows({a.bytes.begin() + rank * 128 * 32, a.bytes.begin() + (rank + 1) * 128 * 32}, 0, &half);
    PutRows({b.bytes.begin() + rank * 16 * 32, b.bytes.begin() + (rank + 1) * 16 * 32}, 4096, &half);
    in.insert(in.end(), half.begin(), half.end());
  }
  std::string body = StrCat(R"(
    .reg .b32 rank; mov.u32 rank, %cluster_ctarank;
    mad.wide.u32 in, rank, 8160, in;
    mad.wide.u32 out, rank, 16384, out;)",
                            Allocate(64), FillShared(2040, 128), kDescribe, R"(
    add.u64 d1, d0, 256;
    barrier.cluster.arrive; barrier.cluster.wait;
    setp.ne.u32 p, rank, 0; setp.ne.or.u32 p, tid, 0, p;
    .reg .pred no; setp.ne.u32 no, 0, 0; .reg .b16 both; mov.b16 both, 3;)",
                            "@!p tcgen05.mma.cta_group::2.kind::f16 [taddr], d0, d1, ",
                            1 << 4 | 32 / 8 << 17 | 256 / 16 << 24, R"(, no;
    @!p tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], both;
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 q, [bar], 0;
    @!q bra WAIT;
    tcgen05.fence::after_thread_sync;)",
                            StoreAll(32), " barrier.cluster.arrive; barrier.cluster.wait;", Free(64));
  for (size_t at = 0; (at = body.find("cta_group::1", at)) != body.npos;) body[at + 11] = '2';
  const PtxResult result =
      RunDefined(body, {.threads = 128, .blocks = 2, .cluster = 2, .in = in, .out_count = 256 * 32});
  for (uint32_t row = 0; row < 256; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      EXPECT_EQ(result[row * 32 + column], Single(Dot(a, b, row, column, 16))) << row << " " << column;
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx
