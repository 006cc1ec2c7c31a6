// SPDX-License-Identifier: Apache-2.0

// Tensor cores in running kernels: compares whole instructions with products of plain matrices.

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "ptx/interpreter/values/tensor.h"
#include "tests/ptx/interpreter/ptx_kernel.h"

namespace ptxmir::ptx {
namespace {

// "{a0, a1}".
std::string Vector(std::string_view name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) StrAppend(&text, i == 0 ? "" : ", ", name, i);
  return text + "}";
}

std::string Registers(std::string_view name, unsigned count) { return StrCat(".reg .b32 ", name, "<", count, ">; "); }

// Returns a kernel in which each lane loads its registers from its part of `in`, runs the instruction, and stores
// D.
std::string MmaKernel(std::string_view mnemonic, unsigned d, unsigned a, unsigned b, unsigned c,
                      std::string_view behind = "") {
  std::string text = StrCat(Registers("d", d), Registers("a", a), Registers("b", b), Registers("c", c),
                            ".reg .b32 e; mad.wide.u32 in, tid, ", 4 * (a + b + c + 1), ", in; mad.wide.u32 out, tid, ",
                            4 * d, ", out; ");
  unsigned word = 0;
  const auto load = [&](std::string_view name, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      StrAppend(&text, "ld.global.b32 ", name, i, ", [in + ", 4 * word++, "]; ");
    }
  };
  load("a", a);
  load("b", b);
  load("c", c);
  StrAppend(&text, "ld.global.b32 e, [in + ", 4 * word, "]; ", mnemonic, " ", Vector("d", d), ", ", Vector("a", a),
            ", ", Vector("b", b), ", ", Vector("c", c), behind, "; ");
  for (unsigned i = 0; i < d; ++i) StrAppend(&text, "st.global.b32 [out + ", 4 * i, "], d", i, "; ");
  return text;
}

struct MmaCase {
  std::string_view mnemonic;
  TensorShape shape;
  TensorType d, a, b, c;
  bool in_bytes = false;
  bool sparse = false;
};

unsigned PerRegister(TensorType type, bool in_bytes) { return 32 / FieldOf(type, in_bytes).bits; }

// Returns random registers. Floats have small exponents, so they are small and not NaNs.
uint32_t RandomRegister(TensorType type, std::mt19937& random) {
  const auto bits = static_cast<uint32_t>(random());
  switch (type) {
    case TensorType::kF16:
      return bits & 0xbfffbfffu;
    case TensorType::kBF16:
    case TensorType::kTF32:
    case TensorType::kF32:
      // Magnitudes from 2^-16 to 2.
      return (bits & 0x87ff87ffu) | 0x38003800u;
    case TensorType::kE4M3:
    case TensorType::kE5M2:
      return bits & 0xb7b7b7b7u;
    case TensorType::kS32:
      return bits;
    default:
      return bits;
  }
}

class Mma {
 public:
  explicit Mma(const MmaCase& test)
      : test_(test),
        a_field_(FieldOf(test.a, test.in_bytes)),
        b_field_(FieldOf(test.b, test.in_bytes)),
        a_per_register_(PerRegister(test.a, test.in_bytes)),
        b_per_register_(PerRegister(test.b, test.in_bytes)),
        stored_(test.shape) {
    if (test.sparse) stored_.k /= 2;
    a_registers_ = RegistersOfA(stored_, a_per_register_);
    b_registers_ = RegistersOfB(test.shape, b_per_register_);
    c_registers_ = ElementsOfC(test.shape) / PerC(test.c);
    d_registers_ = ElementsOfC(test.shape) / PerC(test.d);
  }

  void Run() {
    std::mt19937 random(7);
    const unsigned words = a_registers_ + b_registers_ + c_registers_ + 1;
    std::vector<uint32_t> in(32 * words);
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t* at = &in[lane * words];
      for (unsigned i = 0; i < a_registers_; ++i) *at++ = RandomRegister(test_.a, random);
      for (unsigned i = 0; i < b_registers_; ++i) *at++ = RandomRegister(test_.b, random);
      for (unsigned i = 0; i < c_registers_; ++i) *at++ = RandomRegister(test_.c, random);
      *at = kMetadata;
    }
    const PtxResult result = RunPtx(
        MmaKernel(test_.mnemonic, d_registers_, a_registers_, b_registers_, c_registers_, test_.sparse ? ", e, 0" : ""),
        {.in = in, .out_count = 32 * d_registers_});
    ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
    Fill(in, words);
    Compare(result);
  }

 private:
  // In each chunk of four, elements 1 and 2 are stored: the indices are 01 and 10, which gives 1001.
  static constexpr uint32_t kMetadata = 0x99999999u;

  static unsigned PerC(TensorType type) { return type == TensorType::kF16 ? 2 : 1; }

  unsigned WholeColumn(unsigned stored) const {
    if (!test_.sparse) return stored;
    return stored / 2 * 4 + 1 + stored % 2;
  }

  void Fill(const std::vector<uint32_t>& in, unsigned words) {
    const TensorShape& shape = test_.shape;
    a_.assign(shape.m * shape.k, 0);
    b_.assign(shape.k * shape.n, 0);
    c_.assign(shape.m * shape.n, 0);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint32_t* at = &in[lane * words];
      for (unsigned i = 0; i < a_registers_ * a_per_register_; ++i) {
        const TensorElement e = ElementOfA(stored_, a_per_register_, lane, i / a_per_register_, i % a_per_register_);
        a_[e.row * shape.k + WholeColumn(e.column)] =
            DecodeTensorElement(test_.a, a_field_, at[i / a_per_register_] >> (i % a_per_register_ * a_field_.bits));
      }
      at += a_registers_;
      for (unsigned i = 0; i < b_registers_ * b_per_register_; ++i) {
        const TensorElement e = ElementOfB(shape, b_per_register_, lane, i / b_per_register_, i % b_per_register_);
        b_[e.row * shape.n + e.column] =
            DecodeTensorElement(test_.b, b_field_, at[i / b_per_register_] >> (i % b_per_register_ * b_field_.bits));
      }
      at += b_registers_;
      for (unsigned i = 0; i < ElementsOfC(shape); ++i) {
        const TensorElement e = ElementOfC(shape, lane, i);
        c_[e.row * shape.n + e.column] =
            DecodeTensorElement(test_.c, FieldOf(test_.c, false), at[i / PerC(test_.c)] >> (i % PerC(test_.c) * 16));
      }
    }
  }

  void Compare(const PtxResult& result) {
    const TensorShape& shape = test_.shape;
    const unsigned per_register = PerC(test_.d);
    const bool saturate = test_.mnemonic.find("satfinite") != test_.mnemonic.npos;
    int finite = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < ElementsOfC(shape); ++i) {
        const TensorElement e = ElementOfC(shape, lane, i);
        double sum = c_[e.row * shape.n + e.column];
        for (unsigned k = 0; k < shape.k; ++k) sum += a_[e.row * shape.k + k] * b_[k * shape.n + e.column];
        finite += std::isfinite(sum) && sum != 0;
        const size_t word = lane * d_registers_ + i / per_register;
        ASSERT_EQ(result.undefined[word], 0u);
        const uint32_t actual = per_register == 2 ? result.out[word] >> (16 * (i % 2)) & 0xffff : result.out[word];
        ASSERT_EQ(actual, EncodeTensorResult(test_.d, saturate, sum)) << "lane " << lane << " element " << i;
      }
    }
    // Otherwise the test would show nothing.
    EXPECT_GT(finite, 16);
  }

  MmaCase test_;
  TensorField a_field_, b_field_;
  unsigned a_per_register_, b_per_register_;
  TensorShape stored_;
  unsigned a_registers_ = 0, b_registers_ = 0, c_registers_ = 0, d_registers_ = 0;
  std::vector<double> a_, b_, c_;
};

TEST(MmaTest, EqualsThePlainProduct) {
  using enum TensorType;
  static constexpr MmaCase kCases[] = {
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {16, 8, 16}, kF32, kF16, kF16, kF32},
      {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", {16, 8, 8}, kF16, kF16, kF16, kF16},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", {16, 8, 16}, kF32, kBF16, kBF16, kF32},
      {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", {16, 8, 4}, kF32, kTF32, kTF32, kF32},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", {16, 8, 8}, kF32, kTF32, kTF32, kF32},
      {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", {8, 8, 16}, kS32, kS8, kU8, kS32},
      {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", {16, 8, 32}, kS32, kU8, kS8, kS32},
      {"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", {8, 8, 32}, kS32, kS4, kU4, kS32},
      {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", {16, 8, 64}, kS32, kU4, kS4, kS32},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", {16, 8, 32}, kF32, kE4M3, kE5M2, kF32},
      {"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", {16, 8, 16}, kF16, kE4M3, kE4M3, kF16},
      {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", {16, 8, 32}, kF32, kE2M1, kE3M2, kF32, true},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {16, 8, 16}, kF32, kF16, kF16, kF32, false, true},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32",
       {16, 8, 32},
       kF32,
       kBF16,
       kBF16,
       kF32,
       false,
       true},
      {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", {16, 8, 64}, kS32, kS8, kS8, kS32, false, true},
  };
  for (const MmaCase& test : kCases) {
    SCOPED_TRACE(std::string(test.mnemonic));
    Mma(test).Run();
  }
}

TEST(MmaTest, UndefinedElementsSpreadAlongTheirRow) {
  // Lane 5 never writes a0, which belongs to row 1 of A.
  const PtxResult result = RunPtx(R"(
    .reg .b32 z, u, a; .reg .b32 d<4>; .reg .pred p;
    mov.b32 z, 0;
    setp.ne.u32 p, tid, 5;
    @p mov.b32 a, 0;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {a, z}, {z}, {z, z, z, z};
    mad.wide.u32 out, tid, 16, out;
    st.global.v4.b32 [out], {d0, d1, d2, d3};)",
                                  {.out_count = 128});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(result.undefined[lane * 4 + i] != 0, lane / 4 == 1 && i < 2) << lane << " " << i;
    }
  }
}

// The scales of A are 2 in rows 0 to 7 and 4 in the others, those of B 1/2. All elements are 1.
TEST(MmaTest, BlockScale) {
  const PtxResult result = RunPtx(R"(
    .reg .b32 one, z, sa, sb, odd; .reg .b32 d<4>; .reg .b16 h; .reg .pred p;
    mov.b32 one, 0x38383838;
    mov.b32 z, 0;
    mov.b16 h, 0;
    and.b32 odd, tid, 1;
    setp.eq.u32 p, odd, 0;
    selp.b32 sa, 128, 129, p;
    mov.b32 sb, 126;
    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0
      {d0, d1, d2, d3}, {one, one, one, one}, {one, one}, {z, z, z, z}, sa, {0, 0}, sb, {0, 0};
    mad.wide.u32 out, tid, 16, out;
    st.global.v4.b32 [out], {d0, d1, d2, d3};)",
                                  {.out_count = 128});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(std::bit_cast<float>(result[lane * 4]), 32.0f) << lane;
    EXPECT_EQ(std::bit_cast<float>(result[lane * 4 + 2]), 64.0f) << lane;
  }
}

// ---- wmma: load, multiply and store, compared with matrices in memory.

struct WmmaCase {
  std::string_view shape_name;
  TensorShape shape;
  std::string_view a_layout, b_layout;
  std::string_view type;   // of a and b
  std::string_view types;  // of the wmma.mma
  unsigned a, b;           // registers
  bool is_float;
};

class WmmaTest : public testing::Test {
 protected:
  void Run(const WmmaCase& test) {
    std::mt19937 random(3);
    const TensorShape& shape = test.shape;
    const TensorType type = *FindTensorType(test.type);
    const unsigned bits = TensorTypeBits(type);
    std::vector<uint32_t> in(4096);
    // A at byte 0, B at 4096, C (of 32 bits) at 8192.
    std::vector<double> a(shape.m * shape.k);
    std::vector<double> b(shape.k * shape.n);
    std::vector<double> c(shape.m * shape.n);
    const auto put = [&](unsigned base, unsigned index, double* value) {
      uint32_t code = static_cast<uint32_t>(random());
      if (type == TensorType::kF16) code &= 0xbfff;
      if (type == TensorType::kTF32) code = (code & 0x87ffe000u) | 0x38000000u;
      const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
      in[base / 4 + index * bits / 32] |= (code & mask) << (index * bits % 32);
      *value = bits == 1 ? code & 1 : DecodeTensorElement(type, FieldOf(type, false), code);
    };
    for (unsigned i = 0; i < shape.m; ++i) {
      for (unsigned k = 0; k < shape.k; ++k) {
        put(0, test.a_layout == "row" ? i * shape.k + k : k * shape.m + i, &a[i * shape.k + k]);
      }
    }
    for (unsigned k = 0; k < shape.k; ++k) {
      for (unsigned j = 0; j < shape.n; ++j) {
        put(4096, test.b_layout == "row" ? k * shape.n + j : j * shape.k + k, &b[k * shape.n + j]);
      }
    }
    for (unsigned i = 0; i < shape.m * shape.n; ++i) {
      c[i] = static_cast<int>(random() % 1000) - 500;
      in[2048 + i] = test.is_float ? std::bit_cast<uint32_t>(static_cast<float>(c[i]))
                                   : static_cast<uint32_t>(static_cast<int32_t>(c[i]));
    }
    const PtxResult result = RunPtx(Kernel(test), {.in = in, .out_count = shape.m * (shape.n + 8)});
    ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
    for (unsigned i = 0; i < shape.m; ++i) {
      for (unsigned j = 0; j < shape.n; ++j) {
        double sum = c[i * shape.n + j];
        for (unsigned k = 0; k < shape.k; ++k) {
          const double x = a[i * shape.k + k];
          const double y = b[k * shape.n + j];
          sum += bits == 1 ? (x != y ? 1 : 0) : x * y;
        }
        // D is stored by columns, with its own stride.
        const size_t word = j * (shape.m + (shape.m * 8 / shape.n)) + i;
        ASSERT_EQ(result[word], EncodeTensorResult(test.is_float ? TensorType::kF32 : TensorType::kS32, false, sum))
            << i << " " << j;
      }
    }
  }

 private:
  static std::string Kernel(const WmmaCase& test) {
    const unsigned c = test.shape.m * test.shape.n / 32;
    const std::string_view c_type = test.is_float ? "f32" : "s32";
    const unsigned stride = test.shape.m + (test.shape.m * 8 / test.shape.n);
    return StrCat(Registers("a", test.a), Registers("b", test.b), Registers("c", c), Registers("d", c),
                  ".reg .b32 s; mov.u32 s, ", stride, "; wmma.load.a.sync.aligned.", test.a_layout, ".",
                  test.shape_name, ".global.", test.type, " ", Vector("a", test.a), ", [in]; ",
                  "wmma.load.b.sync.aligned.", test.b_layout, ".", test.shape_name, ".global.", test.type, " ",
                  Vector("b", test.b), ", [in + 4096]; ", "wmma.load.c.sync.aligned.row.", test.shape_name, ".global.",
                  c_type, " ", Vector("c", c), ", [in + 8192]; ", "wmma.mma", test.type == "b1" ? ".xor.popc" : "",
                  ".sync.aligned.", test.a_layout, ".", test.b_layout, ".", test.shape_name, ".", test.types, " ",
                  Vector("d", c), ", ", Vector("a", test.a), ", ", Vector("b", test.b), ", ", Vector("c", c),
                  "; wmma.store.d.sync.aligned.col.", test.shape_name, ".global.", c_type, " [out], ", Vector("d", c),
                  ", s;");
  }
};

TEST_F(WmmaTest, EqualsThePlainProduct) {
  static constexpr WmmaCase kCases[] = {
      {"m16n16k16", {16, 16, 16}, "row", "col", "f16", "f32.f32", 8, 8, true},
      {"m16n16k16", {16, 16, 16}, "col", "row", "f16", "f32.f32", 8, 8, true},
      {"m32n8k16", {32, 8, 16}, "row", "row", "f16", "f32.f32", 8, 8, true},
      {"m8n32k16", {8, 32, 16}, "col", "col", "f16", "f32.f32", 8, 8, true},
      {"m16n16k16", {16, 16, 16}, "row", "col", "s8", "s32.s8.s8.s32", 2, 2, false},
      {"m32n8k16", {32, 8, 16}, "col", "row", "u8", "s32.u8.u8.s32", 4, 1, false},
      {"m8n32k16", {8, 32, 16}, "row", "col", "s8", "s32.s8.s8.s32", 1, 4, false},
      {"m16n16k8", {16, 16, 8}, "row", "row", "tf32", "f32.tf32.tf32.f32", 4, 4, true},
      {"m8n8k32", {8, 8, 32}, "row", "col", "u4", "s32.u4.u4.s32", 1, 1, false},
      {"m8n8k128", {8, 8, 128}, "row", "col", "b1", "s32.b1.b1.s32", 1, 1, false},
  };
  for (const WmmaCase& test : kCases) {
    SCOPED_TRACE(StrCat(test.shape_name, " ", test.a_layout, " ", test.b_layout, " ", test.type));
    Run(test);
  }
}

// ---- ldmatrix and related instructions.

TEST(MatrixKernelTest, LoadGivesFragmentA) {
  // Shared memory holds a 16x16 matrix of 16-bit elements, row by row; element (r, c) is 16 r + c.
  std::vector<uint32_t> in(128);
  for (uint32_t i = 0; i < 128; ++i) in[i] = 2 * i | (2 * i + 1) << 16;
  const PtxResult result = RunPtx(R"(
    .reg .b32 r<4>; .reg .b32 at, row, half;
    .reg .b32 v<4>;
    mad.lo.u32 at, tid, 16, shared;
    mad.wide.u32 in, tid, 16, in;
    ld.global.v4.b32 {v0, v1, v2, v3}, [in];
    st.shared.v4.b32 [at], {v0, v1, v2, v3};
    bar.warp.sync -1;
    and.b32 row, tid, 15;
    shr.u32 half, tid, 4;
    mad.lo.u32 at, row, 32, shared;
    mad.lo.u32 at, half, 16, at;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [at];
    movmatrix.sync.aligned.m8n8.trans.b16 r3, r3;
    mad.wide.u32 out, tid, 16, out;
    st.global.v4.b32 [out], {r0, r1, r2, r3};)",
                                  {.in = in, .out_count = 128});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 6; ++i) {
      const TensorElement at = ElementOfA({16, 8, 16}, 2, lane, i / 2, i % 2);
      EXPECT_EQ(result[lane * 4 + i / 2] >> (16 * (i % 2)) & 0xffff, at.row * 16 + at.column) << lane << " " << i;
    }
    // The last matrix is transposed: rows and columns 8 to 15.
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(result[lane * 4 + 3] >> (16 * i) & 0xffff, (8 + lane % 4 * 2 + i) * 16 + 8 + lane / 4);
    }
  }
}

TEST(MatrixKernelTest, StoringTransposedTwiceIsAMove) {
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = 0x10001u * i + 0x8000;
  const PtxResult result = RunPtx(R"(
    .reg .b32 a, b, at;
    ld.global.b32 a, [pin];
    ld.global.b32 b, [pin + 128];
    mad.lo.u32 at, tid, 16, shared;
    stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [at], {a, b};
    bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {a, b}, [at];
    st.global.b32 [pout], a;
    st.global.b32 [pout + 128], b;)",
                                  {.in = in, .out_count = 64});
  ASSERT_FALSE(result.fault.is_fault()) << result.fault.ToString();
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(result[i], in[i]) << i;
}

}  // namespace
}  // namespace ptxmir::ptx
