// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/integer_transfer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "mir/code/machine_instr.h"

namespace ptxmir {
namespace {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

constexpr uint32_t kSaturate = 32;  // the bit of a cvt operand

// An interval of exact results, before it is known whether they fit.
struct Interval {
  Wide min;
  Wide max;
};

Interval UnsignedOf(const IntegerFacts& a) { return {a.min, a.max}; }
Interval SignedOf(const IntegerFacts& a) { return {a.smin, a.smax}; }
Interval Sum(const Interval& a, const Interval& b) { return {a.min + b.min, a.max + b.max}; }
Interval Difference(const Interval& a, const Interval& b) { return {a.min - b.max, a.max - b.min}; }

// Restricts facts to an interval of unsigned results. If it does not fit, values may have wrapped around, unless
// `never_wraps`.
void RestrictUnsigned(IntegerFacts& facts, const Interval& exact, bool never_wraps) {
  const Wide limit = facts.mask();
  const bool fits = exact.min >= 0 && exact.max <= limit;
  if (!fits && !never_wraps) return;
  if (exact.max < 0 || exact.min > limit) return;
  facts.min = std::max(facts.min, static_cast<uint64_t>(std::max<Wide>(exact.min, 0)));
  facts.max = std::min(facts.max, static_cast<uint64_t>(std::min(exact.max, limit)));
}

void RestrictSigned(IntegerFacts& facts, const Interval& exact, bool never_wraps) {
  const Wide least = -static_cast<Wide>(facts.sign_bit());
  const Wide greatest = static_cast<Wide>(facts.sign_bit()) - 1;
  const bool fits = exact.min >= least && exact.max <= greatest;
  if (!fits && !never_wraps) return;
  if (exact.max < least || exact.min > greatest) return;
  facts.smin = std::max(facts.smin, static_cast<int64_t>(std::max(exact.min, least)));
  facts.smax = std::min(facts.smax, static_cast<int64_t>(std::min(exact.max, greatest)));
}

// Adds bits with a carry of 0 or 1, as LLVM's KnownBits::computeForAddCarry: a bit of the sum is known where both bits
// and the carry into them are.
IntegerFacts AddBits(unsigned bits, uint64_t a_zeros, uint64_t a_ones, uint64_t b_zeros, uint64_t b_ones, bool carry) {
  const uint64_t mask = IntegerFacts::LowMask(bits);
  const uint64_t largest = (~a_zeros & mask) + (~b_zeros & mask) + (carry ? 1 : 0);
  const uint64_t least = a_ones + b_ones + (carry ? 1 : 0);
  const uint64_t carry_zeros = ~(largest ^ a_zeros ^ b_zeros);
  const uint64_t carry_ones = least ^ a_ones ^ b_ones;
  const uint64_t known = (a_zeros | a_ones) & (b_zeros | b_ones) & (carry_zeros | carry_ones);
  IntegerFacts facts = IntegerFacts::Unknown(bits);
  facts.zeros = ~largest & known & mask;
  facts.ones = least & known & mask;
  return facts;
}

IntegerFacts Add(const IntegerFacts& a, const IntegerFacts& b, uint32_t flags) {
  IntegerFacts facts = AddBits(a.bits, a.zeros, a.ones, b.zeros, b.ones, false);
  RestrictUnsigned(facts, Sum(UnsignedOf(a), UnsignedOf(b)), (flags & MachineInstr::kNoUWrap) != 0);
  RestrictSigned(facts, Sum(SignedOf(a), SignedOf(b)), (flags & MachineInstr::kNoSWrap) != 0);
  facts.Normalize();
  return facts;
}

IntegerFacts Subtract(const IntegerFacts& a, const IntegerFacts& b, uint32_t flags) {
  IntegerFacts facts = AddBits(a.bits, a.zeros, a.ones, b.ones, b.zeros, true);
  RestrictUnsigned(facts, Difference(UnsignedOf(a), UnsignedOf(b)), (flags & MachineInstr::kNoUWrap) != 0);
  RestrictSigned(facts, Difference(SignedOf(a), SignedOf(b)), (flags & MachineInstr::kNoSWrap) != 0);
  facts.Normalize();
  return facts;
}

Interval SignedProduct(const IntegerFacts& a, const IntegerFacts& b) {
  const Wide corners[] = {static_cast<Wide>(a.smin) * b.smin, static_cast<Wide>(a.smin) * b.smax,
                          static_cast<Wide>(a.smax) * b.smin, static_cast<Wide>(a.smax) * b.smax};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

IntegerFacts Multiply(const IntegerFacts& a, const IntegerFacts& b, uint32_t flags) {
  if (a.is_exact() && b.is_exact()) return IntegerFacts::Exact(a.bits, a.min * b.min);
  IntegerFacts facts = IntegerFacts::Unknown(a.bits);
  facts.zeros = IntegerFacts::LowMask(std::min<unsigned>(a.TrailingZeros() + b.TrailingZeros(), a.bits));
  const UnsignedWide most = static_cast<UnsignedWide>(a.max) * b.max;
  const bool never_wraps = (flags & MachineInstr::kNoUWrap) != 0;
  if (most <= facts.mask() || never_wraps) {
    const UnsignedWide least = std::min<UnsignedWide>(static_cast<UnsignedWide>(a.min) * b.min, facts.mask());
    RestrictUnsigned(facts, {static_cast<Wide>(least), static_cast<Wide>(std::min<UnsignedWide>(most, facts.mask()))},
                     false);
  }
  RestrictSigned(facts, SignedProduct(a, b), (flags & MachineInstr::kNoSWrap) != 0);
  facts.Normalize();
  return facts;
}

IntegerFacts MultiplyHigh(const IntegerFacts& a, const IntegerFacts& b, bool is_signed) {
  if (is_signed) {
    const Interval product = SignedProduct(a, b);
    return IntegerFacts::SignedRange(a.bits, static_cast<int64_t>(product.min >> a.bits),
                                     static_cast<int64_t>(product.max >> a.bits));
  }
  return IntegerFacts::UnsignedRange(a.bits,
                                     static_cast<uint64_t>((static_cast<UnsignedWide>(a.min) * b.min) >> a.bits),
                                     static_cast<uint64_t>((static_cast<UnsignedWide>(a.max) * b.max) >> a.bits));
}

IntegerFacts MultiplyWide(const IntegerFacts& a, const IntegerFacts& b, bool is_signed) {
  const unsigned bits = a.bits * 2u;
  return Multiply(a.Extended(bits, is_signed), b.Extended(bits, is_signed), 0);
}

IntegerFacts Divide(const IntegerFacts& a, const IntegerFacts& b, bool is_signed) {
  if (!is_signed) {
    if (b.min == 0) return IntegerFacts::Unknown(a.bits);
    return IntegerFacts::UnsignedRange(a.bits, a.min / b.max, a.max / b.min);
  }
  if (b.smin <= 0) return IntegerFacts::Unknown(a.bits);
  // A quotient is closest to zero for the largest divisor.
  return IntegerFacts::SignedRange(a.bits, a.smin / (a.smin < 0 ? b.smin : b.smax),
                                   a.smax / (a.smax < 0 ? b.smax : b.smin));
}

IntegerFacts Remainder(const IntegerFacts& a, const IntegerFacts& b, bool is_signed) {
  if (!is_signed) {
    if (b.min == 0) return IntegerFacts::Unknown(a.bits);
    if (a.max < b.min) return a;
    IntegerFacts facts = IntegerFacts::UnsignedRange(a.bits, 0, std::min(a.max, b.max - 1));
    if (!b.is_exact() || !std::has_single_bit(b.min)) return facts;
    facts.zeros |= a.zeros & (b.min - 1);
    facts.ones |= a.ones & (b.min - 1);
    facts.Normalize();
    return facts;
  }
  if (b.smin <= 0) return IntegerFacts::Unknown(a.bits);
  // The sign is that of the dividend.
  return IntegerFacts::SignedRange(a.bits, a.smin >= 0 ? 0 : std::max(a.smin, -(b.smax - 1)),
                                   a.smax <= 0 ? 0 : std::min(a.smax, b.smax - 1));
}

IntegerFacts Extreme(const IntegerFacts& a, const IntegerFacts& b, bool is_signed, bool is_max) {
  IntegerFacts facts = a.JoinedWith(b);
  if (is_signed) {
    facts.smin = is_max ? std::max(a.smin, b.smin) : std::min(a.smin, b.smin);
    facts.smax = is_max ? std::max(a.smax, b.smax) : std::min(a.smax, b.smax);
  } else {
    facts.min = is_max ? std::max(a.min, b.min) : std::min(a.min, b.min);
    facts.max = is_max ? std::max(a.max, b.max) : std::min(a.max, b.max);
  }
  facts.Normalize();
  return facts;
}

IntegerFacts Absolute(const IntegerFacts& a) {
  if (a.smin >= 0) return a;
  const IntegerFacts negated = Subtract(IntegerFacts::Exact(a.bits, 0), a, 0);
  if (a.smax <= 0) return negated;
  // The absolute value of the least number is itself.
  const uint64_t most = std::max(static_cast<uint64_t>(a.smax), uint64_t{0} - static_cast<uint64_t>(a.smin));
  return IntegerFacts::UnsignedRange(a.bits, 0, most & a.mask());
}

// ---- Bits.

IntegerFacts And(const IntegerFacts& a, const IntegerFacts& b) {
  IntegerFacts facts = IntegerFacts::KnownBits(a.bits, a.zeros | b.zeros, a.ones & b.ones);
  facts.max = std::min({facts.max, a.max, b.max});
  facts.Normalize();
  return facts;
}

IntegerFacts Or(const IntegerFacts& a, const IntegerFacts& b) {
  IntegerFacts facts = IntegerFacts::KnownBits(a.bits, a.zeros & b.zeros, a.ones | b.ones);
  facts.min = std::max({facts.min, a.min, b.min});
  facts.Normalize();
  return facts;
}

IntegerFacts Xor(const IntegerFacts& a, const IntegerFacts& b) {
  return IntegerFacts::KnownBits(a.bits, (a.zeros & b.zeros) | (a.ones & b.ones),
                                 (a.zeros & b.ones) | (a.ones & b.zeros));
}

IntegerFacts Not(const IntegerFacts& a) {
  IntegerFacts facts = IntegerFacts::KnownBits(a.bits, a.ones, a.zeros);
  facts.min = ~a.max & a.mask();
  facts.max = ~a.min & a.mask();
  facts.smin = ~a.smax;
  facts.smax = ~a.smin;
  facts.Normalize();
  return facts;
}

IntegerFacts ShiftLeft(const IntegerFacts& a, const IntegerFacts& amount, uint32_t flags) {
  if (amount.min >= a.bits) return IntegerFacts::Exact(a.bits, 0);
  const unsigned least = static_cast<unsigned>(amount.min);
  IntegerFacts facts = IntegerFacts::Unknown(a.bits);
  if (amount.is_exact()) {
    facts.zeros = ((a.zeros << least) | IntegerFacts::LowMask(least)) & facts.mask();
    facts.ones = (a.ones << least) & facts.mask();
  } else {
    facts.zeros = IntegerFacts::LowMask(std::min<unsigned>(a.TrailingZeros() + least, a.bits));
  }
  if (amount.max < a.bits) {
    const unsigned most = static_cast<unsigned>(amount.max);
    const UnsignedWide greatest = static_cast<UnsignedWide>(a.max) << most;
    if (greatest <= facts.mask() || (flags & MachineInstr::kNoUWrap) != 0) {
      facts.min =
          static_cast<uint64_t>(std::min<UnsignedWide>(static_cast<UnsignedWide>(a.min) << least, facts.mask()));
      facts.max = static_cast<uint64_t>(std::min<UnsignedWide>(greatest, facts.mask()));
    }
    const auto shifted = [](int64_t value, unsigned by) {
      return static_cast<Wide>(value) * (static_cast<Wide>(1) << by);
    };
    RestrictSigned(facts, {shifted(a.smin, a.smin < 0 ? most : least), shifted(a.smax, a.smax < 0 ? least : most)},
                   (flags & MachineInstr::kNoSWrap) != 0);
  }
  facts.Normalize();
  return facts;
}

IntegerFacts ShiftRight(const IntegerFacts& a, const IntegerFacts& amount, bool is_signed) {
  // Shifting by more than the width gives what shifting by the width gives. For signs, that is one bit less.
  const unsigned limit = is_signed ? a.bits - 1u : a.bits;
  const unsigned least = static_cast<unsigned>(std::min<uint64_t>(amount.min, limit));
  const unsigned most = static_cast<unsigned>(std::min<uint64_t>(amount.max, limit));
  IntegerFacts facts = IntegerFacts::Unknown(a.bits);
  if (is_signed) {
    if (least == most) {
      facts.zeros = static_cast<uint64_t>(IntegerFacts::SignExtend(a.zeros, a.bits) >> least) & facts.mask();
      facts.ones = static_cast<uint64_t>(IntegerFacts::SignExtend(a.ones, a.bits) >> least) & facts.mask();
    }
    facts.smin = a.smin >> (a.smin < 0 ? least : most);
    facts.smax = a.smax >> (a.smax < 0 ? most : least);
  } else if (least >= a.bits) {
    return IntegerFacts::Exact(a.bits, 0);
  } else {
    if (least == most) {
      facts.zeros = (a.zeros >> least) | (facts.mask() & ~(facts.mask() >> least));
      facts.ones = a.ones >> least;
    }
    facts.min = most >= a.bits ? 0 : a.min >> most;
    facts.max = a.max >> least;
  }
  facts.Normalize();
  return facts;
}

// Shifts the pair of `high` and `low`, and returns the upper (left) or lower (right) half.
IntegerFacts FunnelShift(const IntegerFacts& low, const IntegerFacts& high, const IntegerFacts& amount, bool is_left,
                         bool is_clamped) {
  if (!amount.is_exact()) return IntegerFacts::Unknown(32);
  const uint64_t by = is_clamped ? std::min<uint64_t>(amount.min, 32) : amount.min & 31;
  const uint64_t zeros = high.zeros << 32 | low.zeros;
  const uint64_t ones = high.ones << 32 | low.ones;
  const unsigned right = static_cast<unsigned>(is_left ? 32 - by : by);
  return IntegerFacts::KnownBits(32, zeros >> right, ones >> right);
}

// The position and length of a field are the low 8 bits of their operands.
std::optional<unsigned> FieldNumber(const IntegerFacts& facts) {
  const IntegerFacts low = facts.Truncated(8);
  if (!low.is_exact()) return std::nullopt;
  return static_cast<unsigned>(low.min);
}

IntegerFacts ExtractField(const IntegerFacts& a, const IntegerFacts& position, const IntegerFacts& length,
                          bool is_signed) {
  const std::optional<unsigned> len = FieldNumber(length);
  const std::optional<unsigned> pos = FieldNumber(position);
  if (!len.has_value()) return IntegerFacts::Unknown(a.bits);
  if (*len == 0) return IntegerFacts::Exact(a.bits, 0);
  const unsigned width = std::min<unsigned>(*len, a.bits);
  if (!pos.has_value() || *pos + width > a.bits) {
    // Bits beyond the value are its sign, or 0.
    return IntegerFacts::Unknown(width).Extended(a.bits, is_signed);
  }
  return ShiftRight(a, IntegerFacts::Exact(32, *pos), false).Truncated(width).Extended(a.bits, is_signed);
}

IntegerFacts InsertField(const IntegerFacts& field, const IntegerFacts& into, const IntegerFacts& position,
                         const IntegerFacts& length) {
  const std::optional<unsigned> len = FieldNumber(length);
  const std::optional<unsigned> pos = FieldNumber(position);
  if (!len.has_value() || !pos.has_value()) return IntegerFacts::Unknown(into.bits);
  if (*pos >= into.bits) return into;
  const uint64_t mask = (IntegerFacts::LowMask(*len) << *pos) & into.mask();
  return IntegerFacts::KnownBits(into.bits, (into.zeros & ~mask) | ((field.zeros << *pos) & mask),
                                 (into.ones & ~mask) | ((field.ones << *pos) & mask));
}

IntegerFacts FindLeading(const IntegerFacts& a, bool is_signed, bool wants_shift) {
  // Of 0, and of -1 if signed, the result is all ones.
  if (is_signed || a.min == 0) return IntegerFacts::Unknown(32);
  const auto position = [](uint64_t value) { return static_cast<uint64_t>(std::bit_width(value)) - 1; };
  if (!wants_shift) return IntegerFacts::UnsignedRange(32, position(a.min), position(a.max));
  return IntegerFacts::UnsignedRange(32, a.bits - 1 - position(a.max), a.bits - 1 - position(a.min));
}

uint64_t Reverse(uint64_t value, unsigned bits) {
  uint64_t reversed = 0;
  for (unsigned i = 0; i < bits; ++i) reversed |= (value >> i & 1) << (bits - 1 - i);
  return reversed;
}

IntegerFacts CountLeadingZeros(const IntegerFacts& a) {
  return IntegerFacts::UnsignedRange(32, a.bits - static_cast<unsigned>(std::bit_width(a.max)),
                                     a.bits - static_cast<unsigned>(std::bit_width(a.min)));
}

IntegerFacts CountOnes(const IntegerFacts& a) {
  return IntegerFacts::UnsignedRange(32, static_cast<uint64_t>(std::popcount(a.ones)),
                                     a.bits - static_cast<uint64_t>(std::popcount(a.zeros)));
}

IntegerFacts Permute(absl::Span<const IntegerFacts> sources) {
  const IntegerFacts& selector = sources[2];
  const bool is_plain = sources[3].is_exact() && sources[3].min == 0;
  if (!is_plain || !selector.is_exact()) return IntegerFacts::Unknown(32);
  const uint64_t zeros = (sources[1].zeros & 0xffffffff) << 32 | (sources[0].zeros & 0xffffffff);
  const uint64_t ones = (sources[1].ones & 0xffffffff) << 32 | (sources[0].ones & 0xffffffff);
  uint64_t result_zeros = 0;
  uint64_t result_ones = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned choice = static_cast<unsigned>(selector.min >> (4 * i));
    const auto byte_of = [&](uint64_t known) -> uint64_t {
      const uint64_t byte = known >> (8 * (choice & 7)) & 0xff;
      const bool repeats_sign = (choice & 8) != 0;
      return !repeats_sign ? byte : (byte & 0x80) != 0 ? 0xff : 0;
    };
    result_zeros |= byte_of(zeros) << (8 * i);
    result_ones |= byte_of(ones) << (8 * i);
  }
  return IntegerFacts::KnownBits(32, result_zeros, result_ones);
}

// ---- Conversions.

IntegerFacts Convert(const IntegerOperation& operation, unsigned result_bits, absl::Span<const IntegerFacts> sources) {
  const IntegerFacts value = sources[0].Truncated(operation.from_bits).Extended(64, operation.from_signed);
  const bool saturates = sources.size() > 1 && (sources[1].max & kSaturate) != 0;
  IntegerFacts converted = value.Truncated(operation.bits);
  if (saturates) {
    const bool fits = operation.is_signed
                          ? (operation.from_signed ? value.FitsSigned(operation.bits)
                                                   : value.max <= IntegerFacts::LowMask(operation.bits) >> 1)
                          : (operation.from_signed ? value.is_non_negative() && value.FitsUnsigned(operation.bits)
                                                   : value.FitsUnsigned(operation.bits));
    if (!fits) converted = IntegerFacts::Unknown(operation.bits);
  }
  return converted.Extended(result_bits, operation.is_signed);
}

IntegerFacts Pack(const IntegerOperation& operation, absl::Span<const IntegerFacts> sources) {
  IntegerFacts facts = IntegerFacts::Unknown(operation.bits);
  const size_t parts = operation.bits / operation.from_bits;
  for (size_t i = 0; i < parts; ++i) {
    facts.zeros |= sources[i].zeros << (i * operation.from_bits);
    facts.ones |= sources[i].ones << (i * operation.from_bits);
  }
  facts.Normalize();
  return facts;
}

IntegerFacts Unpack(const IntegerOperation& operation, unsigned part, const IntegerFacts& whole) {
  const IntegerFacts position = IntegerFacts::Exact(32, part * operation.from_bits);
  return ShiftRight(whole, position, false).Truncated(operation.from_bits);
}

IntegerFacts Compare(absl::Span<const IntegerFacts> sources) {
  const IntegerFacts& code = sources[2];
  if (!code.is_exact() || !IsIntegerComparison(static_cast<int64_t>(code.min))) return IntegerFacts::Unknown(1);
  const std::optional<bool> decided = Decide(static_cast<IntegerComparison>(code.min), sources[0], sources[1]);
  return decided.has_value() ? IntegerFacts::Exact(1, *decided) : IntegerFacts::Unknown(1);
}

IntegerFacts Select(absl::Span<const IntegerFacts> sources) {
  const IntegerFacts& predicate = sources[2];
  if (predicate.is_exact()) return sources[predicate.min != 0 ? 0 : 1];
  return sources[0].JoinedWith(sources[1]);
}

// Returns the number of sources that an operation needs.
unsigned NumSources(const IntegerOperation& operation) {
  switch (operation.op) {
    case IntegerOp::kPack:
      return operation.bits / operation.from_bits;
    case IntegerOp::kInsertField:
    case IntegerOp::kPermute:
      return 4;
    case IntegerOp::kMadLo:
    case IntegerOp::kMadWide:
    case IntegerOp::kFunnelLeft:
    case IntegerOp::kFunnelRight:
    case IntegerOp::kExtractField:
    case IntegerOp::kCompare:
    case IntegerOp::kSelect:
      return 3;
    case IntegerOp::kMove:
    case IntegerOp::kAbs:
    case IntegerOp::kNeg:
    case IntegerOp::kNot:
    case IntegerOp::kFindLeading:
    case IntegerOp::kFindLeadingShift:
    case IntegerOp::kReverse:
    case IntegerOp::kCountLeadingZeros:
    case IntegerOp::kCountOnes:
    case IntegerOp::kConvert:
    case IntegerOp::kConvertFloat:
    case IntegerOp::kUnpack:
    case IntegerOp::kUnpackHigh:
      return 1;
    default:
      return 2;
  }
}

IntegerFacts ComputeArithmetic(const IntegerOperation& operation, absl::Span<const IntegerFacts> s, uint32_t flags) {
  switch (operation.op) {
    case IntegerOp::kAdd:
      return Add(s[0], s[1], flags);
    case IntegerOp::kSub:
      return Subtract(s[0], s[1], flags);
    case IntegerOp::kNeg:
      return Subtract(IntegerFacts::Exact(s[0].bits, 0), s[0], 0);
    case IntegerOp::kAbs:
      return Absolute(s[0]);
    case IntegerOp::kMulLo:
      return Multiply(s[0], s[1], flags);
    case IntegerOp::kMulHi:
      return MultiplyHigh(s[0], s[1], operation.is_signed);
    case IntegerOp::kMulWide:
      return MultiplyWide(s[0], s[1], operation.is_signed);
    case IntegerOp::kMadLo:
      return Add(Multiply(s[0], s[1], 0), s[2], 0);
    case IntegerOp::kMadWide:
      return Add(MultiplyWide(s[0], s[1], operation.is_signed), s[2], 0);
    case IntegerOp::kDiv:
      return Divide(s[0], s[1], operation.is_signed);
    case IntegerOp::kRem:
      return Remainder(s[0], s[1], operation.is_signed);
    case IntegerOp::kMin:
    case IntegerOp::kMax:
      return Extreme(s[0], s[1], operation.is_signed, operation.op == IntegerOp::kMax);
    default:
      return IntegerFacts::Unknown(operation.bits);
  }
}

IntegerFacts ComputeBits(const IntegerOperation& operation, absl::Span<const IntegerFacts> s, uint32_t flags) {
  switch (operation.op) {
    case IntegerOp::kAnd:
      return And(s[0], s[1]);
    case IntegerOp::kOr:
      return Or(s[0], s[1]);
    case IntegerOp::kXor:
      return Xor(s[0], s[1]);
    case IntegerOp::kNot:
      return Not(s[0]);
    case IntegerOp::kShl:
      return ShiftLeft(s[0], s[1], flags);
    case IntegerOp::kShr:
      return ShiftRight(s[0], s[1], operation.is_signed);
    case IntegerOp::kFunnelLeft:
    case IntegerOp::kFunnelRight:
      return FunnelShift(s[0], s[1], s[2], operation.op == IntegerOp::kFunnelLeft, operation.is_clamped);
    case IntegerOp::kExtractField:
      return ExtractField(s[0], s[1], s[2], operation.is_signed);
    case IntegerOp::kInsertField:
      return InsertField(s[0], s[1], s[2], s[3]);
    case IntegerOp::kFindLeading:
    case IntegerOp::kFindLeadingShift:
      return FindLeading(s[0], operation.is_signed, operation.op == IntegerOp::kFindLeadingShift);
    case IntegerOp::kReverse:
      return IntegerFacts::KnownBits(s[0].bits, Reverse(s[0].zeros, s[0].bits), Reverse(s[0].ones, s[0].bits));
    case IntegerOp::kCountLeadingZeros:
      return CountLeadingZeros(s[0]);
    case IntegerOp::kCountOnes:
      return CountOnes(s[0]);
    case IntegerOp::kPermute:
      return Permute(s);
    default:
      return ComputeArithmetic(operation, s, flags);
  }
}

}  // namespace

bool IsIntegerComparison(int64_t code) { return (code >= 0 && code <= 5) || (code >= 8 && code <= 11); }

IntegerComparison Inverted(IntegerComparison comparison) {
  static constexpr uint8_t kInverted[] = {1, 0, 5, 4, 3, 2, 0, 0, 11, 10, 9, 8};
  return static_cast<IntegerComparison>(kInverted[static_cast<size_t>(comparison)]);
}

IntegerComparison Exchanged(IntegerComparison comparison) {
  static constexpr uint8_t kExchanged[] = {0, 1, 4, 5, 2, 3, 0, 0, 10, 11, 8, 9};
  return static_cast<IntegerComparison>(kExchanged[static_cast<size_t>(comparison)]);
}

std::optional<bool> Decide(IntegerComparison comparison, const IntegerFacts& a, const IntegerFacts& b) {
  if (a.is_empty || b.is_empty) return std::nullopt;
  if (Refine(comparison, a, b).is_empty) return false;
  if (Refine(Inverted(comparison), a, b).is_empty) return true;
  return std::nullopt;
}

IntegerFacts Refine(IntegerComparison comparison, const IntegerFacts& a, const IntegerFacts& b) {
  using C = IntegerComparison;
  if (a.is_empty || b.is_empty) return a;
  const bool is_strict = comparison == C::kLess || comparison == C::kGreater || comparison == C::kLessUnsigned ||
                         comparison == C::kGreaterUnsigned;
  IntegerFacts facts = a;
  switch (comparison) {
    case C::kEqual:
      return a.MetWith(b);
    case C::kNotEqual:
      if (!b.is_exact()) return facts;
      if (facts.is_exact() && facts.min == b.min) return IntegerFacts::Empty(a.bits);
      if (facts.min == b.min) ++facts.min;
      if (facts.max == b.min) --facts.max;
      if (facts.smin == b.smin) ++facts.smin;
      if (facts.smax == b.smin) --facts.smax;
      break;
    case C::kLess:
    case C::kLessEqual:
      if (is_strict && b.smax == IntegerFacts::Unknown(a.bits).smin) return IntegerFacts::Empty(a.bits);
      facts.smax = std::min(a.smax, b.smax - (is_strict ? 1 : 0));
      break;
    case C::kGreater:
    case C::kGreaterEqual:
      if (is_strict && b.smin == IntegerFacts::Unknown(a.bits).smax) return IntegerFacts::Empty(a.bits);
      facts.smin = std::max(a.smin, b.smin + (is_strict ? 1 : 0));
      break;
    case C::kLessUnsigned:
    case C::kLessEqualUnsigned:
      if (is_strict && b.max == 0) return IntegerFacts::Empty(a.bits);
      facts.max = std::min(a.max, b.max - (is_strict ? 1 : 0));
      break;
    case C::kGreaterUnsigned:
    case C::kGreaterEqualUnsigned:
      if (is_strict && b.min == a.mask()) return IntegerFacts::Empty(a.bits);
      facts.min = std::max(a.min, b.min + (is_strict ? 1 : 0));
      break;
  }
  facts.Normalize();
  return facts;
}

IntegerFacts ComputeFacts(const IntegerOperation& operation, unsigned result, unsigned result_bits,
                          absl::Span<const IntegerFacts> sources, uint32_t flags) {
  const unsigned num_sources = NumSources(operation);
  if (operation.op == IntegerOp::kNone || sources.size() < num_sources) return IntegerFacts::Unknown(result_bits);
  for (const IntegerFacts& source : sources.first(num_sources)) {
    // A value that there is none of yields none.
    if (source.is_empty) return IntegerFacts::Empty(result_bits);
    if (source.bits == 0) return IntegerFacts::Unknown(result_bits);
  }
  IntegerFacts facts;
  switch (operation.op) {
    case IntegerOp::kMove:
      facts = sources[0];
      break;
    case IntegerOp::kConvert:
      facts = Convert(operation, result_bits, sources);
      break;
    case IntegerOp::kConvertFloat:
      facts = IntegerFacts::Unknown(operation.bits).Extended(result_bits, operation.is_signed);
      break;
    case IntegerOp::kCompare:
      facts = Compare(sources);
      break;
    case IntegerOp::kSelect:
      facts = Select(sources);
      break;
    case IntegerOp::kPack:
      facts = Pack(operation, sources);
      break;
    case IntegerOp::kUnpack:
      facts = Unpack(operation, result, sources[0]);
      break;
    case IntegerOp::kUnpackHigh:
      facts = Unpack(operation, 1, sources[0]);
      break;
    case IntegerOp::kLoad:
      return IntegerFacts::Unknown(result_bits);
    default:
      facts = ComputeBits(operation, sources, flags);
      break;
  }
  return facts.bits == result_bits ? facts : IntegerFacts::Unknown(result_bits);
}

}  // namespace ptxmir
