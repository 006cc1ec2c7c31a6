// SPDX-License-Identifier: Apache-2.0

// Products of warp groups: wgmma.
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Each of the four warps of a group
// computes 16 of the 64 rows, from A in its registers or in shared memory and B in shared memory. Elements are
// computed as tensor.h says. The fragments of A and D are those of mma.
//
// A product takes effect at once, so a program that touches its registers or its matrices before wgmma.wait_group is
// not detected. Without semantics: .sp and .b1.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/interpreter/semantics/tensor_factor.h"
#include "ptx/interpreter/values/tensor.h"

namespace ptxmir::ptx {
namespace {

constexpr unsigned kRows = 16;  // of a warp
constexpr unsigned kWarps = 4;

// KernelParams: a is n and k, b the types of d, a, b, and c has these flags.
struct WgmmaFlag {
  enum : uint32_t { kAInRegisters = 1, kSaturate = 2, kScales = 4, kTransposes = 8 };
};

struct Product {
  TensorShape shape;
  TensorType d;
  TensorType a;
  TensorType b;
  bool a_in_registers;
  unsigned registers_of_d() const { return shape.n / (d == TensorType::kF16 ? 4 : 2); }
  unsigned per_register_of_a() const { return 32 / TensorTypeBits(a); }
  unsigned registers_of_a() const { return RegistersOfA(shape, per_register_of_a()); }
};
Product ProductOf(const DecodedInstr& instr) {
  const auto type = [&](unsigned shift) { return static_cast<TensorType>(instr.params.b >> shift & 0xff); };
  return {{kRows, instr.params.a & 0xffff, instr.params.a >> 16},
          type(0),
          type(8),
          type(16),
          (instr.params.c & WgmmaFlag::kAInRegisters) != 0};
}

// Returns how many elements of D share a register.
unsigned PerRegisterOfD(const Product& product) { return product.d == TensorType::kF16 ? 2 : 1; }

std::optional<SharedMatrix> ReadDescriptor(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane) {
  uint64_t descriptor = 0;
  if (!warp.ReadDefined(instr, operand, lane, &descriptor)) return std::nullopt;
  return DecodeWgmmaDescriptor(descriptor);
}

void GatherRegisters(const Warp& warp, const DecodedInstr& instr, const Product& product, LaneMask group,
                     TensorFactor* factor) {
  const TensorField field = FieldOf(product.a, false);
  const unsigned per_register = product.per_register_of_a();
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < product.registers_of_a(); ++reg) {
      const LaneValue value =
          (group >> lane & 1) != 0 ? warp.Read(instr, instr.num_results + reg, lane) : LaneValue{0, ~uint64_t{0}};
      for (unsigned i = 0; i < per_register; ++i) {
        const TensorElement at = ElementOfA(product.shape, per_register, lane, reg, i);
        const unsigned shift = i * field.bits;
        factor->values[at.row * product.shape.k + at.column] =
            DecodeTensorElement(product.a, field, static_cast<uint32_t>(value.value >> shift));
        if ((static_cast<uint32_t>(value.undefined >> shift) & field.mask) != 0) factor->undefined[at.row] = true;
      }
    }
  }
}

// The operands after the results: A, B, whether to add to D and, if the types allow, signs and transpositions.
struct Operands {
  unsigned b = 0;
  bool accumulates = false;
  double sign = 1;
  bool transposes_a = false;
  bool transposes_b = false;
};

bool ReadOperands(Warp& warp, const DecodedInstr& instr, const Product& product, unsigned lane, Operands* operands) {
  operands->b = instr.num_results + (product.a_in_registers ? product.registers_of_a() : 1);
  unsigned next = operands->b;
  uint64_t value = 0;
  if (!warp.ReadDefined(instr, ++next, lane, &value)) return false;
  operands->accumulates = value != 0;
  if ((instr.params.c & WgmmaFlag::kScales) != 0) {
    for (unsigned i = 0; i < 2; ++i) {
      if (!warp.ReadDefined(instr, ++next, lane, &value)) return false;
      if (static_cast<int32_t>(value) < 0) operands->sign = -operands->sign;
    }
  }
  if ((instr.params.c & WgmmaFlag::kTransposes) == 0) return true;
  if (!product.a_in_registers) {
    if (!warp.ReadDefined(instr, ++next, lane, &value)) return false;
    operands->transposes_a = value != 0;
  }
  if (!warp.ReadDefined(instr, ++next, lane, &value)) return false;
  operands->transposes_b = value != 0;
  return true;
}

bool GatherFactors(Warp& warp, const DecodedInstr& instr, const Product& product, const Operands& operands,
                   LaneMask group, TensorFactor* a, TensorFactor* b) {
  const unsigned lane = FirstLane(group);
  const TensorShape& shape = product.shape;
  if (product.a_in_registers) {
    GatherRegisters(warp, instr, product, group, a);
  } else {
    const std::optional<SharedMatrix> matrix = ReadDescriptor(warp, instr, instr.num_results, lane);
    const TensorFactorPart part = {.type = product.a,
                                   .along_k = !operands.transposes_a,
                                   .first_line = warp.number() % kWarps * kRows,
                                   .rows = kRows,
                                   .depth = shape.k};
    if (!matrix.has_value() || !GatherFactor(warp, instr, lane, warp.cta(), *matrix, part, a)) return false;
  }
  const std::optional<SharedMatrix> matrix = ReadDescriptor(warp, instr, operands.b, lane);
  const TensorFactorPart part = {
      .type = product.b, .along_k = !operands.transposes_b, .rows = shape.n, .depth = shape.k};
  return matrix.has_value() && GatherFactor(warp, instr, lane, warp.cta(), *matrix, part, b);
}

bool MultiplyGroup(Warp& warp, const DecodedInstr& instr, LaneMask group) {
  const Product product = ProductOf(instr);
  const TensorShape& shape = product.shape;
  Operands operands;
  TensorFactor a(kRows, shape.k);
  TensorFactor b(shape.n, shape.k);
  if (!ReadOperands(warp, instr, product, FirstLane(group), &operands) ||
      !GatherFactors(warp, instr, product, operands, group, &a, &b)) {
    return false;
  }
  const TensorField field = FieldOf(product.d, false);
  const unsigned per_register = PerRegisterOfD(product);
  const bool saturates = (instr.params.c & WgmmaFlag::kSaturate) != 0;
  for (const unsigned lane : Lanes(group)) {
    for (unsigned reg = 0; reg < product.registers_of_d(); ++reg) {
      const LaneValue before = operands.accumulates ? warp.Read(instr, reg, lane) : LaneValue{};
      LaneValue after;
      for (unsigned i = 0; i < per_register; ++i) {
        const TensorElement at = ElementOfC(shape, lane, reg * per_register + i);
        const unsigned shift = 16 * i;
        double sum = DecodeTensorElement(product.d, field, static_cast<uint32_t>(before.value >> shift));
        bool undefined = (static_cast<uint32_t>(before.undefined >> shift) & field.mask) != 0;
        undefined = undefined || a.undefined[at.row] || b.undefined[at.column];
        const double* const x = &a.values[size_t{at.row} * shape.k];
        const double* const y = &b.values[size_t{at.column} * shape.k];
        for (unsigned k = 0; k < shape.k; ++k) sum += operands.sign * x[k] * y[k];
        after.value |= uint64_t{EncodeTensorResult(product.d, saturates, sum)} << shift;
        if (undefined) after.undefined |= uint64_t{field.mask} << shift;
      }
      warp.Write(instr, reg, lane, after);
      if (after.undefined != 0) {
        warp.SetOrigin(instr, reg, warp.NewOrigin(instr, "it was computed from undefined elements"));
      }
    }
  }
  return true;
}

StepResult RunWgmma(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [&](LaneMask group) { return MultiplyGroup(warp, instr, group); });
}

// Runs fences and waits, which have nothing to wait for.
StepResult RunWaitForNothing(Warp& warp, const DecodedInstr& instr) {
  return ForEachGroup(warp, instr, [](LaneMask) { return true; });
}

// Parses n and k of "m64n128k16".
bool ParseShape(std::string_view part, uint32_t* n, uint32_t* k) {
  if (!part.starts_with("m64n")) return false;
  uint32_t numbers[2] = {0, 0};
  unsigned which = 0;
  for (const char c : part.substr(4)) {
    if (c == 'k' && which == 0) {
      which = 1;
    } else if (c >= '0' && c <= '9' && numbers[which] < 1000) {
      numbers[which] = numbers[which] * 10 + static_cast<uint32_t>(c - '0');
    } else {
      return false;
    }
  }
  *n = numbers[0];
  *k = numbers[1];
  return *n % 8 == 0 && *n >= 8 && *n <= 256;
}

bool ResolveProduct(const Statement& statement, Semantics* semantics) {
  // wgmma.mma_async.sync.aligned.SHAPE.D.A.B(.satfinite)
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.Has("sp") || mnemonic.parts().size() < 7) return false;
  uint32_t n = 0, k = 0;
  if (!ParseShape(mnemonic.parts()[3], &n, &k)) return false;
  const std::optional<TensorType> d = FindTensorType(mnemonic.parts()[4]);
  const std::optional<TensorType> a = FindTensorType(mnemonic.parts()[5]);
  const std::optional<TensorType> b = FindTensorType(mnemonic.parts()[6]);
  if (!d || !a || !b || *a == TensorType::kB1 || k * TensorTypeBits(*a) != 256) return false;
  uint32_t flags = mnemonic.Has("satfinite") ? uint32_t{WgmmaFlag::kSaturate} : 0;
  if (*d != TensorType::kS32) flags |= WgmmaFlag::kScales;
  if (*a == TensorType::kF16 || *a == TensorType::kBF16) flags |= WgmmaFlag::kTransposes;
  Product product = {{kRows, n, k}, *d, *a, *b, false};
  const auto behind_d = product.registers_of_d();
  if (statement.operands.size() <= behind_d) return false;
  product.a_in_registers = statement.operands[behind_d].in_braces;
  if (product.a_in_registers) flags |= WgmmaFlag::kAInRegisters;
  const unsigned transposes = (flags & WgmmaFlag::kTransposes) == 0 ? 0 : product.a_in_registers ? 1 : 2;
  const size_t expected = behind_d + (product.a_in_registers ? product.registers_of_a() : 1) + 2 +
                          ((flags & WgmmaFlag::kScales) != 0 ? 2 : 0) + transposes;
  if (statement.operands.size() != expected) return false;
  semantics->params.a = n | k << 16;
  semantics->params.b = static_cast<uint32_t>(*d) | static_cast<uint32_t>(*a) << 8 | static_cast<uint32_t>(*b) << 16;
  semantics->params.c = flags;
  semantics->warp = &RunWgmma;
  return true;
}

bool ResolveWgmma(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  if (mnemonic.parts().empty()) return false;
  const std::string_view name = mnemonic.parts()[0];
  semantics->category = InstrCategory::kTensor;
  if (name == "mma_async") return ResolveProduct(statement, semantics);
  semantics->warp = &RunWaitForNothing;
  return name == "fence" || name == "commit_group" || name == "wait_group";
}

}  // namespace

absl::Span<const ResolverEntry> WgmmaResolvers() {
  static constexpr ResolverEntry kEntries[] = {{"wgmma", &ResolveWgmma}};
  return kEntries;
}

}  // namespace ptxmir::ptx
