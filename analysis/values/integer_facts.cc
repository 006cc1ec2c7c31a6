// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/integer_facts.h"

#include "absl/strings/str_format.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

int64_t LeastSigned(unsigned bits) { return IntegerFacts::SignExtend(uint64_t{1} << (bits - 1), bits); }
int64_t GreatestSigned(unsigned bits) { return static_cast<int64_t>(IntegerFacts::LowMask(bits) >> 1); }

}  // namespace

IntegerFacts IntegerFacts::Unknown(unsigned bits) {
  IntegerFacts facts;
  facts.bits = static_cast<uint8_t>(bits);
  facts.max = LowMask(bits);
  facts.smin = LeastSigned(bits);
  facts.smax = GreatestSigned(bits);
  return facts;
}

IntegerFacts IntegerFacts::Empty(unsigned bits) {
  IntegerFacts facts = Unknown(bits);
  facts.is_empty = true;
  return facts;
}

IntegerFacts IntegerFacts::Exact(unsigned bits, uint64_t value) {
  IntegerFacts facts;
  facts.bits = static_cast<uint8_t>(bits);
  facts.ones = facts.min = facts.max = value & LowMask(bits);
  facts.zeros = ~value & LowMask(bits);
  facts.smin = facts.smax = SignExtend(value, bits);
  return facts;
}

IntegerFacts IntegerFacts::UnsignedRange(unsigned bits, uint64_t min, uint64_t max) {
  IntegerFacts facts = Unknown(bits);
  facts.min = min;
  facts.max = max;
  facts.Normalize();
  return facts;
}

IntegerFacts IntegerFacts::SignedRange(unsigned bits, int64_t smin, int64_t smax) {
  IntegerFacts facts = Unknown(bits);
  facts.smin = smin;
  facts.smax = smax;
  facts.Normalize();
  return facts;
}

IntegerFacts IntegerFacts::KnownBits(unsigned bits, uint64_t zeros, uint64_t ones) {
  IntegerFacts facts = Unknown(bits);
  facts.zeros = zeros & LowMask(bits);
  facts.ones = ones & LowMask(bits);
  facts.Normalize();
  return facts;
}

bool IntegerFacts::is_unknown() const { return *this == Unknown(bits); }

bool IntegerFacts::Allows(uint64_t value) const {
  value &= mask();
  const int64_t as_signed = SignExtend(value, bits);
  return !is_empty && (value & zeros) == 0 && (~value & ones) == 0 && value >= min && value <= max &&
         as_signed >= smin && as_signed <= smax;
}

void IntegerFacts::SharpenOnce() {
  // Known bits bound both ranges. An unknown sign bit is 1 in the least signed value and 0 in the greatest one.
  min = std::max(min, ones);
  max = std::min(max, mask() & ~zeros);
  const uint64_t unknown_sign = sign_bit() & ~known();
  smin = std::max(smin, SignExtend(ones | unknown_sign, bits));
  smax = std::min(smax, SignExtend(mask() & ~zeros & ~unknown_sign, bits));
  // A range on one side of the sign change holds in both views.
  if (smin >= 0 || smax < 0) {
    min = std::max(min, static_cast<uint64_t>(smin) & mask());
    max = std::min(max, static_cast<uint64_t>(smax) & mask());
  }
  if (max < sign_bit() || min >= sign_bit()) {
    smin = std::max(smin, SignExtend(min, bits));
    smax = std::min(smax, SignExtend(max, bits));
  }
  if (min > max || smin > smax) return;
  // The equal leading bits of the ends are known.
  const uint64_t prefix = mask() & ~LowMask(static_cast<unsigned>(std::bit_width(min ^ max)));
  ones |= min & prefix;
  zeros |= ~min & prefix;
}

void IntegerFacts::Normalize() {
  if (is_empty) return;
  SharpenOnce();
  if (known() != 0) SharpenOnce();
  if (min > max || smin > smax || (zeros & ones) != 0) *this = Empty(bits);
}

IntegerFacts IntegerFacts::JoinedWith(const IntegerFacts& other) const {
  if (is_empty) return other;
  if (other.is_empty) return *this;
  IntegerFacts facts;
  facts.bits = bits;
  facts.zeros = zeros & other.zeros;
  facts.ones = ones & other.ones;
  facts.min = std::min(min, other.min);
  facts.max = std::max(max, other.max);
  facts.smin = std::min(smin, other.smin);
  facts.smax = std::max(smax, other.smax);
  return facts;
}

IntegerFacts IntegerFacts::MetWith(const IntegerFacts& other) const {
  if (is_empty) return *this;
  if (other.is_empty) return other;
  IntegerFacts facts;
  facts.bits = bits;
  facts.zeros = zeros | other.zeros;
  facts.ones = ones | other.ones;
  facts.min = std::max(min, other.min);
  facts.max = std::min(max, other.max);
  facts.smin = std::max(smin, other.smin);
  facts.smax = std::min(smax, other.smax);
  facts.Normalize();
  return facts;
}

IntegerFacts IntegerFacts::Truncated(unsigned width) const {
  if (width >= bits) return *this;
  if (is_empty) return Empty(width);
  IntegerFacts facts = Unknown(width);
  facts.zeros = zeros & facts.mask();
  facts.ones = ones & facts.mask();
  if (FitsUnsigned(width)) {
    facts.min = min;
    facts.max = max;
  }
  if (FitsSigned(width)) {
    facts.smin = smin;
    facts.smax = smax;
  }
  facts.Normalize();
  return facts;
}

IntegerFacts IntegerFacts::ZeroExtended(unsigned width) const {
  if (width <= bits) return *this;
  if (is_empty) return Empty(width);
  IntegerFacts facts = Unknown(width);
  facts.zeros = zeros | (facts.mask() & ~mask());
  facts.ones = ones;
  facts.min = min;
  facts.max = max;
  facts.smin = static_cast<int64_t>(min);
  facts.smax = static_cast<int64_t>(max);
  return facts;
}

IntegerFacts IntegerFacts::SignExtended(unsigned width) const {
  if (width <= bits) return *this;
  if (is_empty) return Empty(width);
  IntegerFacts facts = Unknown(width);
  facts.zeros = static_cast<uint64_t>(SignExtend(zeros, bits)) & facts.mask();
  facts.ones = static_cast<uint64_t>(SignExtend(ones, bits)) & facts.mask();
  facts.smin = smin;
  facts.smax = smax;
  facts.Normalize();
  return facts;
}

std::string IntegerFacts::ToString() const {
  if (is_empty) return "never";
  std::string text;
  if (min != 0 || max != mask()) StrAppend(&text, " [", min, ", ", max, "]");
  if (smin < 0 && (smin != LeastSigned(bits) || smax != GreatestSigned(bits))) {
    StrAppend(&text, " signed [", smin, ", ", smax, "]");
  }
  const uint64_t told = mask() & ~LowMask(static_cast<unsigned>(std::bit_width(min ^ max)));
  if ((zeros & ~told) != 0) absl::StrAppendFormat(&text, " zeros 0x%x", zeros);
  if ((ones & ~told) != 0) absl::StrAppendFormat(&text, " ones 0x%x", ones);
  return text.empty() ? "unknown" : text.substr(1);
}

}  // namespace ptxmir
