// SPDX-License-Identifier: Apache-2.0

// Tensor cores: mma, mma.sp, wmma.
//
// PTX ISA, "Warp-Level Matrix Multiply-Accumulate Instructions". tensor.h describes the computation and which lane
// holds which element. This file moves elements between the registers of the warp, memory and TensorProduct. The
// instructions require all 32 lanes; the elements of a lane that has ended are undefined.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "ptx/interpreter/values/tensor.h"

namespace ptxmir::ptx {
namespace {

// ---- KernelParams: a is the shape, b the types of d, a, b, c, c the flags, d the scales.

struct TensorFlag {
  enum : uint32_t {
    kSaturate = 1,
    kExclusiveOr = 2,
    kSparse = 4,
    kInBytes = 8,  // narrow floats have a byte each
    kBlockScale = 16,
    kUE4M3Scale = 32,
    kARowMajor = 64,
    kBRowMajor = 128,
    kRoundingShift = 8,  // two bits: TensorRounding
  };
};

struct TensorTypes {
  TensorType d = TensorType::kNone;
  TensorType a = TensorType::kNone;
  TensorType b = TensorType::kNone;
  TensorType c = TensorType::kNone;
};

uint32_t PackShape(const TensorShape& shape) { return shape.m | shape.n << 8 | shape.k << 16; }
TensorShape ShapeOf(const DecodedInstr& instr) {
  return {instr.params.a & 0xff, instr.params.a >> 8 & 0xff, instr.params.a >> 16};
}
uint32_t PackTypes(const TensorTypes& types) {
  return static_cast<uint32_t>(types.d) | static_cast<uint32_t>(types.a) << 8 | static_cast<uint32_t>(types.b) << 16 |
         static_cast<uint32_t>(types.c) << 24;
}
TensorTypes TypesOf(const DecodedInstr& instr) {
  const auto type = [&](unsigned shift) { return static_cast<TensorType>(instr.params.b >> shift & 0xff); };
  return {type(0), type(8), type(16), type(24)};
}

// Returns how many elements of C or D a register holds.
unsigned PerRegisterOfC(TensorType type) { return type == TensorType::kF16 ? 2 : 1; }

// How the elements of a factor are packed into registers.
struct Packing {
  TensorField field;
  unsigned per_register = 1;
  Packing(TensorType type, bool in_bytes) : field(FieldOf(type, in_bytes)) {
    per_register = field.bits >= 32 ? 1 : 32 / field.bits;
  }
};

LaneValue ReadOrUndefined(const Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane,
                          LaneMask group) {
  return (group >> lane & 1) != 0 ? warp.Read(instr, operand, lane) : LaneValue{0, kAllBits};
}

// The operands of an mma: the numbers of their first registers.
struct OperandPlan {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned behind = 0;
};

// ---- Filling the product. The stored shape is that of A in registers: half as wide if A is sparse.

double DecodeAs(TensorType type, const TensorField& field, uint64_t value, unsigned i) {
  if (type == TensorType::kF64) return std::bit_cast<double>(value);
  return DecodeTensorElement(type, field, static_cast<uint32_t>(value >> (i * field.bits)));
}

bool IsUndefinedElement(TensorType type, const TensorField& field, uint64_t undefined, unsigned i) {
  if (type == TensorType::kF64) return undefined != 0;
  return (static_cast<uint32_t>(undefined >> (i * field.bits)) & field.mask) != 0;
}

// Gathers A with `shape.k` columns into `values`, row by row.
void GatherA(const Warp& warp, const DecodedInstr& instr, unsigned first, const TensorShape& shape, LaneMask group,
             TensorProduct* product, double* values) {
  const TensorType type = TypesOf(instr).a;
  const Packing packing(type, (instr.params.c & TensorFlag::kInBytes) != 0);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < RegistersOfA(shape, packing.per_register); ++reg) {
      const LaneValue value = ReadOrUndefined(warp, instr, first + reg, lane, group);
      for (unsigned i = 0; i < packing.per_register; ++i) {
        const TensorElement at = ElementOfA(shape, packing.per_register, lane, reg, i);
        values[at.row * shape.k + at.column] = DecodeAs(type, packing.field, value.value, i);
        if (value.undefined != 0 && IsUndefinedElement(type, packing.field, value.undefined, i)) {
          product->undefined_rows |= 1u << at.row;
        }
      }
    }
  }
}

void GatherB(const Warp& warp, const DecodedInstr& instr, unsigned first, LaneMask group, TensorProduct* product) {
  const TensorType type = TypesOf(instr).b;
  const TensorShape& shape = product->shape;
  const Packing packing(type, (instr.params.c & TensorFlag::kInBytes) != 0);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < RegistersOfB(shape, packing.per_register); ++reg) {
      const LaneValue value = ReadOrUndefined(warp, instr, first + reg, lane, group);
      for (unsigned i = 0; i < packing.per_register; ++i) {
        const TensorElement at = ElementOfB(shape, packing.per_register, lane, reg, i);
        product->b[at.row * shape.n + at.column] = DecodeAs(type, packing.field, value.value, i);
        if (value.undefined != 0 && IsUndefinedElement(type, packing.field, value.undefined, i)) {
          product->undefined_columns |= 1u << at.column;
        }
      }
    }
  }
}

// Gathers single bits. A register is a 32-bit word along k.
void GatherBits(const Warp& warp, const DecodedInstr& instr, const OperandPlan& plan, LaneMask group,
                TensorProduct* product) {
  const TensorShape& shape = product->shape;
  constexpr unsigned kPerRegister = 32;
  const unsigned words = shape.k / kPerRegister;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < RegistersOfA(shape, kPerRegister); ++reg) {
      const LaneValue value = ReadOrUndefined(warp, instr, plan.a + reg, lane, group);
      const TensorElement at = ElementOfA(shape, kPerRegister, lane, reg, 0);
      product->a_words[at.row * words + at.column / kPerRegister] = static_cast<uint32_t>(value.value);
      if (value.undefined != 0) product->undefined_rows |= 1u << at.row;
    }
    for (unsigned reg = 0; reg < RegistersOfB(shape, kPerRegister); ++reg) {
      const LaneValue value = ReadOrUndefined(warp, instr, plan.b + reg, lane, group);
      const TensorElement at = ElementOfB(shape, kPerRegister, lane, reg, 0);
      product->b_words[at.column * words + at.row / kPerRegister] = static_cast<uint32_t>(value.value);
      if (value.undefined != 0) product->undefined_columns |= 1u << at.column;
    }
  }
}

void GatherC(const Warp& warp, const DecodedInstr& instr, unsigned first, LaneMask group, TensorProduct* product) {
  const TensorType type = TypesOf(instr).c;
  const TensorShape& shape = product->shape;
  const TensorField field = FieldOf(type, false);
  const unsigned per_register = PerRegisterOfC(type);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned i = 0; i < ElementsOfC(shape); ++i) {
      const LaneValue value = ReadOrUndefined(warp, instr, first + i / per_register, lane, group);
      const TensorElement at = ElementOfC(shape, lane, i);
      const unsigned index = at.row * shape.n + at.column;
      product->c[index] = DecodeAs(type, field, value.value, i % per_register);
      product->undefined_c[index] =
          value.undefined != 0 && IsUndefinedElement(type, field, value.undefined, i % per_register);
    }
  }
}

LaneValue EncodeResult(TensorType type, bool saturate, double value, bool undefined) {
  if (type == TensorType::kF64) return {std::bit_cast<uint64_t>(value), undefined ? kAllBits : 0};
  const uint64_t bits = type == TensorType::kF16 ? 0xffffu : 0xffffffffu;
  return {EncodeTensorResult(type, saturate, value), undefined ? bits : 0};
}

void ScatterD(Warp& warp, const DecodedInstr& instr, LaneMask group, const TensorProduct& product) {
  const TensorType type = TypesOf(instr).d;
  const bool saturate = (instr.params.c & TensorFlag::kSaturate) != 0;
  const unsigned per_register = PerRegisterOfC(type);
  const TensorShape& shape = product.shape;
  ForEachLane(group, [&](unsigned lane) {
    for (unsigned reg = 0; reg < ElementsOfC(shape) / per_register; ++reg) {
      LaneValue packed;
      for (unsigned i = 0; i < per_register; ++i) {
        const TensorElement at = ElementOfC(shape, lane, reg * per_register + i);
        const LaneValue value =
            EncodeResult(type, saturate, product.c[at.row * shape.n + at.column], product.IsUndefined(at));
        packed.value |= value.value << (16 * i);
        packed.undefined |= value.undefined << (16 * i);
      }
      warp.Write(instr, reg, lane, packed);
    }
  });
}

// ---- Sparse A.

// Returns the metadata of a row. Each thread that holds metadata has 16 bits for each of two rows, g in the low half
// and g + 8 in the high half, for its part of the columns. One, two or four adjacent threads of a group hold
// metadata; the selector says which one or two.
LaneValue MetadataOf(const Warp& warp, const DecodedInstr& instr, unsigned first, unsigned row, unsigned part,
                     unsigned parts, unsigned selector, LaneMask group) {
  const unsigned lane = row % 8 * 4 + selector * parts % 4 + part;
  const LaneValue value = ReadOrUndefined(warp, instr, first, lane, group);
  const unsigned shift = row < 8 ? 0 : 16;
  return {value.value >> shift & 0xffff, value.undefined >> shift & 0xffff};
}

// Spreads stored elements over the rows of the whole matrix. Returns false for a bad selector.
bool GatherSparseA(Warp& warp, const DecodedInstr& instr, const OperandPlan& plan, LaneMask group,
                   TensorProduct* product) {
  constexpr unsigned kBitsOfThread = 16;
  const TensorShape& shape = product->shape;
  const TensorShape stored = {shape.m, shape.n, shape.k / 2};
  std::array<double, TensorProduct::kMaxA> values;
  GatherA(warp, instr, plan.a, stored, group, product, values.data());
  const SparseChunk chunk = SparseChunkOf(TypesOf(instr).a, (instr.params.c & TensorFlag::kInBytes) != 0);
  const unsigned chunks = shape.k / chunk.columns;
  const unsigned parts = std::max(1u, chunks * chunk.bits / kBitsOfThread);
  const unsigned lowest = FirstLane(group);
  uint64_t selector = 0;
  if (!warp.ReadDefined(instr, plan.behind + 1, lowest, &selector)) return false;
  if (selector * parts >= 4) {
    warp.Fail(instr, FaultKind::kTrap, lowest, StrCat("there is no sparsity selector ", selector));
    return false;
  }
  std::fill_n(product->a.begin(), shape.m * shape.k, 0.0);
  for (unsigned row = 0; row < shape.m; ++row) {
    for (unsigned i = 0; i < chunks; ++i) {
      const unsigned bit = i * chunk.bits;
      const LaneValue metadata =
          MetadataOf(warp, instr, plan.behind, row, bit / kBitsOfThread, parts, static_cast<unsigned>(selector), group);
      const uint32_t code = static_cast<uint32_t>(metadata.value >> bit % kBitsOfThread & 0xf);
      std::array<unsigned, 4> column{};
      if ((metadata.undefined >> bit % kBitsOfThread & 0xf) != 0 ||
          !DecodeSparseChunk(chunk, code, absl::MakeSpan(column))) {
        product->undefined_rows |= 1u << row;
        continue;
      }
      for (unsigned j = 0; j < chunk.stored; ++j) {
        product->a[row * shape.k + i * chunk.columns + column[j]] = values[row * stored.k + i * chunk.stored + j];
      }
    }
  }
  return true;
}

// ---- Block scales. PTX ISA, "Block Scaling for mma.sync". params.d: scales along k.

// Returns one scale. NaN encodings become NaN.
double DecodeScale(const DecodedInstr& instr, uint32_t bits) {
  return (instr.params.c & TensorFlag::kUE4M3Scale) != 0 ? DecodeFloat(kUE4M3Format, bits & 0x7f) : DecodeUE8M0(bits);
}

// Returns the four bytes from byte `byte` of a lane's scales.
LaneValue ReadScales(const Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, unsigned byte,
                     LaneMask group) {
  const LaneValue value = ReadOrUndefined(warp, instr, operand, lane, group);
  return {(value.value & 0xffffffffu) >> (8 * byte), (value.undefined & 0xffffffffu) >> (8 * byte)};
}

// Applies the scales. Operands: the scales of A with their byte and thread, then the same for B. Two adjacent
// threads of a group hold the scales of rows g and g + 8 of A, and one those of column g of B.
bool ScaleBlocks(Warp& warp, const DecodedInstr& instr, unsigned first, LaneMask group, TensorProduct* product) {
  const unsigned count = instr.params.d;
  const TensorShape& shape = product->shape;
  const unsigned lowest = FirstLane(group);
  std::array<uint64_t, 4> selectors{};
  for (unsigned i = 0; i < 4; ++i) {
    if (!warp.ReadDefined(instr, first + (i < 2 ? 1 : 2) + i, lowest, &selectors[i])) return false;
  }
  const auto [byte_a, thread_a, byte_b, thread_b] = selectors;
  if (byte_a + count > 4 || byte_b + count > 4 || thread_a > 1 || thread_b > 3) {
    warp.Fail(instr, FaultKind::kTrap, lowest, "a selector of scales is out of range");
    return false;
  }
  const uint64_t used = count == 4 ? 0xffffffffu : (uint64_t{1} << (8 * count)) - 1;
  for (unsigned row = 0; row < shape.m; ++row) {
    const unsigned lane = row % 8 * 4 + static_cast<unsigned>(thread_a) * 2 + row / 8;
    const LaneValue scales = ReadScales(warp, instr, first, lane, static_cast<unsigned>(byte_a), group);
    if ((scales.undefined & used) != 0) product->undefined_rows |= 1u << row;
    for (unsigned k = 0; k < shape.k; ++k) {
      const unsigned block = k * count / shape.k;
      product->a[row * shape.k + k] *= DecodeScale(instr, scales.value >> (8 * block) & 0xff);
    }
  }
  for (unsigned column = 0; column < shape.n; ++column) {
    const unsigned lane = column * 4 + static_cast<unsigned>(thread_b);
    const LaneValue scales = ReadScales(warp, instr, first + 3, lane, static_cast<unsigned>(byte_b), group);
    if ((scales.undefined & used) != 0) product->undefined_columns |= 1u << column;
    for (unsigned k = 0; k < shape.k; ++k) {
      const unsigned block = k * count / shape.k;
      product->b[k * shape.n + column] *= DecodeScale(instr, scales.value >> (8 * block) & 0xff);
    }
  }
  return true;
}

// ---- mma and wmma.mma.

OperandPlan PlanOperands(const DecodedInstr& instr) {
  const TensorShape shape = ShapeOf(instr);
  const TensorTypes types = TypesOf(instr);
  const uint32_t flags = instr.params.c;
  const bool in_bytes = (flags & TensorFlag::kInBytes) != 0;
  TensorShape stored = shape;
  if ((flags & TensorFlag::kSparse) != 0) stored.k /= 2;
  OperandPlan plan;
  plan.a = instr.num_results;
  plan.b = plan.a + RegistersOfA(stored, Packing(types.a, in_bytes).per_register);
  plan.c = plan.b + RegistersOfB(shape, Packing(types.b, in_bytes).per_register);
  plan.behind = plan.c + ElementsOfC(shape) / PerRegisterOfC(types.c);
  return plan;
}

bool MultiplyGroup(Warp& warp, const DecodedInstr& instr, const OperandPlan& plan, LaneMask group) {
  const TensorShape shape = ShapeOf(instr);
  const uint32_t flags = instr.params.c;
  TensorProduct product(shape);
  GatherC(warp, instr, plan.c, group, &product);
  if (TypesOf(instr).a == TensorType::kB1) {
    GatherBits(warp, instr, plan, group, &product);
    product.MultiplyBits((flags & TensorFlag::kExclusiveOr) != 0);
    ScatterD(warp, instr, group, product);
    return true;
  }
  GatherB(warp, instr, plan.b, group, &product);
  unsigned behind = plan.behind;
  if ((flags & TensorFlag::kSparse) != 0) {
    if (!GatherSparseA(warp, instr, plan, group, &product)) return false;
    behind += 2;
  } else {
    GatherA(warp, instr, plan.a, shape, group, &product, product.a.data());
  }
  if ((flags & TensorFlag::kBlockScale) != 0 && !ScaleBlocks(warp, instr, behind, group, &product)) return false;
  if (TypesOf(instr).a == TensorType::kF64) {
    product.MultiplyF64(static_cast<TensorRounding>(flags >> TensorFlag::kRoundingShift & 3));
  } else {
    product.Multiply();
  }
  ScatterD(warp, instr, group, product);
  return true;
}

StepResult RunMma(Warp& warp, const DecodedInstr& instr) {
  const OperandPlan plan = PlanOperands(instr);
  return ForEachGroup(warp, instr, [&](LaneMask group) { return MultiplyGroup(warp, instr, plan, group); });
}

// Runs wmma.mma. The fragments of wmma may have more registers than PlanOperands counts.
StepResult RunWmma(Warp& warp, const DecodedInstr& instr) {
  OperandPlan plan;
  plan.a = instr.num_results;
  plan.b = plan.a + (instr.params.d & 0xff);
  plan.c = plan.b + (instr.params.d >> 8 & 0xff);
  return ForEachGroup(warp, instr, [&](LaneMask group) { return MultiplyGroup(warp, instr, plan, group); });
}

// ---- mma.m8n8k4 with f16: four products.

void GatherQuadPair(const Warp& warp, const DecodedInstr& instr, unsigned pair, LaneMask group,
                    TensorProduct* product) {
  constexpr unsigned kRegisters = 2;
  const TensorField half = FieldOf(TensorType::kF16, false);
  const TensorType c_type = TypesOf(instr).c;
  const TensorField c_field = FieldOf(c_type, false);
  const unsigned a = instr.num_results;
  const unsigned b = a + kRegisters;
  const unsigned c = b + kRegisters;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (QuadPairOf(lane) != pair) continue;
    for (unsigned i = 0; i < 2 * kRegisters; ++i) {
      const LaneValue x = ReadOrUndefined(warp, instr, a + i / 2, lane, group);
      const TensorElement x_at = QuadPairElementOfA((instr.params.c & TensorFlag::kARowMajor) != 0, lane, i);
      product->a[x_at.row * 4 + x_at.column] = DecodeAs(TensorType::kF16, half, x.value, i % 2);
      if (IsUndefinedElement(TensorType::kF16, half, x.undefined, i % 2)) product->undefined_rows |= 1u << x_at.row;
      const LaneValue y = ReadOrUndefined(warp, instr, b + i / 2, lane, group);
      const TensorElement y_at = QuadPairElementOfB((instr.params.c & TensorFlag::kBRowMajor) != 0, lane, i);
      product->b[y_at.row * 8 + y_at.column] = DecodeAs(TensorType::kF16, half, y.value, i % 2);
      if (IsUndefinedElement(TensorType::kF16, half, y.undefined, i % 2)) {
        product->undefined_columns |= 1u << y_at.column;
      }
    }
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned per_register = PerRegisterOfC(c_type);
      const LaneValue z = ReadOrUndefined(warp, instr, c + i / per_register, lane, group);
      const TensorElement at = QuadPairElementOfC(c_type == TensorType::kF32, lane, i);
      product->c[at.row * 8 + at.column] = DecodeAs(c_type, c_field, z.value, i % per_register);
      product->undefined_c[at.row * 8 + at.column] = IsUndefinedElement(c_type, c_field, z.undefined, i % per_register);
    }
  }
}

void ScatterQuadPair(Warp& warp, const DecodedInstr& instr, unsigned pair, LaneMask group,
                     const TensorProduct& product) {
  const TensorType type = TypesOf(instr).d;
  const unsigned per_register = PerRegisterOfC(type);
  ForEachLane(group, [&](unsigned lane) {
    if (QuadPairOf(lane) != pair) return;
    for (unsigned reg = 0; reg < 8 / per_register; ++reg) {
      LaneValue packed;
      for (unsigned i = 0; i < per_register; ++i) {
        const TensorElement at = QuadPairElementOfC(type == TensorType::kF32, lane, reg * per_register + i);
        const LaneValue value = EncodeResult(type, false, product.c[at.row * 8 + at.column], product.IsUndefined(at));
        packed.value |= value.value << (16 * i);
        packed.undefined |= value.undefined << (16 * i);
      }
      warp.Write(instr, reg, lane, packed);
    }
  });
}

StepResult RunQuadPairs(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) {
    for (unsigned pair = 0; pair < 4; ++pair) {
      TensorProduct product({8, 8, 4});
      GatherQuadPair(warp, instr, pair, group, &product);
      product.Multiply();
      ScatterQuadPair(warp, instr, pair, group, product);
    }
    return true;
  });
}

// ---- wmma.load and wmma.store. params.b: the type in `d`, the fragment in `a`; params.c: flags; params.d:
// MemorySpace.

enum class FragmentKind : uint8_t { kA, kB, kC };
struct FragmentFlag {
  enum : uint32_t { kRowMajor = 1, kHasStride = 2 };
};

// A fragment in memory: the places of the elements of each register.
struct FragmentInMemory {
  TensorShape shape;
  TensorType type;
  FragmentKind kind;
  bool row_major;
  unsigned bits;  // of an element
  unsigned per_register;
  unsigned registers;  // not counting repetitions
  uint64_t stride = 0;

  explicit FragmentInMemory(const DecodedInstr& instr)
      : shape(ShapeOf(instr)),
        type(static_cast<TensorType>(instr.params.b & 0xff)),
        kind(static_cast<FragmentKind>(instr.params.b >> 8 & 0xff)),
        row_major((instr.params.c & FragmentFlag::kRowMajor) != 0),
        bits(TensorTypeBits(type)),
        per_register(bits >= 32 ? 1 : 32 / bits) {
    if (kind == FragmentKind::kC) {
      registers = ElementsOfC(shape) / per_register;
    } else {
      registers = kind == FragmentKind::kA ? RegistersOfA(shape, per_register) : RegistersOfB(shape, per_register);
    }
    const unsigned rows = kind == FragmentKind::kB ? shape.k : shape.m;
    const unsigned columns = kind == FragmentKind::kA ? shape.k : shape.n;
    stride = row_major ? columns : rows;
  }
  uint64_t IndexOf(unsigned lane, unsigned reg, unsigned i) const {
    TensorElement at;
    switch (kind) {
      case FragmentKind::kA:
        at = ElementOfA(shape, per_register, lane, reg, i);
        break;
      case FragmentKind::kB:
        at = ElementOfB(shape, per_register, lane, reg, i);
        break;
      case FragmentKind::kC:
        at = ElementOfC(shape, lane, reg * per_register + i);
        break;
    }
    return row_major ? at.row * stride + at.column : at.column * stride + at.row;
  }
  // Elements of less than a byte are accessed one register at a time, because they are contiguous along k in memory
  // too.
  unsigned AccessBytes() const { return bits < 8 ? 4 : bits / 8; }
  unsigned Accesses() const { return bits < 8 ? 1 : per_register; }
};

bool ReadPlace(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane, uint64_t* address,
               FragmentInMemory* fragment) {
  if (!warp.ReadAddress(instr, operand, lane, address)) return false;
  if ((instr.params.c & FragmentFlag::kHasStride) == 0) return true;
  uint64_t stride = 0;
  if (!warp.ReadDefined(instr, instr.num_operands - 1u, lane, &stride)) return false;
  fragment->stride = stride & 0xffffffffu;
  return true;
}

bool LoadFragmentLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  FragmentInMemory fragment(instr);
  uint64_t address = 0;
  if (!ReadPlace(warp, instr, instr.num_results, lane, &address, &fragment)) return false;
  const unsigned bytes = fragment.AccessBytes();
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    LaneValue packed;
    for (unsigned i = 0; i < fragment.Accesses(); ++i) {
      LaneValue value;
      if (!warp.Load(instr, static_cast<MemorySpace>(instr.params.d),
                     address + fragment.IndexOf(lane, reg, i) * fragment.bits / 8, bytes, lane, AccessKind::kPlain,
                     reinterpret_cast<uint8_t*>(&value.value), reinterpret_cast<uint8_t*>(&value.undefined))) {
        return false;
      }
      packed.value |= value.value << (i * bytes * 8);
      packed.undefined |= value.undefined << (i * bytes * 8);
    }
    for (unsigned copy = reg; copy < instr.num_results; copy += fragment.registers) {
      warp.Write(instr, copy, lane, packed);
    }
  }
  return true;
}

bool StoreFragmentLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  FragmentInMemory fragment(instr);
  uint64_t address = 0;
  if (!ReadPlace(warp, instr, 0, lane, &address, &fragment)) return false;
  const unsigned bytes = fragment.AccessBytes();
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    const LaneValue packed = warp.Read(instr, 1 + reg, lane);
    for (unsigned i = 0; i < fragment.Accesses(); ++i) {
      const LaneValue value = {packed.value >> (i * bytes * 8), packed.undefined >> (i * bytes * 8)};
      if (!warp.Store(instr, static_cast<MemorySpace>(instr.params.d),
                      address + fragment.IndexOf(lane, reg, i) * fragment.bits / 8, bytes, lane, AccessKind::kPlain,
                      reinterpret_cast<const uint8_t*>(&value.value),
                      reinterpret_cast<const uint8_t*>(&value.undefined))) {
        return false;
      }
    }
  }
  return true;
}

template <auto kLaneFunction>
StepResult RunFragment(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) {
    bool ok = true;
    ForEachLane(group, [&](unsigned lane) { ok = ok && kLaneFunction(warp, instr, lane); });
    warp.OrderLanes(group);
    return ok;
  });
}

// ---- Resolvers.

// Parses "m16n8k16".
std::optional<TensorShape> ParseShape(std::string_view text) {
  TensorShape shape;
  unsigned* const fields[] = {&shape.m, &shape.n, &shape.k};
  constexpr std::string_view kLetters = "mnk";
  for (size_t i = 0; i < 3; ++i) {
    if (text.empty() || text[0] != kLetters[i]) return std::nullopt;
    text.remove_prefix(1);
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      *fields[i] = *fields[i] * 10 + static_cast<unsigned>(text[0] - '0');
      text.remove_prefix(1);
    }
    if (*fields[i] == 0 || *fields[i] > 256) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return shape;
}

std::optional<TensorShape> FindShape(const Mnemonic& mnemonic) {
  for (std::string_view part : mnemonic.parts()) {
    if (const std::optional<TensorShape> shape = ParseShape(part)) return shape;
  }
  return std::nullopt;
}

// Finds the types in the order d, a, b, c, or only d and c if a and b are f16.
std::optional<TensorTypes> FindTypes(const Mnemonic& mnemonic) {
  std::vector<TensorType> found;
  for (std::string_view part : mnemonic.parts()) {
    if (const std::optional<TensorType> type = FindTensorType(part)) found.push_back(*type);
  }
  if (found.size() == 4) return TensorTypes{found[0], found[1], found[2], found[3]};
  if (found.size() == 2) return TensorTypes{found[0], TensorType::kF16, TensorType::kF16, found[1]};
  return std::nullopt;
}

uint32_t RoundingFlags(const Mnemonic& mnemonic) {
  TensorRounding rounding = TensorRounding::kNearest;
  if (mnemonic.Has("rz")) rounding = TensorRounding::kZero;
  if (mnemonic.Has("rm")) rounding = TensorRounding::kDown;
  if (mnemonic.Has("rp")) rounding = TensorRounding::kUp;
  return static_cast<uint32_t>(rounding) << TensorFlag::kRoundingShift;
}

bool FitsProduct(const TensorShape& shape, const TensorTypes& types) {
  if (shape.m % 8 != 0 || shape.n % 8 != 0 || shape.m * shape.n > TensorProduct::kMaxC) return false;
  if (types.a == TensorType::kB1) {
    return types.b == TensorType::kB1 && shape.k % 128 == 0 && shape.m * shape.k / 32 <= TensorProduct::kMaxWords &&
           shape.n * shape.k / 32 <= TensorProduct::kMaxWords;
  }
  return shape.k % 4 == 0 && shape.m * shape.k <= TensorProduct::kMaxA && shape.n * shape.k <= TensorProduct::kMaxB;
}

bool ResolveScales(const Mnemonic& mnemonic, Semantics* semantics) {
  if (!mnemonic.Has("block_scale")) return true;
  semantics->params.c |= TensorFlag::kBlockScale;
  if (mnemonic.Has("ue4m3")) semantics->params.c |= TensorFlag::kUE4M3Scale;
  // The default of .kind, without .scale_vec.
  unsigned count = mnemonic.Has("kind::mxf8f6f4") ? 1 : mnemonic.Has("kind::mxf4") ? 2 : 0;
  if (mnemonic.Has("scale_vec::1X")) count = 1;
  if (mnemonic.Has("scale_vec::2X")) count = 2;
  if (mnemonic.Has("scale_vec::4X")) count = 4;
  semantics->params.d = count;
  return count != 0;
}

bool ResolveMultiply(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::optional<TensorShape> shape = FindShape(mnemonic);
  const std::optional<TensorTypes> types = FindTypes(mnemonic);
  if (!shape || !types || !FitsProduct(*shape, *types)) return false;
  uint32_t flags = RoundingFlags(mnemonic);
  if (mnemonic.Has("satfinite")) flags |= TensorFlag::kSaturate;
  if (mnemonic.Has("xor")) flags |= TensorFlag::kExclusiveOr;
  if (mnemonic.Has("kind::f8f6f4") || mnemonic.Has("kind::mxf8f6f4")) flags |= TensorFlag::kInBytes;
  const auto fits = [flags](TensorType type) {
    return TensorTypeBits(type) != 6 || (flags & TensorFlag::kInBytes) != 0;
  };
  if (!fits(types->a) || !fits(types->b)) return false;
  if (mnemonic.Has("sp") || mnemonic.Has("sp::ordered_metadata")) flags |= TensorFlag::kSparse;
  semantics->category = InstrCategory::kTensor;
  semantics->params = {PackShape(*shape), PackTypes(*types), flags, 0};
  return true;
}

// Operands: d, a, b, c, then metadata and selector, then the scales and selectors of a and b.
bool ResolveMma(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (!mnemonic.Has("sync") || !ResolveMultiply(statement, semantics)) return false;
  if (!ResolveScales(mnemonic, semantics)) return false;
  const std::optional<TensorTypes> types = FindTypes(mnemonic);
  const std::optional<TensorShape> shape = FindShape(mnemonic);
  if (types->a == TensorType::kF16 && shape->k == 4) {
    // The layouts of a and b are the parts after the shape.
    const auto& parts = mnemonic.parts();
    const auto layout =
        std::find_if(parts.begin(), parts.end(), [](std::string_view p) { return p == "row" || p == "col"; });
    if (parts.end() - layout < 2) return false;
    if (layout[0] == "row") semantics->params.c |= TensorFlag::kARowMajor;
    if (layout[1] == "row") semantics->params.c |= TensorFlag::kBRowMajor;
    semantics->warp = &RunQuadPairs;
    return statement.operands.size() == 4 + 8 / PerRegisterOfC(types->c) + 8 / PerRegisterOfC(types->d);
  }
  DecodedInstr instr;
  instr.params = semantics->params;
  instr.num_results = static_cast<uint8_t>(ElementsOfC(*shape) / PerRegisterOfC(types->d));
  unsigned operands = PlanOperands(instr).behind;
  if ((semantics->params.c & TensorFlag::kSparse) != 0) operands += 2;
  if ((semantics->params.c & TensorFlag::kBlockScale) != 0) operands += 6;
  semantics->warp = &RunMma;
  return statement.operands.size() == operands;
}

// Returns the number of registers in an operand.
unsigned RegistersInGroup(const Statement& statement, unsigned group) {
  return static_cast<unsigned>(
      std::count_if(statement.operands.begin(), statement.operands.end(),
                    [group](const StatementOperand& operand) { return operand.group == group; }));
}

bool ResolveFragment(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::optional<TensorShape> shape = FindShape(mnemonic);
  const std::optional<TensorType> type = FindTensorType(mnemonic.Last());
  if (!shape || !type || mnemonic.parts().size() < 2) return false;
  const bool load = mnemonic.parts()[0] == "load";
  const std::string_view name = mnemonic.parts()[1];
  const FragmentKind kind = name == "a" ? FragmentKind::kA : name == "b" ? FragmentKind::kB : FragmentKind::kC;
  const bool row_major = mnemonic.Has("row");
  // Sub-byte elements must be contiguous along k.
  if (TensorTypeBits(*type) < 8 && row_major != (kind == FragmentKind::kA)) return false;
  MemorySpace space = MemorySpace::kGeneric;
  if (mnemonic.Has("global")) space = MemorySpace::kGlobal;
  if (mnemonic.Has("shared") || mnemonic.Has("shared::cta")) space = MemorySpace::kShared;
  semantics->category = InstrCategory::kTensor;
  semantics->warp = load ? &RunFragment<&LoadFragmentLane> : &RunFragment<&StoreFragmentLane>;
  semantics->params.a = PackShape(*shape);
  semantics->params.b = static_cast<uint32_t>(*type) | static_cast<uint32_t>(kind) << 8;
  semantics->params.c = row_major ? uint32_t{FragmentFlag::kRowMajor} : 0;
  if (statement.num_groups() == 3) semantics->params.c |= FragmentFlag::kHasStride;
  semantics->params.d = static_cast<uint32_t>(space);
  DecodedInstr instr;
  instr.params = semantics->params;
  const unsigned registers = FragmentInMemory(instr).registers;
  return registers != 0 && RegistersInGroup(statement, load ? 0 : 1) % registers == 0;
}

bool ResolveWmma(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.parts().empty() || !mnemonic.Has("sync")) return false;
  if (mnemonic.parts()[0] != "mma") return ResolveFragment(statement, semantics);
  if (!ResolveMultiply(statement, semantics) || statement.num_groups() != 4) return false;
  semantics->warp = &RunWmma;
  semantics->params.d = RegistersInGroup(statement, 1) | RegistersInGroup(statement, 2) << 8;
  return true;
}

}  // namespace

absl::Span<const ResolverEntry> TensorResolvers() {
  static constexpr ResolverEntry kEntries[] = {{"mma", &ResolveMma}, {"wmma", &ResolveWmma}};
  return kEntries;
}

}  // namespace ptxmir::ptx
