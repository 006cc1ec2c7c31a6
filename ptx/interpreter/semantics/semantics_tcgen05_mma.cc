// SPDX-License-Identifier: Apache-2.0

// tcgen05.mma: D = A * B (+ D), with D in tensor memory, A there or in shared memory, B in shared memory.
//
// PTX ISA, "TensorCore 5th Generation Matrix Multiply and accumulate Operations". Elements are computed as tensor.h
// says: products are exact, summed in double precision and rounded once per instruction. The lane and column of an
// element of D are the ISA's "Data Path Layout Organization", whose figures are the layouts of tmem_frg in NVIDIA's
// CUTLASS (cute/atom/mma_traits_sm100.hpp). In a pair, each CTA holds half of the rows of A and D and half of the
// columns of B.
//
// Block scales are laid out as tcgen05.cp.32x128b.warpx4 writes them: the scale of row r is in lane r % 32,
// column r / 32, in byte k for step k. The four copies must be equal; otherwise the row is undefined.
//
// Without semantics: .sp, whose metadata layout the ISA shows only in figures, and .ashift. A in tensor memory is
// not supported if D is folded (weight-stationary products of 32 and 64 rows, pairs with 128 rows).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/memory/shared_matrix.h"
#include "ptx/interpreter/memory/tensor_memory.h"
#include "ptx/interpreter/semantics/tensor_factor.h"
#include "ptx/interpreter/values/float_arithmetic.h"
#include "ptx/interpreter/values/tensor.h"

namespace ptxmir::ptx {
namespace {

using AccessType = TensorMemory::AccessType;

enum class ProductKind : uint8_t { kF16, kTF32, kF8F6F4, kI8, kMxF8F6F4, kMxF4, kMxF4NvF4 };

// KernelParams: a is the ProductKind with these flags, b the scales along k, c the number of CTAs, d the words of
// the lane mask.
struct ProductFlag {
  enum : uint32_t {
    kAInTensorMemory = 1 << 8,
    kWeightStationary = 1 << 9,
    kScaleD = 1 << 10,
    kZeroColumns = 1 << 11,
  };
};
bool HasFlag(const DecodedInstr& instr, uint32_t flag) { return (instr.params.a & flag) != 0; }

// The contents of the instruction descriptor. PTX ISA, "Instruction Descriptor".
struct ProductPlan {
  ProductKind kind = ProductKind::kF16;
  TensorShape shape;
  TensorType a = TensorType::kNone;
  TensorType b = TensorType::kNone;
  TensorType d = TensorType::kF32;
  bool negates_a = false;
  bool negates_b = false;
  bool transposes_a = false;
  bool transposes_b = false;
  bool saturates = false;
  bool is_weight_stationary = false;
  unsigned ctas = 1;
  // For block scales.
  unsigned scales = 0;  // along k; 0: none
  unsigned scale_a_byte = 0;
  unsigned scale_b_byte = 0;
  bool scales_are_ue8m0 = true;
  unsigned max_column_shift = 0;

  bool HasPadding(TensorType type) const {
    return (kind == ProductKind::kF8F6F4 || kind == ProductKind::kMxF8F6F4) && TensorTypeBits(type) < 8;
  }
  // Returns how many copies of each datapath the columns of D are spread over.
  unsigned folds() const {
    if (is_weight_stationary) return TensorMemory::kLanes / shape.m;
    return ctas == 2 && shape.m == 128 ? 2 : 1;
  }
  unsigned columns_of_d() const { return shape.n / folds(); }
  unsigned rows_of_cta() const { return shape.m / ctas; }
  // Returns the CTA of the pair, and the lane and column relative to D's address, of an element of D.
  TensorPlace PlaceOfD(unsigned row, unsigned column, unsigned* cta) const {
    *cta = row / rows_of_cta();
    return {.lane = LaneOfRow(row) + column / columns_of_d() * rows_of_cta(), .column = column % columns_of_d()};
  }
  unsigned LaneOfRow(unsigned row) const {
    row %= rows_of_cta();
    const bool is_half = rows_of_cta() == 64 && folds() == 1;
    return is_half ? row / 16 * 32 + row % 16 : row;
  }
};

TensorType TypeOfCode(ProductKind kind, unsigned code) {
  constexpr TensorType kNone = TensorType::kNone;
  static constexpr TensorType kHalves[8] = {TensorType::kF16, TensorType::kBF16};
  static constexpr TensorType kBytes[8] = {TensorType::kU8, TensorType::kS8};
  static constexpr TensorType kNarrow[8] = {TensorType::kE4M3, TensorType::kE5M2, kNone,
                                            TensorType::kE2M3, TensorType::kE3M2, TensorType::kE2M1};
  switch (kind) {
    case ProductKind::kF16:
      return kHalves[code];
    case ProductKind::kTF32:
      return code == 2 ? TensorType::kTF32 : kNone;
    case ProductKind::kI8:
      return kBytes[code];
    case ProductKind::kF8F6F4:
    case ProductKind::kMxF8F6F4:
      return kNarrow[code];
    case ProductKind::kMxF4:
    case ProductKind::kMxF4NvF4:
      return code == 1 ? TensorType::kE2M1 : kNone;
  }
  return kNone;
}

// Returns the number of elements along k: as many as 32 bytes hold, including padding.
unsigned DepthOf(ProductKind kind) {
  switch (kind) {
    case ProductKind::kF16:
      return 16;
    case ProductKind::kTF32:
      return 8;
    case ProductKind::kF8F6F4:
    case ProductKind::kI8:
    case ProductKind::kMxF8F6F4:
      return 32;
    case ProductKind::kMxF4:
    case ProductKind::kMxF4NvF4:
      return 64;
  }
  return 0;
}

bool IsShapeValid(const ProductPlan& plan) {
  const auto [m, n, k] = plan.shape;
  if (n == 0 || n > 256) return false;
  if (plan.is_weight_stationary) return (m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || n == 256);
  if (plan.ctas == 2) return (m == 128 || m == 256) && n % 16 == 0;
  return (m == 64 && n % 8 == 0) || (m == 128 && n % 8 == 0);
}

// Decodes a descriptor. Returns nullopt if it does not fit the instruction.
std::optional<ProductPlan> PlanProduct(const DecodedInstr& instr, uint32_t descriptor) {
  ProductPlan plan;
  plan.kind = static_cast<ProductKind>(instr.params.a & 0xff);
  plan.ctas = instr.params.c;
  plan.scales = instr.params.b;
  plan.is_weight_stationary = HasFlag(instr, ProductFlag::kWeightStationary);
  plan.shape = {(descriptor >> 24 & 0x1f) * 16, (descriptor >> 17 & 0x3f) * 8, DepthOf(plan.kind)};
  plan.a = TypeOfCode(plan.kind, descriptor >> 7 & 7);
  plan.b = TypeOfCode(plan.kind, descriptor >> 10 & 7);
  plan.negates_a = (descriptor >> 13 & 1) != 0;
  plan.negates_b = (descriptor >> 14 & 1) != 0;
  plan.transposes_a = (descriptor >> 15 & 1) != 0;
  plan.transposes_b = (descriptor >> 16 & 1) != 0;
  if ((descriptor >> 2 & 1) != 0 || plan.a == TensorType::kNone || plan.b == TensorType::kNone) return std::nullopt;
  if (plan.scales != 0) {
    plan.scale_b_byte = descriptor >> 4 & 3;
    plan.scale_a_byte = descriptor >> 29 & 3;
    plan.scales_are_ue8m0 = (descriptor >> 23 & 1) != 0;
    if (std::max(plan.scale_a_byte, plan.scale_b_byte) + plan.scales > 4) return std::nullopt;
  } else {
    const unsigned d = descriptor >> 4 & 3;
    const bool is_integer = plan.kind == ProductKind::kI8;
    if (is_integer ? d != 2 : d > 1 || (d == 0 && plan.kind == ProductKind::kTF32)) return std::nullopt;
    plan.d = is_integer ? TensorType::kS32 : d == 0 ? TensorType::kF16 : TensorType::kF32;
    plan.saturates = is_integer && (descriptor >> 3 & 1) != 0;
    const unsigned shift = descriptor >> 30;
    plan.max_column_shift = shift == 0 ? 0 : 4u << shift;
  }
  if (!IsShapeValid(plan)) return std::nullopt;
  // Only elements of at least a byte can be contiguous along m or n.
  const bool has_nibbles = plan.kind == ProductKind::kMxF4 || plan.kind == ProductKind::kMxF4NvF4;
  if (has_nibbles && (plan.transposes_a || plan.transposes_b)) return std::nullopt;
  return plan;
}

// ---- Zero columns. PTX ISA, "Zero-Column Mask Descriptor": spans of columns that are used and spans that are zero
// alternate. Each part of the datapath has its own mask.

struct ZeroColumns {
  uint64_t descriptor = 0;
  unsigned columns = 0;  // of a mask

  unsigned shift() const { return static_cast<unsigned>(descriptor >> 56 & 0x3f); }
  bool IsZero(unsigned column) const {
    if ((descriptor >> 39 & 1) == 0) return false;
    const unsigned mask = column / columns;
    const unsigned zero = static_cast<unsigned>(descriptor >> 40 & 0xff) + 1;
    const unsigned used = static_cast<unsigned>(descriptor >> 48 & 0xff) + 1;
    const unsigned skipped = static_cast<unsigned>(descriptor >> (8 * mask) & 0xff);
    const bool begins_with_zero = (descriptor >> (32 + mask) & 1) != 0;
    const unsigned at = (column % columns + skipped) % (zero + used);
    return begins_with_zero ? at < zero : at >= used;
  }
};

// ---- Gathering. Factors are rows of k elements; B is transposed.

// Returns the CTAs of the product, the one with the even rank first.
std::array<Cta*, 2> CtasOf(const ProductPlan& plan, Cta& cta) {
  if (plan.ctas == 1) return {&cta, &cta};
  Cta* const peer = PeerOf(cta);
  return cta.rank() % 2 == 0 ? std::array<Cta*, 2>{&cta, peer} : std::array<Cta*, 2>{peer, &cta};
}

// Gathers a row of A in tensor memory: words along the columns, fields in bytes.
void GatherTensorRow(TensorMemory& memory, TensorType type, unsigned depth, unsigned lane, unsigned column, double* row,
                     bool* undefined) {
  const bool in_bytes = depth == 32;
  const TensorField field = FieldOf(type, in_bytes);
  const unsigned per_word = 32 / field.bits;
  for (unsigned k = 0; k < depth; ++k) {
    const TensorMemory::Word& word = memory.At(lane, column + k / per_word);
    const unsigned shift = k % per_word * field.bits;
    row[k] = DecodeTensorElement(type, field, word.value >> shift);
    if ((word.undefined >> shift & field.mask) != 0) *undefined = true;
  }
}

bool GatherA(Warp& warp, unsigned lane, const TensorOperation& operation, const ProductPlan& plan,
             TensorFactor* factor) {
  const DecodedInstr& instr = *operation.instr;
  const std::array<Cta*, 2> ctas = CtasOf(plan, *operation.cta);
  if (HasFlag(instr, ProductFlag::kAInTensorMemory)) {
    const unsigned first_lane = static_cast<unsigned>(operation.a >> 16 & 0xffff);
    for (unsigned row = 0; row < plan.shape.m; ++row) {
      bool undefined = false;
      GatherTensorRow(ctas[row / plan.rows_of_cta()]->tensor_memory(), plan.a, plan.shape.k,
                      first_lane + plan.LaneOfRow(row), operation.a & 0xffff,
                      &factor->values[size_t{row} * plan.shape.k], &undefined);
      factor->undefined[row] = undefined;
    }
    return true;
  }
  const std::optional<SharedMatrix> matrix = DecodeTcgen05Descriptor(operation.a);
  for (unsigned i = 0; i < plan.ctas; ++i) {
    const TensorFactorPart part = {.type = plan.a,
                                   .is_padded = plan.HasPadding(plan.a),
                                   .along_k = !plan.transposes_a,
                                   .first_row = i * plan.rows_of_cta(),
                                   .rows = plan.rows_of_cta(),
                                   .depth = plan.shape.k};
    if (!GatherFactor(warp, instr, lane, *ctas[i], *matrix, part, factor)) return false;
  }
  return true;
}

bool GatherB(Warp& warp, unsigned lane, const TensorOperation& operation, const ProductPlan& plan,
             TensorFactor* factor) {
  const DecodedInstr& instr = *operation.instr;
  const std::array<Cta*, 2> ctas = CtasOf(plan, *operation.cta);
  const std::optional<SharedMatrix> matrix = DecodeTcgen05Descriptor(operation.b);
  for (unsigned i = 0; i < plan.ctas; ++i) {
    const TensorFactorPart part = {.type = plan.b,
                                   .is_padded = plan.HasPadding(plan.b),
                                   .along_k = !plan.transposes_b,
                                   .first_row = i * (plan.shape.n / plan.ctas),
                                   .rows = static_cast<unsigned>(factor->undefined.size()) / plan.ctas,
                                   .depth = plan.shape.k};
    if (!GatherFactor(warp, instr, lane, *ctas[i], *matrix, part, factor)) return false;
  }
  return true;
}

void MaskColumns(const ProductPlan& plan, const ZeroColumns& zero, TensorFactor* factor) {
  const unsigned k = plan.shape.k;
  for (unsigned column = 0; column < plan.shape.n; ++column) {
    double* const to = &factor->values[size_t{column} * k];
    if (zero.IsZero(column)) {
      std::fill_n(to, k, 0.0);
      factor->undefined[column] = false;
    } else {
      std::copy_n(&factor->values[size_t{column + zero.shift()} * k], k, to);
      factor->undefined[column] = factor->undefined[column + zero.shift()];
    }
  }
}

// ---- Block scales.

// Reads a scale. Its copies must agree.
TensorMemory::Word ReadScaleWord(TensorMemory& memory, unsigned lane, unsigned column) {
  TensorMemory::Word word = memory.At(lane, column);
  for (unsigned copy = 1; copy < 4; ++copy) {
    const TensorMemory::Word& other = memory.At(lane + 32 * copy, column);
    word.undefined |= other.undefined | (other.value ^ word.value);
  }
  return word;
}

void ScaleFactor(const ProductPlan& plan, TensorMemory& memory, unsigned first_column, unsigned byte,
                 unsigned first_row, unsigned rows, TensorFactor* factor) {
  const unsigned k = plan.shape.k;
  for (unsigned i = 0; i < rows; ++i) {
    const TensorMemory::Word word = ReadScaleWord(memory, i % 32, first_column + i / 32);
    const unsigned row = first_row + i;
    for (unsigned j = 0; j < plan.scales; ++j) {
      const unsigned shift = 8 * (byte + j);
      const uint32_t bits = word.value >> shift & 0xff;
      const double scale = plan.scales_are_ue8m0 ? DecodeUE8M0(bits) : DecodeFloat(kUE4M3Format, bits & 0x7f);
      if ((word.undefined >> shift & 0xff) != 0) factor->undefined[row] = true;
      const unsigned block = k / plan.scales;
      for (unsigned at = j * block; at < (j + 1) * block; ++at) factor->values[size_t{row} * k + at] *= scale;
    }
  }
}

// ---- Multiplying.

void MultiplyRow(const ProductPlan& plan, const TensorFactor& a, const TensorFactor& b, unsigned row,
                 std::vector<double>* sums) {
  const unsigned k = plan.shape.k;
  const double sign = plan.negates_a != plan.negates_b ? -1 : 1;
  for (unsigned column = 0; column < plan.shape.n; ++column) {
    const double* const x = &a.values[size_t{row} * k];
    const double* const y = &b.values[size_t{column} * k];
    double sum = (*sums)[column];
    for (unsigned i = 0; i < k; ++i) sum += sign * x[i] * y[i];
    (*sums)[column] = sum;
  }
}

TensorMemory::Word EncodeWord(const ProductPlan& plan, double value, bool undefined) {
  const uint32_t bits = EncodeTensorResult(plan.d, plan.saturates, value);
  const uint32_t unused = plan.d == TensorType::kF16 ? 0xffff0000u : 0;
  return {bits, undefined ? ~0u : unused};
}

void MultiplyAndStore(Warp& warp, const TensorOperation& operation, const ProductPlan& plan, const TensorFactor& a,
                      const TensorFactor& b) {
  const std::array<Cta*, 2> ctas = CtasOf(plan, *operation.cta);
  const TensorField field = FieldOf(plan.d, false);
  const unsigned first_lane = operation.d >> 16;
  const unsigned first_column = operation.d & 0xffff;
  const double factor_of_d = std::ldexp(1.0, -static_cast<int>(operation.scale_d));
  std::vector<double> sums(plan.shape.n);
  std::vector<bool> undefined(plan.shape.n);
  for (unsigned row = 0; row < plan.shape.m; ++row) {
    const auto word_of = [&](unsigned column) {
      unsigned cta = 0;
      const TensorPlace place = plan.PlaceOfD(row, column, &cta);
      return TensorWordId{ctas[cta], first_lane + place.lane, first_column + place.column};
    };
    for (unsigned column = 0; column < plan.shape.n; ++column) {
      const TensorWordId id = word_of(column);
      const TensorMemory::Word& word = id.cta->tensor_memory().At(id.lane, id.column);
      const bool accumulates = operation.accumulates;
      sums[column] = accumulates ? DecodeTensorElement(plan.d, field, word.value) * factor_of_d : 0;
      undefined[column] =
          (accumulates && (word.undefined & field.mask) != 0) || a.undefined[row] || b.undefined[column];
    }
    MultiplyRow(plan, a, b, row, &sums);
    for (unsigned column = 0; column < plan.shape.n; ++column) {
      const TensorWordId id = word_of(column);
      const unsigned half = plan.ctas == 2 && id.cta == ctas[1] ? 4 : 0;
      if ((operation.disabled_lanes[half + id.lane / 32] >> id.lane % 32 & 1) != 0) {
        // The word keeps its value, which is now settled.
        CompleteTensorWord(warp, operation, id, id.cta->tensor_memory().At(id.lane, id.column));
        continue;
      }
      CompleteTensorWord(warp, operation, id, EncodeWord(plan, sums[column], undefined[column]));
    }
  }
}

bool ExecuteProduct(Warp& warp, unsigned lane, const TensorOperation& operation) {
  const DecodedInstr& instr = *operation.instr;
  const ProductPlan plan = *PlanProduct(instr, operation.shape);
  const ZeroColumns zero = {operation.zero_columns, plan.columns_of_d()};
  const bool masks = HasFlag(instr, ProductFlag::kZeroColumns);
  const unsigned columns = plan.shape.n + (masks ? zero.shift() : 0);
  TensorFactor a(plan.shape.m, plan.shape.k);
  TensorFactor b(columns, plan.shape.k);
  if (!GatherA(warp, lane, operation, plan, &a) || !GatherB(warp, lane, operation, plan, &b)) return false;
  if (masks) MaskColumns(plan, zero, &b);
  if (plan.scales != 0) {
    const std::array<Cta*, 2> ctas = CtasOf(plan, *operation.cta);
    for (unsigned i = 0; i < plan.ctas; ++i) {
      ScaleFactor(plan, ctas[i]->tensor_memory(), operation.scales_a & 0xffff, plan.scale_a_byte,
                  i * plan.rows_of_cta(), plan.rows_of_cta(), &a);
    }
    ScaleFactor(plan, ctas[0]->tensor_memory(), operation.scales_b & 0xffff, plan.scale_b_byte, 0, plan.shape.n, &b);
  }
  MultiplyAndStore(warp, operation, plan, a, b);
  return true;
}

// ---- Issuing.

bool FailDescriptor(Warp& warp, const DecodedInstr& instr, unsigned lane, std::string message) {
  warp.Fail(instr, FaultKind::kBadDescriptor, lane, std::move(message));
  return false;
}

bool ReadOperands(Warp& warp, const DecodedInstr& instr, unsigned lane, TensorOperation* operation) {
  unsigned next = 0;
  uint64_t d = 0;
  uint64_t shape = 0;
  uint64_t accumulates = 0;
  const bool in_tensor_memory = HasFlag(instr, ProductFlag::kAInTensorMemory);
  const bool ok = warp.ReadAddress(instr, next++, lane, &d) &&
                  (in_tensor_memory ? warp.ReadAddress(instr, next, lane, &operation->a)
                                    : warp.ReadDefined(instr, next, lane, &operation->a)) &&
                  warp.ReadDefined(instr, ++next, lane, &operation->b) && warp.ReadDefined(instr, ++next, lane, &shape);
  if (!ok) return false;
  for (unsigned i = 0; i < instr.params.d; ++i) {
    uint64_t mask = 0;
    if (!warp.ReadDefined(instr, ++next, lane, &mask)) return false;
    operation->disabled_lanes[i] = static_cast<uint32_t>(mask);
  }
  if (instr.params.b != 0) {
    uint64_t scales_a = 0;
    uint64_t scales_b = 0;
    if (!warp.ReadAddress(instr, ++next, lane, &scales_a) || !warp.ReadAddress(instr, ++next, lane, &scales_b)) {
      return false;
    }
    operation->scales_a = static_cast<uint32_t>(scales_a);
    operation->scales_b = static_cast<uint32_t>(scales_b);
  }
  if (!warp.ReadDefined(instr, ++next, lane, &accumulates)) return false;
  uint64_t last = 0;
  if (HasFlag(instr, ProductFlag::kScaleD | ProductFlag::kZeroColumns) &&
      !warp.ReadDefined(instr, ++next, lane, &last)) {
    return false;
  }
  if (HasFlag(instr, ProductFlag::kZeroColumns)) operation->zero_columns = last;
  if (HasFlag(instr, ProductFlag::kScaleD)) operation->scale_d = static_cast<uint8_t>(last & 0xf);
  operation->d = static_cast<uint32_t>(d);
  operation->shape = static_cast<uint32_t>(shape);
  operation->accumulates = (accumulates & 1) != 0;
  return true;
}

// Checks everything that does not depend on memory.
bool CheckOperands(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorOperation& operation,
                   const ProductPlan& plan) {
  const bool in_tensor_memory = HasFlag(instr, ProductFlag::kAInTensorMemory);
  if (plan.ctas == 2 && PeerOf(warp.cta()) == nullptr) {
    return FailDescriptor(warp, instr, lane, "the CTA has no peer to multiply with");
  }
  if (!DecodeTcgen05Descriptor(operation.b).has_value() ||
      (!in_tensor_memory && !DecodeTcgen05Descriptor(operation.a).has_value())) {
    return FailDescriptor(warp, instr, lane, "invalid matrix descriptor");
  }
  if (in_tensor_memory && (plan.folds() != 1 || plan.transposes_a)) {
    warp.Fail(instr, FaultKind::kUnsupported, lane, "a product of this shape with A in tensor memory");
    return false;
  }
  const bool is_half = plan.rows_of_cta() == 64 && plan.folds() == 1;
  const unsigned first_lane = operation.d >> 16;
  if (first_lane != 0 && !(is_half && first_lane == 16)) {
    return FailDescriptor(warp, instr, lane, StrCat("D cannot begin at lane ", first_lane));
  }
  if (in_tensor_memory && (operation.a >> 16 & 0xffff) != first_lane) {
    return FailDescriptor(warp, instr, lane, "A and D do not begin at the same lane");
  }
  const ZeroColumns zero = {operation.zero_columns, plan.columns_of_d()};
  if (zero.shift() > plan.max_column_shift) {
    return FailDescriptor(warp, instr, lane,
                          StrCat("columns are shifted by ", zero.shift(), ", and at most by ", plan.max_column_shift));
  }
  return true;
}

bool AccessA(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorOperation& operation,
             const ProductPlan& plan) {
  const unsigned column = operation.a & 0xffff;
  const unsigned first_lane = static_cast<unsigned>(operation.a >> 16 & 0xffff);
  constexpr unsigned columns = 8;  // 32 bytes
  const std::array<Cta*, 2> ctas = CtasOf(plan, warp.cta());
  for (unsigned i = 0; i < plan.ctas; ++i) {
    if (!CheckTensorColumns(warp, instr, lane, *ctas[i], column, columns)) return false;
    for (unsigned row = 0; row < plan.rows_of_cta(); ++row) {
      for (unsigned j = 0; j < columns; ++j) {
        const TensorWordId word = {ctas[i], first_lane + plan.LaneOfRow(row), column + j};
        if (!AccessTensorWord(warp, instr, lane, word, AccessType::kAsyncRead)) return false;
      }
    }
  }
  return true;
}

bool AccessScales(Warp& warp, const DecodedInstr& instr, unsigned lane, Cta& cta, uint32_t address, unsigned rows) {
  const unsigned column = address & 0xffff;
  const unsigned columns = (rows + 31) / 32;
  if (!CheckTensorColumns(warp, instr, lane, cta, column, columns)) return false;
  for (unsigned i = 0; i < TensorMemory::kLanes * columns; ++i) {
    const TensorWordId word = {&cta, i / columns, column + i % columns};
    if (!AccessTensorWord(warp, instr, lane, word, AccessType::kAsyncRead)) return false;
  }
  return true;
}

bool AccessD(Warp& warp, const DecodedInstr& instr, unsigned lane, const TensorOperation& operation,
             const ProductPlan& plan) {
  const std::array<Cta*, 2> ctas = CtasOf(plan, warp.cta());
  const unsigned first_lane = operation.d >> 16;
  const unsigned first_column = operation.d & 0xffff;
  for (unsigned i = 0; i < plan.ctas; ++i) {
    if (!CheckTensorColumns(warp, instr, lane, *ctas[i], first_column, plan.columns_of_d())) return false;
  }
  const uint32_t sequence = NextTensorSequence(warp);
  for (unsigned row = 0; row < plan.shape.m; ++row) {
    for (unsigned column = 0; column < plan.shape.n; ++column) {
      unsigned cta = 0;
      const TensorPlace place = plan.PlaceOfD(row, column, &cta);
      const TensorWordId word = {ctas[cta], first_lane + place.lane, first_column + place.column};
      if (!AccessTensorWord(warp, instr, lane, word, AccessType::kAsyncWrite, sequence)) return false;
    }
  }
  return true;
}

bool IssueProduct(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  TensorOperation operation = {.instr = &instr, .execute = &ExecuteProduct};
  if (!ReadOperands(warp, instr, lane, &operation)) return false;
  const std::optional<ProductPlan> plan = PlanProduct(instr, operation.shape);
  if (!plan.has_value()) {
    return FailDescriptor(warp, instr, lane,
                          StrCat("the instruction descriptor ", absl::StrCat("0x", absl::Hex(operation.shape)),
                                 " does not fit the instruction"));
  }
  if (!CheckOperands(warp, instr, lane, operation, *plan)) return false;
  if (HasFlag(instr, ProductFlag::kAInTensorMemory) && !AccessA(warp, instr, lane, operation, *plan)) return false;
  if (plan->scales != 0) {
    for (Cta* const cta : CtasOf(*plan, warp.cta())) {
      if (!AccessScales(warp, instr, lane, *cta, operation.scales_a, plan->rows_of_cta()) ||
          !AccessScales(warp, instr, lane, *cta, operation.scales_b, plan->shape.n)) {
        return false;
      }
    }
  }
  if (!AccessD(warp, instr, lane, operation, *plan)) return false;
  IssueTensorOperation(warp, operation);
  return true;
}

StepResult RunProduct(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!IssueProduct(warp, instr, lane)) return StepResult::kFault;
  }
  return StepResult::kNext;
}

// ---- Resolving.

std::optional<ProductKind> FindKind(const Mnemonic& mnemonic) {
  static constexpr std::pair<std::string_view, ProductKind> kKinds[] = {
      {"kind::f16", ProductKind::kF16},           {"kind::tf32", ProductKind::kTF32},
      {"kind::f8f6f4", ProductKind::kF8F6F4},     {"kind::i8", ProductKind::kI8},
      {"kind::mxf8f6f4", ProductKind::kMxF8F6F4}, {"kind::mxf4", ProductKind::kMxF4},
      {"kind::mxf4nvf4", ProductKind::kMxF4NvF4}};
  for (const auto& [name, kind] : kKinds) {
    if (mnemonic.Has(name)) return kind;
  }
  return std::nullopt;
}

// Returns the number of scales along k, given by .scale_vec::nX or by the length of a block.
unsigned NumScales(ProductKind kind, const Mnemonic& mnemonic) {
  if (kind < ProductKind::kMxF8F6F4) return 0;
  if (mnemonic.Has("block16") || mnemonic.Has("scale_vec::4X")) return 4;
  if (mnemonic.Has("scale_vec::2X")) return 2;
  if (mnemonic.Has("scale_vec::1X")) return 1;
  return DepthOf(kind) / 32;
}

}  // namespace

bool ResolveTcgen05Product(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::optional<ProductKind> kind = FindKind(mnemonic);
  if (!kind.has_value() || mnemonic.Has("sp") || mnemonic.Has("ashift")) return false;
  const unsigned scales = NumScales(*kind, mnemonic);
  const bool is_weight_stationary = mnemonic.Has("ws");
  if ((scales != 0) != mnemonic.Has("block_scale") || (scales != 0 && is_weight_stationary)) return false;
  if (statement.operands.size() < 5) return false;
  uint32_t flags = static_cast<uint32_t>(*kind);
  if (statement.operands[1].kind == StatementOperand::Kind::kAddress) flags |= ProductFlag::kAInTensorMemory;
  if (is_weight_stationary) flags |= ProductFlag::kWeightStationary;
  // [d], a, b, shape, {lanes}, [scales of a], [scales of b], accumulate, (scale of d | zero columns)
  unsigned lanes = 0;
  for (const StatementOperand& operand : statement.operands) lanes += operand.in_braces ? 1 : 0;
  const size_t required = 5 + lanes + (scales != 0 ? 2 : 0);
  if (statement.operands.size() == required + 1 && scales == 0) {
    flags |= is_weight_stationary ? ProductFlag::kZeroColumns : ProductFlag::kScaleD;
  } else if (statement.operands.size() != required) {
    return false;
  }
  if (lanes != 0 && lanes != 4 * semantics->params.c) return false;
  semantics->params.a = flags;
  semantics->params.b = scales;
  semantics->params.d = lanes;
  semantics->category = InstrCategory::kTensor;
  semantics->warp = &RunProduct;
  return true;
}

}  // namespace ptxmir::ptx
