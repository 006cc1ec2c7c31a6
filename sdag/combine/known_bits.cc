// SPDX-License-Identifier: Apache-2.0

// The transfer functions are the usual ones (LLVM's KnownBits has the same): bit masks for logic and shifts; for
// sums, the carries that the extreme values have; for others, leading and trailing zeros.

#include "sdag/combine/known_bits.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "sdag/meaning/node_semantics.h"

namespace ptxmir::sdag {

using U = absl::uint128;

U KnownBits::mask() const { return LowBits(width); }

bool MatchConstant(const SDValue& value, U* bits) {
  if (!value) return false;
  if (value.opcode() == isd::kConstant) {
    *bits = static_cast<const ConstantSDNode*>(value.node())->value() & LowBits(ScalarSizeInBits(value.type()));
    return true;
  }
  const bool is_vector = value.opcode() == isd::kBuildVector || value.opcode() == isd::kSplatVector;
  if (!is_vector || !IsInteger(value.type()) || value->num_operands() == 0) return false;
  const U mask = LowBits(ScalarSizeInBits(value.type()));
  for (unsigned i = 0; i < value->num_operands(); ++i) {
    const auto* element = DynCast<ConstantSDNode>(value.operand(i));
    if (element == nullptr || element->opcode() != isd::kConstant) return false;
    if (i > 0 && *bits != (element->value() & mask)) return false;
    *bits = element->value() & mask;
  }
  return true;
}

namespace {

constexpr unsigned kMaxDepth = 6;

unsigned LeadingOnes(U bits, unsigned width) {
  if (width == 0) return 0;
  const U top = bits << static_cast<int>(128 - width);
  int count = std::countl_one(absl::Uint128High64(top));
  if (count == 64) count += std::countl_one(absl::Uint128Low64(top));
  return std::min(static_cast<unsigned>(count), width);
}
unsigned TrailingOnes(U bits, unsigned width) {
  int count = std::countr_one(absl::Uint128Low64(bits));
  if (count == 64) count += std::countr_one(absl::Uint128High64(bits));
  return std::min(static_cast<unsigned>(count), width);
}
U HighBits(unsigned count, unsigned width) { return LowBits(width) & ~LowBits(width - std::min(count, width)); }

// Returns the known bits of a + b + carry, where the carry is known.
KnownBits Sum(const KnownBits& a, const KnownBits& b, bool carry) {
  const U most = a.UnsignedMax() + b.UnsignedMax() + U(carry);
  const U least = a.UnsignedMin() + b.UnsignedMin() + U(carry);
  // A carry into a bit is known where the bits of both extremes say the same of it.
  const U carry_zero = ~(most ^ a.zero ^ b.zero);
  const U carry_one = least ^ a.one ^ b.one;
  const U known = (a.zero | a.one) & (b.zero | b.one) & (carry_zero | carry_one) & a.mask();
  return {~most & known, least & known, a.width};
}

KnownBits Shifted(const KnownBits& a, int16_t opcode, unsigned amount) {
  const int n = static_cast<int>(amount);
  const U mask = a.mask();
  if (opcode == isd::kShl) return {((a.zero << n) | LowBits(amount)) & mask, (a.one << n) & mask, a.width};
  KnownBits result{a.zero >> n, a.one >> n, a.width};
  const U high = HighBits(amount, a.width);
  if (opcode == isd::kSrl || a.IsNonNegative()) {
    result.zero |= high;
  } else if (a.IsNegative()) {
    result.one |= high;
  }
  return result;
}

KnownBits Extended(const KnownBits& a, unsigned width, int16_t opcode) {
  KnownBits result{a.zero, a.one, width};
  const U high = LowBits(width) & ~a.mask();
  if (opcode == isd::kZeroExtend || (opcode == isd::kSignExtend && a.IsNonNegative())) result.zero |= high;
  if (opcode == isd::kSignExtend && a.IsNegative()) result.one |= high;
  return result;
}

unsigned TypeWidth(const SDValue& type_operand) {
  const auto* node = DynCast<VTSDNode>(type_operand);
  if (node == nullptr) return 0;
  const EVT type = node->type();
  return type.IsVector() ? ScalarSizeInBits(type.simple()) : type.SizeInBits();
}

KnownBits Intersected(const KnownBits& a, const KnownBits& b) { return {a.zero & b.zero, a.one & b.one, a.width}; }

KnownBits OfProduct(const KnownBits& a, const KnownBits& b, unsigned width) {
  const unsigned leading = LeadingOnes(a.zero, a.width) + LeadingOnes(b.zero, b.width);
  const unsigned used = a.width + b.width - leading;  // the most bits that the product needs
  const unsigned trailing = std::min(width, TrailingOnes(a.zero, a.width) + TrailingOnes(b.zero, b.width));
  KnownBits result{LowBits(trailing), 0, width};
  if (used < width) result.zero |= HighBits(width - used, width);
  return result;
}

KnownBits OfLoad(const SDNode& node, unsigned width) {
  const auto& load = AsMemSDNode(node);
  const EVT memory = load.memory_type();
  KnownBits result{0, 0, width};
  if (load.ext() == LoadExt::kZero && memory.IsInteger()) {
    const unsigned bits = memory.IsVector() ? ScalarSizeInBits(memory.simple()) : memory.SizeInBits();
    if (bits < width) result.zero = HighBits(width - bits, width);
  }
  return result;
}

KnownBits OfDivision(const SDValue& value, unsigned width, unsigned depth) {
  const KnownBits a = ComputeKnownBits(value.operand(0), depth + 1);
  KnownBits result{0, 0, width};
  U divisor;
  unsigned shift = 0;
  if (value.opcode() == isd::kUDiv) {
    // The divisor is at least 2^shift.
    if (MatchConstant(value.operand(1), &divisor)) {
      while (shift + 1 < width && (divisor >> static_cast<int>(shift + 1)) != 0) ++shift;
    }
    result.zero = HighBits(LeadingOnes(a.zero, width) + shift, width);
  } else {  // urem: below the divisor and not above the dividend
    const KnownBits b = ComputeKnownBits(value.operand(1), depth + 1);
    result.zero = HighBits(std::max(LeadingOnes(a.zero, width), LeadingOnes(b.zero, width)), width);
  }
  return result;
}

// The most bits that special registers need: limits of PTX ISA 10.x ("Special Registers"; the grid's limits are
// from the CUDA programming guide's table of compute capabilities), as in LLVM's NVVMIntrRange.
struct SpecialRegister {
  std::string_view name;  // after "llvm.nvvm.read.ptx.sreg."
  unsigned bits;
};
constexpr SpecialRegister kSpecialRegisters[] = {
    {"tid.x", 10},    {"tid.y", 10},    {"tid.z", 6},    {"ntid.x", 11},  {"ntid.y", 11},
    {"ntid.z", 7},    {"ctaid.x", 31},  {"ctaid.y", 16}, {"ctaid.z", 16}, {"nctaid.x", 31},
    {"nctaid.y", 16}, {"nctaid.z", 16}, {"laneid", 5},   {"warpsize", 6},
};

KnownBits OfIntrinsic(const SDNode& node, unsigned width) {
  constexpr std::string_view kPrefix = "llvm.nvvm.read.ptx.sreg.";
  KnownBits result{0, 0, width};
  std::string_view name = static_cast<const IntrinsicSDNode&>(node).intrinsic_name();
  if (name.substr(0, kPrefix.size()) != kPrefix) return result;
  name.remove_prefix(kPrefix.size());
  for (const SpecialRegister& reg : kSpecialRegisters) {
    if (name == reg.name && reg.bits < width) result.zero = HighBits(width - reg.bits, width);
  }
  return result;
}

KnownBits OfCount(unsigned width) {
  // Counts are at most the width.
  unsigned bits = 0;
  while ((width >> bits) != 0) ++bits;
  return {bits < width ? HighBits(width - bits, width) : U(0), 0, width};
}

}  // namespace

KnownBits ComputeKnownBits(const SDValue& value, unsigned depth) {
  const MVT type = value.type();
  const unsigned width = IsInteger(type) ? ScalarSizeInBits(type) : 0;
  KnownBits unknown{0, 0, width};
  if (width == 0 || value->is_machine_opcode()) return unknown;
  U constant;
  if (MatchConstant(value, &constant)) return {~constant & LowBits(width), constant, width};
  if (depth >= kMaxDepth || value.resno() != 0) return unknown;
  const auto operand = [&](unsigned i) { return ComputeKnownBits(value.operand(i), depth + 1); };
  switch (value.opcode()) {
    case isd::kAnd: {
      const KnownBits a = operand(0), b = operand(1);
      return {a.zero | b.zero, a.one & b.one, width};
    }
    case isd::kOr: {
      const KnownBits a = operand(0), b = operand(1);
      return {a.zero & b.zero, a.one | b.one, width};
    }
    case isd::kXor: {
      const KnownBits a = operand(0), b = operand(1);
      return {(a.zero & b.zero) | (a.one & b.one), (a.zero & b.one) | (a.one & b.zero), width};
    }
    case isd::kAdd:
      return Sum(operand(0), operand(1), false);
    case isd::kSub: {
      const KnownBits a = operand(0), b = operand(1);
      return Sum(a, {b.one, b.zero, width}, true);
    }
    case isd::kMul:
    case isd::kNvMulWideUnsigned:
      return OfProduct(operand(0), operand(1), width);
    case isd::kUDiv:
    case isd::kURem:
      return OfDivision(value, width, depth);
    case isd::kShl:
    case isd::kSrl:
    case isd::kSra:
      if (!MatchConstant(value.operand(1), &constant) || constant >= U(width)) return unknown;
      return Shifted(operand(0), value.opcode(), static_cast<unsigned>(absl::Uint128Low64(constant)));
    case isd::kZeroExtend:
    case isd::kSignExtend:
    case isd::kAnyExtend:
      return Extended(operand(0), width, value.opcode());
    case isd::kTruncate: {
      const KnownBits a = operand(0);
      return {a.zero & LowBits(width), a.one & LowBits(width), width};
    }
    case isd::kSignExtendInReg:
    case isd::kAssertZext: {
      const unsigned from = TypeWidth(value.operand(1));
      KnownBits a = operand(0);
      if (from == 0 || from >= width) return a;
      if (value.opcode() == isd::kAssertZext) return {a.zero | HighBits(width - from, width), a.one, width};
      return Extended({a.zero & LowBits(from), a.one & LowBits(from), from}, width, isd::kSignExtend);
    }
    case isd::kAssertSext:
      return operand(0);
    case isd::kSelect:
    case isd::kVSelect:
      return Intersected(operand(1), operand(2));
    case isd::kSelectCC:
      return Intersected(operand(2), operand(3));
    case isd::kUMin: {
      const KnownBits a = operand(0), b = operand(1);
      KnownBits result = Intersected(a, b);
      result.zero |= HighBits(std::max(LeadingOnes(a.zero, width), LeadingOnes(b.zero, width)), width);
      return result;
    }
    case isd::kUMax:
    case isd::kSMin:
    case isd::kSMax:
      return Intersected(operand(0), operand(1));
    case isd::kCtpop:
    case isd::kCtlz:
    case isd::kCttz:
    case isd::kCtlzZeroUndef:
    case isd::kCttzZeroUndef:
      return OfCount(width);
    case isd::kParity:
      return {HighBits(width - 1, width), 0, width};
    case isd::kLoad:
      return OfLoad(*value.node(), width);
    case isd::kIntrinsicWOChain:
      return OfIntrinsic(*value.node(), width);
    default:
      return unknown;
  }
}

unsigned ComputeNumSignBits(const SDValue& value, unsigned depth) {
  const MVT type = value.type();
  const unsigned width = IsInteger(type) ? ScalarSizeInBits(type) : 0;
  if (width == 0) return 0;
  if (depth >= kMaxDepth || value->is_machine_opcode() || value.resno() != 0) return 1;
  const auto operand = [&](unsigned i) { return ComputeNumSignBits(value.operand(i), depth + 1); };
  U constant;
  switch (value.opcode()) {
    case isd::kSignExtend:
      return width - ScalarSizeInBits(value.operand(0).type()) + operand(0);
    case isd::kSignExtendInReg:
    case isd::kAssertSext: {
      const unsigned from = TypeWidth(value.operand(1));
      return from == 0 || from > width ? 1 : std::max(operand(0), width - from + 1);
    }
    case isd::kLoad: {
      const auto& load = AsMemSDNode(*value.node());
      if (load.ext() == LoadExt::kSign && !load.memory_type().IsVector() && load.memory_type().SizeInBits() < width) {
        return width - load.memory_type().SizeInBits() + 1;
      }
      break;
    }
    case isd::kSra:
      if (MatchConstant(value.operand(1), &constant) && constant < U(width)) {
        return std::min(width, operand(0) + static_cast<unsigned>(absl::Uint128Low64(constant)));
      }
      return operand(0);
    case isd::kAnd:
    case isd::kOr:
    case isd::kXor:
      return std::min(operand(0), operand(1));
    case isd::kAdd:
    case isd::kSub: {
      const unsigned least = std::min(operand(0), operand(1));
      return least > 1 ? least - 1 : 1;
    }
    case isd::kSelect:
    case isd::kVSelect:
      return std::min(operand(1), operand(2));
    case isd::kSMin:
    case isd::kSMax:
      return std::min(operand(0), operand(1));
    case isd::kTruncate: {
      const unsigned from = ScalarSizeInBits(value.operand(0).type()), bits = operand(0);
      return bits > from - width ? bits - (from - width) : 1;
    }
    case isd::kSetCC:
      if (width > 1) return width;  // 0 or -1
      break;
    default:
      break;
  }
  const KnownBits known = ComputeKnownBits(value, depth);
  return std::max(1u, std::max(LeadingOnes(known.zero, width), LeadingOnes(known.one, width)));
}

}  // namespace ptxmir::sdag
