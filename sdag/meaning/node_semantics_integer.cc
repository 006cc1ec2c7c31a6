// SPDX-License-Identifier: Apache-2.0

// Integer operations on one lane (node_semantics_lanes.h), of any width up to 128.

#include <algorithm>
#include <bit>
#include <cmath>

#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;
using S = absl::int128;

struct Product {
  U low, high;
};

// Returns all 256 bits of the product, computed from parts of 64 bits.
Product MultiplyUnsigned(U a, U b) {
  const U a0 = absl::Uint128Low64(a), a1 = absl::Uint128High64(a);
  const U b0 = absl::Uint128Low64(b), b1 = absl::Uint128High64(b);
  const U low = a0 * b0;
  const U middle1 = a1 * b0 + absl::Uint128High64(low);
  const U middle2 = a0 * b1 + absl::Uint128Low64(middle1);
  return {(middle2 << 64) | absl::Uint128Low64(low),
          a1 * b1 + absl::Uint128High64(middle1) + absl::Uint128High64(middle2)};
}

bool Negative(U value, unsigned width) { return ((value >> (width - 1)) & 1) != 0; }
U SignMask(unsigned width) { return U(1) << (width - 1); }
S Signed(U value, unsigned width) { return SignExtended(value, width); }
U Max(unsigned width, bool is_signed) { return is_signed ? LowBits(width) >> 1 : LowBits(width); }
// Shift amounts may have any size. An amount that is not below the width is too far.
bool TooFar(U amount, unsigned width) { return amount >= U(width); }
int Amount(U amount) { return static_cast<int>(absl::Uint128Low64(amount)); }

// Returns the product of two numbers of `width` bits as two numbers of that width.
Product MultiplyWide(U a, U b, unsigned width, bool is_signed) {
  if (width == 128) {
    Product product = MultiplyUnsigned(a, b);
    if (is_signed && Negative(a, width)) product.high -= b;
    if (is_signed && Negative(b, width)) product.high -= a;
    return product;
  }
  if (width <= 64) {
    const U product = is_signed ? static_cast<U>(Signed(a, width)) * static_cast<U>(Signed(b, width)) : a * b;
    return {product & LowBits(width), (product >> width) & LowBits(width)};
  }
  return {0, 0};  // there are no types between 64 and 128 bits
}

bool AddOverflows(U a, U b, U carry, unsigned width, bool is_signed) {
  const U mask = LowBits(width);
  const U sum = (a + b + carry) & mask;
  if (is_signed) return Negative((a ^ sum) & (b ^ sum), width);
  return sum < a || (carry != 0 && sum == a);
}
bool SubOverflows(U a, U b, U borrow, unsigned width, bool is_signed) {
  const U difference = (a - b - borrow) & LowBits(width);
  if (is_signed) return Negative((a ^ b) & (a ^ difference), width);
  return a < b || (borrow != 0 && a == b);
}
bool MulOverflows(U a, U b, unsigned width, bool is_signed) {
  const Product product = MultiplyWide(a, b, width, is_signed);
  if (!is_signed) return product.high != 0;
  return product.high != (Negative(product.low, width) ? LowBits(width) : U(0));
}

unsigned LeadingZeros(U value, unsigned width) {
  unsigned count = 0;
  while (count < width && ((value >> (width - 1 - count)) & 1) == 0) ++count;
  return count;
}
unsigned TrailingZeros(U value, unsigned width) {
  unsigned count = 0;
  while (count < width && ((value >> count) & 1) == 0) ++count;
  return count;
}
unsigned Population(U value) {
  return static_cast<unsigned>(std::popcount(absl::Uint128Low64(value)) + std::popcount(absl::Uint128High64(value)));
}

// Sets a result. It is `undefined` if a flag makes a promise that does not hold.
void Set(Lane* out, U bits, bool undefined = false) { *out = undefined ? Lane::Undefined() : Lane{bits}; }

void Add(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  Set(out, in[0].bits + in[1].bits,
      (c.HasFlag(SDNodeFlags::kNoUnsignedWrap) && AddOverflows(in[0].bits, in[1].bits, 0, w, false)) ||
          (c.HasFlag(SDNodeFlags::kNoSignedWrap) && AddOverflows(in[0].bits, in[1].bits, 0, w, true)));
}
// The offset is as wide as the pointer, or narrower and signed.
void PtrAdd(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, in[0].bits + static_cast<U>(Signed(in[1].bits, c.operand1_width)));
}
void Sub(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  Set(out, in[0].bits - in[1].bits,
      (c.HasFlag(SDNodeFlags::kNoUnsignedWrap) && SubOverflows(in[0].bits, in[1].bits, 0, w, false)) ||
          (c.HasFlag(SDNodeFlags::kNoSignedWrap) && SubOverflows(in[0].bits, in[1].bits, 0, w, true)));
}
void Mul(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  Set(out, in[0].bits * in[1].bits,
      (c.HasFlag(SDNodeFlags::kNoUnsignedWrap) && MulOverflows(in[0].bits, in[1].bits, w, false)) ||
          (c.HasFlag(SDNodeFlags::kNoSignedWrap) && MulOverflows(in[0].bits, in[1].bits, w, true)));
}
// Divides. Callers use the quotient, the remainder or both.
bool Divide(const LaneContext& c, const Lane* in, bool is_signed, U* quotient, U* remainder) {
  const unsigned w = c.operand_width;
  const U a = in[0].bits, b = in[1].bits;
  if (b == 0) return false;
  if (!is_signed) {
    *quotient = a / b;
    *remainder = a % b;
    return true;
  }
  if (a == SignMask(w) && b == LowBits(w)) return false;
  const bool a_negative = Negative(a, w), b_negative = Negative(b, w);
  const U a_magnitude = a_negative ? (-a & LowBits(w)) : a, b_magnitude = b_negative ? (-b & LowBits(w)) : b;
  *quotient = a_magnitude / b_magnitude;
  *remainder = a_magnitude % b_magnitude;
  if (a_negative != b_negative) *quotient = -*quotient;
  if (a_negative) *remainder = -*remainder;
  return true;
}
template <bool kSigned>
void Div(const LaneContext& c, const Lane* in, Lane* out) {
  U quotient, remainder;
  const bool defined = Divide(c, in, kSigned, &quotient, &remainder);
  Set(out, quotient, !defined || (c.HasFlag(SDNodeFlags::kExact) && remainder != 0));
}
template <bool kSigned>
void Rem(const LaneContext& c, const Lane* in, Lane* out) {
  U quotient, remainder;
  const bool defined = Divide(c, in, kSigned, &quotient, &remainder);
  Set(out, remainder, !defined);
}
template <bool kSigned>
void DivRem(const LaneContext& c, const Lane* in, Lane* out) {
  U quotient, remainder;
  const bool defined = Divide(c, in, kSigned, &quotient, &remainder);
  Set(&out[0], quotient, !defined);
  Set(&out[1], remainder, !defined);
}
template <bool kSigned>
void MulLoHi(const LaneContext& c, const Lane* in, Lane* out) {
  const Product product = MultiplyWide(in[0].bits, in[1].bits, c.result_width, kSigned);
  Set(&out[0], product.low);
  Set(&out[1], product.high);
}
template <bool kSigned>
void MulHigh(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, MultiplyWide(in[0].bits, in[1].bits, c.result_width, kSigned).high);
}
template <bool kSigned>
void MulExtended(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.operand_width;
  Set(out, kSigned ? static_cast<U>(Signed(in[0].bits, w)) * static_cast<U>(Signed(in[1].bits, w))
                   : in[0].bits * in[1].bits);
}

// Half of a sum, without losing the carry.
template <bool kSigned, bool kCeil>
void Average(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const U a = in[0].bits, b = in[1].bits, half = a ^ b;
  const U shifted = kSigned ? static_cast<U>(Signed(half, w) >> 1) : half >> 1;
  Set(out, kCeil ? (a | b) - shifted : (a & b) + shifted);
}
template <bool kSigned>
bool Less(U a, U b, unsigned width) {
  return kSigned ? Signed(a, width) < Signed(b, width) : a < b;
}
template <bool kSigned>
void AbsDifference(const LaneContext& c, const Lane* in, Lane* out) {
  const bool less = Less<kSigned>(in[0].bits, in[1].bits, c.result_width);
  Set(out, less ? in[1].bits - in[0].bits : in[0].bits - in[1].bits);
}
template <bool kSigned, bool kMax>
void MinMax(const LaneContext& c, const Lane* in, Lane* out) {
  const bool less = Less<kSigned>(in[0].bits, in[1].bits, c.result_width);
  Set(out, less != kMax ? in[0].bits : in[1].bits);
}
void Abs(const LaneContext& c, const Lane* in, Lane* out) {
  const bool negative = Negative(in[0].bits, c.result_width);
  Set(out, negative ? -in[0].bits : in[0].bits,
      c.HasFlag(SDNodeFlags::kNoSignedWrap) && in[0].bits == SignMask(c.result_width));
}
template <bool kSigned>
void Compare3(const LaneContext& c, const Lane* in, Lane* out) {
  const U a = in[0].bits, b = in[1].bits;
  Set(out, a == b ? U(0) : Less<kSigned>(a, b, c.operand_width) ? ~U(0) : U(1));
}
template <bool kSigned>
void AddSaturated(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const bool overflow = AddOverflows(in[0].bits, in[1].bits, 0, w, kSigned);
  const U limit = kSigned && Negative(in[0].bits, w) ? SignMask(w) : Max(w, kSigned);
  Set(out, overflow ? limit : in[0].bits + in[1].bits);
}
template <bool kSigned>
void SubSaturated(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const bool overflow = SubOverflows(in[0].bits, in[1].bits, 0, w, kSigned);
  const U limit = !kSigned ? U(0) : Negative(in[0].bits, w) ? SignMask(w) : Max(w, true);
  Set(out, overflow ? limit : in[0].bits - in[1].bits);
}
template <bool kSigned>
void ShlSaturated(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const U a = in[0].bits;
  if (TooFar(in[1].bits, w)) return Set(out, 0, true);
  const int amount = Amount(in[1].bits);
  const U shifted = (a << amount) & LowBits(w);
  const U back = kSigned ? static_cast<U>(Signed(shifted, w) >> amount) & LowBits(w) : shifted >> amount;
  Set(out, back == a ? shifted : kSigned && Negative(a, w) ? SignMask(w) : Max(w, kSigned));
}

template <bool kSigned, bool kCarryIn>
void AddWithOverflow(const LaneContext& c, const Lane* in, Lane* out) {
  const U carry = kCarryIn ? in[2].bits & 1 : U(0);
  Set(&out[0], in[0].bits + in[1].bits + carry);
  Set(&out[1], AddOverflows(in[0].bits, in[1].bits, carry, c.result_width, kSigned) ? ~U(0) : U(0));
}
template <bool kSigned, bool kCarryIn>
void SubWithOverflow(const LaneContext& c, const Lane* in, Lane* out) {
  const U borrow = kCarryIn ? in[2].bits & 1 : U(0);
  Set(&out[0], in[0].bits - in[1].bits - borrow);
  Set(&out[1], SubOverflows(in[0].bits, in[1].bits, borrow, c.result_width, kSigned) ? ~U(0) : U(0));
}
template <bool kSigned>
void MulWithOverflow(const LaneContext& c, const Lane* in, Lane* out) {
  Set(&out[0], in[0].bits * in[1].bits);
  Set(&out[1], MulOverflows(in[0].bits, in[1].bits, c.result_width, kSigned) ? ~U(0) : U(0));
}

void And(const LaneContext&, const Lane* in, Lane* out) { Set(out, in[0].bits & in[1].bits); }
void Or(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, in[0].bits | in[1].bits, c.HasFlag(SDNodeFlags::kDisjoint) && (in[0].bits & in[1].bits) != 0);
}
void Xor(const LaneContext&, const Lane* in, Lane* out) { Set(out, in[0].bits ^ in[1].bits); }
void Shl(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  if (TooFar(in[1].bits, w)) return Set(out, 0, true);
  const int amount = Amount(in[1].bits);
  const U shifted = (in[0].bits << amount) & LowBits(w);
  Set(out, shifted,
      (c.HasFlag(SDNodeFlags::kNoUnsignedWrap) && (shifted >> amount) != in[0].bits) ||
          (c.HasFlag(SDNodeFlags::kNoSignedWrap) && (Signed(shifted, w) >> amount) != Signed(in[0].bits, w)));
}
template <bool kSigned>
void ShiftRight(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  if (TooFar(in[1].bits, w)) return Set(out, 0, true);
  const int amount = Amount(in[1].bits);
  const bool inexact = (in[0].bits & ((U(1) << amount) - 1)) != 0;
  Set(out, kSigned ? static_cast<U>(Signed(in[0].bits, w) >> amount) : in[0].bits >> amount,
      c.HasFlag(SDNodeFlags::kExact) && inexact);
}
// Returns `a` above `b`, shifted left.
U Funnel(U a, U b, unsigned amount, unsigned width) {
  if (amount == 0) return a;
  if (amount == width) return b;
  return (a << static_cast<int>(amount)) | (b >> static_cast<int>(width - amount));
}
unsigned Modulo(U amount, unsigned width) { return static_cast<unsigned>(absl::Uint128Low64(amount % U(width))); }
void Rotl(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, Funnel(in[0].bits, in[0].bits, Modulo(in[1].bits, c.result_width), c.result_width));
}
void Rotr(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  Set(out, Funnel(in[0].bits, in[0].bits, w - Modulo(in[1].bits, w), w));
}
void FShl(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, Funnel(in[0].bits, in[1].bits, Modulo(in[2].bits, c.result_width), c.result_width));
}
void FShr(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  Set(out, Funnel(in[0].bits, in[1].bits, w - Modulo(in[2].bits, w), w));
}
// Shifts a number of two parts, the low one first.
template <bool kLeft, bool kSigned>
void ShiftParts(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  if (w > 64 || TooFar(in[2].bits, 2 * w)) {
    Set(&out[0], 0, true);
    Set(&out[1], 0, true);
    return;
  }
  const U whole = in[1].bits << static_cast<int>(w) | in[0].bits;
  const int amount = Amount(in[2].bits);
  const U shifted = kLeft     ? whole << amount
                    : kSigned ? static_cast<U>(Signed(whole, 2 * w) >> amount)
                              : whole >> amount;
  Set(&out[0], shifted);
  Set(&out[1], shifted >> static_cast<int>(w));
}
// NVPTX's shifts, whose amounts are limited to the width.
template <bool kLeft>
void ShiftClamped(const LaneContext& c, const Lane* in, Lane* out) {
  const bool gone = TooFar(in[1].bits, c.result_width);
  const int amount = gone ? 0 : Amount(in[1].bits);
  Set(out, gone ? U(0) : kLeft ? in[0].bits << amount : in[0].bits >> amount);
}
template <bool kLeft>
void FunnelClamped(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const unsigned amount = in[2].bits >= U(w) ? w : static_cast<unsigned>(absl::Uint128Low64(in[2].bits));
  Set(out, Funnel(in[0].bits, in[1].bits, kLeft ? amount : w - amount, w));
}

void Bswap(const LaneContext& c, const Lane* in, Lane* out) {
  U result = 0;
  for (unsigned i = 0; i < c.result_width; i += 8) {
    result |= ((in[0].bits >> static_cast<int>(i)) & 0xff) << static_cast<int>(c.result_width - 8 - i);
  }
  // A width that is not a whole number of bytes has no bytes to exchange.
  Set(out, result, c.result_width % 8 != 0);
}
void Bitreverse(const LaneContext& c, const Lane* in, Lane* out) {
  U result = 0;
  for (unsigned i = 0; i < c.result_width; ++i) {
    result |= ((in[0].bits >> static_cast<int>(i)) & 1) << static_cast<int>(c.result_width - 1 - i);
  }
  Set(out, result);
}
void Ctpop(const LaneContext&, const Lane* in, Lane* out) { Set(out, Population(in[0].bits)); }
void Parity(const LaneContext&, const Lane* in, Lane* out) { Set(out, Population(in[0].bits) & 1); }
template <bool kZeroUndefined>
void Ctlz(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, LeadingZeros(in[0].bits, c.result_width), kZeroUndefined && in[0].bits == 0);
}
template <bool kZeroUndefined>
void Cttz(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, TrailingZeros(in[0].bits, c.result_width), kZeroUndefined && in[0].bits == 0);
}

void SignExtend(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, static_cast<U>(Signed(in[0].bits, c.operand_width)));
}
void ZeroExtend(const LaneContext& c, const Lane* in, Lane* out) {
  Set(out, in[0].bits, c.HasFlag(SDNodeFlags::kNonNeg) && Negative(in[0].bits, c.operand_width));
}
void Truncate(const LaneContext& c, const Lane* in, Lane* out) {
  const U low = in[0].bits & LowBits(c.result_width);
  Set(out, low,
      (c.HasFlag(SDNodeFlags::kNoUnsignedWrap) && low != in[0].bits) ||
          (c.HasFlag(SDNodeFlags::kNoSignedWrap) &&
           Signed(low, c.result_width) != Signed(in[0].bits, c.operand_width)));
}
template <bool kFromSigned, bool kToSigned>
void TruncateSaturated(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  if (w >= c.operand_width) return Set(out, 0, true);
  if (!kFromSigned) return Set(out, std::min(in[0].bits, Max(w, kToSigned)));
  const S value = Signed(in[0].bits, c.operand_width);
  const S low = kToSigned ? Signed(SignMask(w), w) : S(0);
  const S high = static_cast<S>(Max(w, kToSigned));
  Set(out, static_cast<U>(std::clamp(value, low, high)));
}
unsigned TypeOperandWidth(const LaneContext& c) {
  const EVT type = c.operation->type_operand;
  return type.IsVector() ? ScalarSizeInBits(type.simple()) : type.SizeInBits();
}
void SignExtendInReg(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = TypeOperandWidth(c);
  if (w == 0 || w > c.result_width) return Set(out, 0, true);
  Set(out, static_cast<U>(Signed(in[0].bits & LowBits(w), w)));
}
void AssertSext(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = TypeOperandWidth(c);
  if (w == 0 || w > c.result_width) return Set(out, in[0].bits);
  Set(out, in[0].bits, Signed(in[0].bits & LowBits(w), w) != Signed(in[0].bits, c.result_width));
}
void AssertZext(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = TypeOperandWidth(c);
  Set(out, in[0].bits, w < c.result_width && (in[0].bits >> static_cast<int>(w)) != 0);
}

bool CompareIntegers(CondCode code, U a, U b, unsigned width) {
  const unsigned bits = static_cast<unsigned>(code);
  const bool is_unsigned = (bits & 8) != 0 && (bits & 16) == 0;
  const bool less = is_unsigned ? a < b : Signed(a, width) < Signed(b, width);
  return (a == b && (bits & 1) != 0) || (a != b && !less && (bits & 2) != 0) || (less && (bits & 4) != 0);
}
void SetCC(const LaneContext& c, const Lane* in, Lane* out) {
  bool holds;
  if (IsFloatingPoint(c.operand0)) {
    const bool flush = c.operation->flush_f32 && c.operand0 == MVT::kF32;
    const U a = flush ? FlushedF32(in[0].bits) : in[0].bits, b = flush ? FlushedF32(in[1].bits) : in[1].bits;
    const double x = FloatValue(c.operand0, a), y = FloatValue(c.operand0, b);
    if ((c.HasFlag(SDNodeFlags::kNoNaNs) && (std::isnan(x) || std::isnan(y))) ||
        (c.HasFlag(SDNodeFlags::kNoInfs) && (std::isinf(x) || std::isinf(y)))) {
      return Set(out, 0, true);
    }
    holds = CompareFloats(c.operation->cond_code, x, y);
  } else {
    const bool signs_differ = Negative(in[0].bits ^ in[1].bits, c.operand_width);
    if (c.HasFlag(SDNodeFlags::kSameSign) && signs_differ) return Set(out, 0, true);
    holds = CompareIntegers(c.operation->cond_code, in[0].bits, in[1].bits, c.operand_width);
  }
  Set(out, holds ? ~U(0) : U(0));
}
// Compares two long numbers, given their upper parts and the borrow of the rest.
void SetCCCarry(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.operand_width;
  const U borrow = in[2].bits & 1;
  const U difference = (in[0].bits - in[1].bits - borrow) & LowBits(w);
  const bool unsigned_less = SubOverflows(in[0].bits, in[1].bits, borrow, w, false);
  const bool signed_less = SubOverflows(in[0].bits, in[1].bits, borrow, w, true) != Negative(difference, w);
  switch (c.operation->cond_code) {
    case CondCode::kUlt:
      return Set(out, unsigned_less ? ~U(0) : U(0));
    case CondCode::kUge:
      return Set(out, unsigned_less ? U(0) : ~U(0));
    case CondCode::kLt:
      return Set(out, signed_less ? ~U(0) : U(0));
    case CondCode::kGe:
      return Set(out, signed_less ? U(0) : ~U(0));
    default:
      return Set(out, 0, true);  // other comparisons need more than a borrow
  }
}

// bfi.b32 and .b64: `length` bits of operand 0 replace those of operand 1 from `position` on.
void Bfi(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.result_width;
  const unsigned position = absl::Uint128Low64(in[2].bits) & 0xff, length = absl::Uint128Low64(in[3].bits) & 0xff;
  if (position >= w || length == 0) return Set(out, in[1].bits);
  const U mask = LowBits(std::min(length, w - position)) << static_cast<int>(position);
  Set(out, (in[1].bits & ~mask) | ((in[0].bits << static_cast<int>(position)) & mask));
}
// prmt.b32 with its modes (operand 3, as NVPTX's PrmtMode: none, f4e, b4e, rc8, ecl, ecr, rc16).
void Prmt(const LaneContext&, const Lane* in, Lane* out) {
  const uint64_t bytes = absl::Uint128Low64(in[0].bits) | absl::Uint128Low64(in[1].bits) << 32;
  const auto control = static_cast<uint32_t>(absl::Uint128Low64(in[2].bits));
  const unsigned mode = static_cast<unsigned>(absl::Uint128Low64(in[3].bits));
  const unsigned s = control & 3;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector;
    switch (mode) {
      case 0:
        selector = (control >> (4 * i)) & 15;
        break;
      case 1:
        selector = s + i;
        break;
      case 2:
        selector = (s - i) & 7;
        break;
      case 3:
        selector = s;
        break;
      case 4:
        selector = std::max(i, s);
        break;
      case 5:
        selector = std::min(i, s);
        break;
      case 6:
        selector = (s & 1) * 2 + (i & 1);
        break;
      default:
        return Set(out, 0, true);
    }
    uint32_t byte = (bytes >> (8 * (selector & 7))) & 0xff;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  Set(out, result);
}

constexpr LaneRow kIntegerRows[] = {
    {isd::kAdd, 2, Add},
    {isd::kSub, 2, Sub},
    {isd::kMul, 2, Mul},
    {isd::kPtrAdd, 2, PtrAdd},
    {isd::kSDiv, 2, Div<true>},
    {isd::kUDiv, 2, Div<false>},
    {isd::kSRem, 2, Rem<true>},
    {isd::kURem, 2, Rem<false>},
    {isd::kSDivRem, 2, DivRem<true>},
    {isd::kUDivRem, 2, DivRem<false>},
    {isd::kSMulLoHi, 2, MulLoHi<true>},
    {isd::kUMulLoHi, 2, MulLoHi<false>},
    {isd::kMulHS, 2, MulHigh<true>},
    {isd::kMulHU, 2, MulHigh<false>},
    {isd::kNvMulWideSigned, 2, MulExtended<true>},
    {isd::kNvMulWideUnsigned, 2, MulExtended<false>},
    {isd::kAvgFloorS, 2, Average<true, false>},
    {isd::kAvgFloorU, 2, Average<false, false>},
    {isd::kAvgCeilS, 2, Average<true, true>},
    {isd::kAvgCeilU, 2, Average<false, true>},
    {isd::kAbdS, 2, AbsDifference<true>},
    {isd::kAbdU, 2, AbsDifference<false>},
    {isd::kSMin, 2, MinMax<true, false>},
    {isd::kSMax, 2, MinMax<true, true>},
    {isd::kUMin, 2, MinMax<false, false>},
    {isd::kUMax, 2, MinMax<false, true>},
    {isd::kAbs, 1, Abs},
    {isd::kSCmp, 2, Compare3<true>},
    {isd::kUCmp, 2, Compare3<false>},
    {isd::kSAddSat, 2, AddSaturated<true>},
    {isd::kUAddSat, 2, AddSaturated<false>},
    {isd::kSSubSat, 2, SubSaturated<true>},
    {isd::kUSubSat, 2, SubSaturated<false>},
    {isd::kSShlSat, 2, ShlSaturated<true>},
    {isd::kUShlSat, 2, ShlSaturated<false>},
    {isd::kAddC, 2, AddWithOverflow<false, false>},
    {isd::kAddE, 3, AddWithOverflow<false, true>},
    {isd::kSubC, 2, SubWithOverflow<false, false>},
    {isd::kSubE, 3, SubWithOverflow<false, true>},
    {isd::kSAddO, 2, AddWithOverflow<true, false>},
    {isd::kUAddO, 2, AddWithOverflow<false, false>},
    {isd::kSSubO, 2, SubWithOverflow<true, false>},
    {isd::kUSubO, 2, SubWithOverflow<false, false>},
    {isd::kSMulO, 2, MulWithOverflow<true>},
    {isd::kUMulO, 2, MulWithOverflow<false>},
    {isd::kSAddOCarry, 3, AddWithOverflow<true, true>},
    {isd::kUAddOCarry, 3, AddWithOverflow<false, true>},
    {isd::kSSubOCarry, 3, SubWithOverflow<true, true>},
    {isd::kUSubOCarry, 3, SubWithOverflow<false, true>},
    {isd::kAnd, 2, And},
    {isd::kOr, 2, Or},
    {isd::kXor, 2, Xor},
    {isd::kShl, 2, Shl},
    {isd::kSra, 2, ShiftRight<true>},
    {isd::kSrl, 2, ShiftRight<false>},
    {isd::kRotl, 2, Rotl},
    {isd::kRotr, 2, Rotr},
    {isd::kFShl, 3, FShl},
    {isd::kFShr, 3, FShr},
    {isd::kShlParts, 3, ShiftParts<true, false>},
    {isd::kSraParts, 3, ShiftParts<false, true>},
    {isd::kSrlParts, 3, ShiftParts<false, false>},
    {isd::kNvShlClamp, 2, ShiftClamped<true>},
    {isd::kNvSrlClamp, 2, ShiftClamped<false>},
    {isd::kNvFShlClamp, 3, FunnelClamped<true>},
    {isd::kNvFShrClamp, 3, FunnelClamped<false>},
    {isd::kBswap, 1, Bswap},
    {isd::kBitreverse, 1, Bitreverse},
    {isd::kCtpop, 1, Ctpop},
    {isd::kCtlz, 1, Ctlz<false>},
    {isd::kCttz, 1, Cttz<false>},
    {isd::kCtlzZeroUndef, 1, Ctlz<true>},
    {isd::kCttzZeroUndef, 1, Cttz<true>},
    {isd::kParity, 1, Parity},
    {isd::kSignExtend, 1, SignExtend},
    {isd::kZeroExtend, 1, ZeroExtend},
    {isd::kTruncate, 1, Truncate},
    {isd::kTruncateSSatS, 1, TruncateSaturated<true, true>},
    {isd::kTruncateSSatU, 1, TruncateSaturated<true, false>},
    {isd::kTruncateUSatU, 1, TruncateSaturated<false, false>},
    {isd::kSignExtendInReg, 1, SignExtendInReg},
    {isd::kAssertSext, 1, AssertSext},
    {isd::kAssertZext, 1, AssertZext},
    {isd::kSetCC, 2, SetCC},
    {isd::kSetCCCarry, 3, SetCCCarry},
    {isd::kNvBfi, 4, Bfi},
    {isd::kNvPrmt, 4, Prmt},
};

}  // namespace

absl::Span<const LaneRow> IntegerLaneRows() { return kIntegerRows; }

}  // namespace ptxmir::sdag
