// SPDX-License-Identifier: Apache-2.0

// Conversions: between integer widths, between integers and floating point, between floating-point formats, and of
// bits.
//
// Every conversion to a floating-point format rounds once. Where PTX needs two steps, the first one rounds to odd:
// an inexact result gets its last bit set. This makes the second rounding correct (Boldo and Melquiond, "Emulation
// of FMA and correctly rounded sums", 2008).

#include <algorithm>
#include <vector>

#include "sdag/legalize/float_constants.h"
#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

// Integers.

LegalValue ExpandExtend(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  if (a.type == MVT::kI8) {
    // The upper half of the i16 is undefined so far.
    LegalValue wide(a.part());
    // If the byte was truncated from a wider register, use that register instead.
    if (wide.part().opcode() == isd::kTruncate && SizeInBits(op.type) >= SizeInBits(wide.part().operand(0).type())) {
      wide = LegalValue(wide.part().operand(0));
    }
    if (op.opcode == isd::kSignExtend) {
      wide = l.Op(isd::kSignExtendInReg, wide.type, {wide}, 0, l.dag().GetValueType(MVT::kI8));
    } else if (op.opcode != isd::kAnyExtend) {
      wide = l.And(wide, l.Constant(wide.type, 0xff));
    }
    return l.Resize(op.opcode, op.type, wide);
  }
  if (op.type == MVT::kI8) return {MVT::kI8, l.Resize(op.opcode, MVT::kI16, a).part()};
  if (op.type == MVT::kI128) {
    const LegalValue low = l.Resize(op.opcode, MVT::kI64, a);
    if (op.opcode == isd::kSignExtend) return l.Wide(low, l.SignMask(low));
    return l.Wide(low, op.opcode == isd::kZeroExtend ? l.Constant(MVT::kI64, 0) : l.Undef(MVT::kI64));
  }
  if (a.type == MVT::kI1) {
    return l.Select(a, l.SignedConstant(op.type, op.opcode == isd::kSignExtend ? -1 : 1), l.Constant(op.type, 0));
  }
  if (op.opcode == isd::kAnyExtend) return l.Op(isd::kZeroExtend, op.type, {a});
  return l.Refused(op.type);
}

LegalValue ExpandTruncate(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  if (a.type == MVT::kI128) return l.ZExtOrTrunc(op.type, l.Low(a));
  if (op.type == MVT::kI8) return {MVT::kI8, l.ZExtOrTrunc(MVT::kI16, a).part()};
  if (a.type == MVT::kI8) return l.ZExtOrTrunc(op.type, LegalValue(a.part()));
  if (op.type == MVT::kI1) {
    return l.SetCC(CondCode::kNe, l.And(a, l.Constant(a.type, 1)), l.Constant(a.type, 0));
  }
  return l.Refused(op.type);
}

LegalValue ExpandTruncateSat(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type);
  const absl::uint128 ones = (absl::uint128(1) << width) - 1, signed_max = ones >> 1;
  LegalValue clamped = a;
  switch (op.opcode) {
    case isd::kTruncateUSatU:
      clamped = l.Op(isd::kUMin, a.type, {a, l.Constant(a.type, ones)});
      break;
    case isd::kTruncateSSatU:
      clamped = l.Op(isd::kSMax, a.type, {a, l.Constant(a.type, 0)});
      clamped = l.Op(isd::kSMin, a.type, {clamped, l.Constant(a.type, ones)});
      break;
    default:
      clamped = l.Op(isd::kSMax, a.type, {a, l.Constant(a.type, ~signed_max)});
      clamped = l.Op(isd::kSMin, a.type, {clamped, l.Constant(a.type, signed_max)});
      break;
  }
  return l.ZExtOrTrunc(op.type, clamped);
}

LegalValue ExpandSignExtendInReg(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type), from = op.type_operand_bits();
  if (from >= width) return a;
  if (from == 0) return l.Refused(op.type);
  const auto words = [&](const LegalValue& word, unsigned bits) {
    const unsigned shift = SizeInBits(word.type) - bits;
    return l.Shift(isd::kSra, l.Shift(isd::kShl, word, shift), shift);
  };
  if (op.type == MVT::kI8) return {MVT::kI8, words(LegalValue(a.part()), from).part()};
  // PTX extracts fields from 32 bits.
  if (op.type == MVT::kI16) return l.AnyExtOrTrunc(MVT::kI16, words(l.AnyExtOrTrunc(MVT::kI32, a), from));
  if (op.type != MVT::kI128) return words(a, from);
  if (from > 64) return l.Wide(l.Low(a), words(l.High(a), from - 64));
  const LegalValue low = words(l.Low(a), from);
  return l.Wide(low, l.SignMask(low));
}

void VisitExtendVectorInReg(Legalizer& l, SDNode& node) {
  const LegalValue source = l.ValueOf(node.operand(0));
  const MVT type = node.value_type(0);
  int16_t opcode = isd::kAnyExtend;
  if (node.opcode() == isd::kSignExtendVectorInReg) opcode = isd::kSignExtend;
  if (node.opcode() == isd::kZeroExtendVectorInReg) opcode = isd::kZeroExtend;
  if (NumElements(type) > NumElements(source.type)) return l.Refuse("more elements than the operand has");
  LegalValues lanes;
  for (unsigned i = 0; i < NumElements(type); ++i) {
    lanes.push_back(l.Resize(opcode, ScalarType(type), l.Lane(source, i)));
  }
  if (!l.has_refused()) l.SetResult(0, l.FromLanes(type, lanes));
}

// Formats.

// Rounds an f64 to odd: to the f32 that lies above and below the same f32 numbers as `a`.
LegalValue RoundToOddF32(Legalizer& l, const LegalValue& a) {
  const LegalValue magnitude = l.Op(isd::kFAbs, MVT::kF64, {a});
  const LegalValue narrow = RoundTo(l, MVT::kF32, magnitude);
  const LegalValue widened = l.Op(isd::kFPExtend, MVT::kF64, {narrow});
  const LegalValue bits = l.Bitcast(MVT::kI32, narrow);
  const LegalValue one = l.Constant(MVT::kI32, 1);
  const LegalValue is_exact = l.SetCC(CondCode::kUeq, widened, magnitude);
  const LegalValue is_odd = l.SetCC(CondCode::kNe, l.And(bits, one), l.Constant(MVT::kI32, 0));
  // If the result is inexact and even, take the neighbor on the other side of the value, which is odd.
  const LegalValue step = l.Select(l.SetCC(CondCode::kOgt, magnitude, widened), one, l.SignedConstant(MVT::kI32, -1));
  const LegalValue odd = l.Select(l.Or(is_exact, is_odd), bits, l.Add(bits, step));
  const LegalValue sign = l.ZExtOrTrunc(MVT::kI32, l.Shift(isd::kSrl, l.Bitcast(MVT::kI64, a), 32));
  return l.Bitcast(MVT::kF32, l.Or(odd, l.And(sign, l.Constant(MVT::kI32, 0x80000000))));
}

LegalValue ExpandFPRound(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  if (a.type == MVT::kF64 && op.type != MVT::kF32) return RoundTo(l, op.type, RoundToOddF32(l, a));
  if (a.type != MVT::kF32 || op.type != MVT::kBF16) return l.Refused(op.type);
  // Add half of the last place less one, plus the last bit: ties go to even.
  const LegalValue bits = l.Bitcast(MVT::kI32, a);
  const LegalValue last = l.And(l.Shift(isd::kSrl, bits, 16), l.Constant(MVT::kI32, 1));
  const LegalValue rounded = l.Add(l.Add(bits, l.Constant(MVT::kI32, 0x7fff)), last);
  const LegalValue result = l.Select(l.SetCC(CondCode::kUo, a, a), l.Constant(MVT::kI32, 0x7fff0000), rounded);
  return l.Bitcast(MVT::kBF16, l.ZExtOrTrunc(MVT::kI16, l.Shift(isd::kSrl, result, 16)));
}

LegalValue ExpandFPExtend(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  if (op.type == MVT::kF64 && a.type != MVT::kF32) {
    return l.Op(isd::kFPExtend, MVT::kF64, {l.Op(isd::kFPExtend, MVT::kF32, {a})});
  }
  if (a.type != MVT::kBF16 || op.type != MVT::kF32) return l.Refused(op.type);
  const LegalValue bits = l.ZExtOrTrunc(MVT::kI32, l.Bitcast(MVT::kI16, a));
  return l.Bitcast(MVT::kF32, l.Shift(isd::kShl, bits, 16));
}

LegalValue ExpandHalfToFP(Legalizer& l, const Operation& op) {
  const MVT half = op.opcode == isd::kFP16ToFP ? MVT::kF16 : MVT::kBF16;
  const LegalValue value = l.Bitcast(half, l.ZExtOrTrunc(MVT::kI16, op.operand(0)));
  return op.type == half ? value : l.Op(isd::kFPExtend, op.type, {value});
}

LegalValue ExpandFPToHalf(Legalizer& l, const Operation& op) {
  const MVT half = op.opcode == isd::kFPToFP16 ? MVT::kF16 : MVT::kBF16;
  const LegalValue& a = op.operand(0);
  return l.ZExtOrTrunc(op.type, l.Bitcast(MVT::kI16, a.type == half ? a : RoundTo(l, half, a)));
}

// Integers to floating point.

// Converts a magnitude of 64 or 128 bits. It is shifted until its leading bit is the top bit of a word; if nonzero
// bits are cut off, the word's last bit is set. The word is converted, which rounds once, and scaled, which is
// exact.
LegalValue ConvertMagnitude(Legalizer& l, MVT type, const LegalValue& magnitude) {
  const unsigned width = SizeInBits(magnitude.type);
  const LegalValue zeros = l.ZExtOrTrunc(MVT::kI32, l.Op(isd::kCtlz, magnitude.type, {magnitude}));
  // For zero, any shift gives zero.
  const LegalValue by = l.And(zeros, l.Constant(MVT::kI32, width - 1));
  const LegalValue shifted = l.Op(isd::kShl, magnitude.type, {magnitude, by});
  const bool is_narrow = type == MVT::kF16 || type == MVT::kBF16;
  LegalValue word = width == 128 ? l.High(shifted) : shifted;
  const auto sticky = [&](const LegalValue& lost) {
    return l.ZExtOrTrunc(MVT::kI64, l.SetCC(CondCode::kNe, lost, l.Constant(MVT::kI64, 0)));
  };
  if (width == 128) word = l.Or(word, sticky(l.Low(shifted)));
  unsigned word_bits = 64;
  if (is_narrow) {
    // f32 holds 24 bits exactly. The value is rounded to the 16-bit format at the end.
    word_bits = 24;
    word = l.Or(l.Shift(isd::kSrl, word, 40), sticky(l.And(word, l.Constant(MVT::kI64, (uint64_t{1} << 40) - 1))));
  }
  const MVT working = is_narrow ? MVT::kF32 : type;
  const LegalValue converted = l.Op(isd::kUIntToFP, working, {word});
  // Multiply by 2^(width - word_bits - zeros), which is made from its exponent.
  const FloatFormat& format = FloatFormatOf(working);
  const MVT integer = *ToInteger(working);
  const LegalValue exponent = l.Sub(l.Constant(MVT::kI32, format.bias() + width - word_bits), zeros);
  const LegalValue scale =
      l.Bitcast(working, l.Shift(isd::kShl, l.ZExtOrTrunc(integer, exponent), format.mantissa_bits));
  const LegalValue scaled = l.Op(isd::kFMul, working, {converted, scale});
  return is_narrow ? RoundTo(l, type, scaled) : scaled;
}

LegalValue ExpandIntToFP(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const bool is_signed = op.opcode == isd::kSIntToFP;
  const unsigned width = SizeInBits(a.type);
  if (width == 1) {
    return l.Select(a, FPConstant(l, op.type, is_signed ? -1.0 : 1.0), FPConstant(l, op.type, 0.0));
  }
  if (width == 8) {
    return l.Op(op.opcode, op.type, {l.Resize(is_signed ? isd::kSignExtend : isd::kZeroExtend, MVT::kI16, a)});
  }
  // f32 holds all 16-bit integers, f64 all 32-bit ones.
  if (width == 16 && op.type != MVT::kF32) return RoundTo(l, op.type, l.Op(op.opcode, MVT::kF32, {a}));
  if (width == 32 && (op.type == MVT::kF16 || op.type == MVT::kBF16)) {
    return RoundTo(l, op.type, l.Op(op.opcode, MVT::kF64, {a}));
  }
  if (width < 64 || (width == 64 && op.type != MVT::kF16 && op.type != MVT::kBF16)) return l.Refused(op.type);
  if (!is_signed) return ConvertMagnitude(l, op.type, a);
  const LegalValue sign = l.SignMask(a);
  const LegalValue magnitude = ConvertMagnitude(l, op.type, l.Sub(l.Xor(a, sign), sign));
  return l.Select(l.IsNegative(a), l.Op(isd::kFNeg, op.type, {magnitude}), magnitude);
}

// Floating point to integers.

LegalValue ToI128(Legalizer& l, const LegalValue& a, bool is_signed) {
  // Treat an f64 as an integer of 53 bits times a power of two, which is at most 2^75 for values that fit.
  const LegalValue value = a.type == MVT::kF64 ? a : l.Op(isd::kFPExtend, MVT::kF64, {a});
  const LegalValue bits = l.Bitcast(MVT::kI64, value);
  const LegalValue mantissa =
      l.Or(l.And(bits, l.Constant(MVT::kI64, (uint64_t{1} << 52) - 1)), l.Constant(MVT::kI64, uint64_t{1} << 52));
  const LegalValue exponent =
      l.And(l.ZExtOrTrunc(MVT::kI32, l.Shift(isd::kSrl, bits, 52)), l.Constant(MVT::kI32, 0x7ff));
  const LegalValue power = l.Sub(exponent, l.Constant(MVT::kI32, 1075));
  const LegalValue right = l.Op(isd::kUMin, MVT::kI32, {l.Negate(power), l.Constant(MVT::kI32, 63)});
  const LegalValue small = l.ZExtOrTrunc(MVT::kI128, l.Op(isd::kSrl, MVT::kI64, {mantissa, right}));
  const LegalValue left = l.And(power, l.Constant(MVT::kI32, 127));
  const LegalValue large = l.Op(isd::kShl, MVT::kI128, {l.ZExtOrTrunc(MVT::kI128, mantissa), left});
  const LegalValue magnitude = l.Select(l.IsNegative(power), small, large);
  if (!is_signed) return magnitude;
  const LegalValue sign = l.SExtOrTrunc(MVT::kI128, l.SignMask(bits));
  return l.Sub(l.Xor(magnitude, sign), sign);
}

LegalValue ExpandFPToInt(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  // 16 bits hold all values of i8 and i1.
  if (op.type == MVT::kI8 || op.type == MVT::kI1) {
    return l.ZExtOrTrunc(op.type, l.Op(isd::kFPToSInt, MVT::kI16, {a}));
  }
  if (IsSixteenBits(a.type)) return l.Op(op.opcode, op.type, {l.Op(isd::kFPExtend, MVT::kF32, {a})});
  if (op.type == MVT::kI128) return ToI128(l, a, op.opcode == isd::kFPToSInt);
  return l.Refused(op.type);
}

LegalValue ExpandFPToIntSat(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  // The bounds must be numbers of the format.
  if (IsSixteenBits(a.type)) {
    return l.Op(op.opcode, op.type, {l.Op(isd::kFPExtend, MVT::kF32, {a})}, op.flags, op.extra);
  }
  const unsigned width = op.type_operand_bits();
  if (width == 0 || width > SizeInBits(op.type)) return l.Refused(op.type);
  const absl::uint128 ones = width == 128 ? ~absl::uint128(0) : (absl::uint128(1) << width) - 1;
  const LegalValue zero = l.Constant(op.type, 0);
  if (op.opcode == isd::kFPToUIntSat) {
    LegalValue result = l.Op(isd::kFPToUInt, op.type, {a});
    result = l.Select(l.SetCC(CondCode::kOge, a, PowerOfTwo(l, a.type, width)), l.Constant(op.type, ones), result);
    // Also handles NaNs.
    return l.Select(l.SetCC(CondCode::kUlt, a, FPConstant(l, a.type, 0.0)), zero, result);
  }
  const absl::uint128 maximum = ones >> 1;
  const LegalValue bound = PowerOfTwo(l, a.type, width - 1);
  LegalValue result = l.Op(isd::kFPToSInt, op.type, {a});
  result = l.Select(l.SetCC(CondCode::kOge, a, bound), l.Constant(op.type, maximum), result);
  const LegalValue lower = l.Op(isd::kFNeg, a.type, {bound});
  result = l.Select(l.SetCC(CondCode::kOlt, a, lower), l.Constant(op.type, ~maximum), result);
  return l.Select(l.SetCC(CondCode::kUo, a, a), zero, result);
}

// Bits.

// A queue of integers from which bits are taken in other widths.
class BitQueue {
 public:
  explicit BitQueue(Legalizer& legalizer) : l_(legalizer) {}

  void Push(const LegalValue& integer) { queue_.push_back(integer); }
  // Takes the next `width` bits.
  LegalValue Take(unsigned width) {
    const MVT type = *IntegerOf(width);
    while (next_ < queue_.size() && SizeInBits(queue_[next_].type) > width) SplitFront();
    if (next_ >= queue_.size()) {
      l_.Refuse("there are fewer bits than asked for");
      return l_.Undef(type);
    }
    if (SizeInBits(queue_[next_].type) == width) return queue_[next_++];
    const LegalValue low = Take(width / 2), high = Take(width / 2);
    if (width == 128) return l_.Wide(low, high);
    if (l_.IsDirect(low.type) && l_.CanSelect(isd::kBuildPair, {type}, {low.type, low.type})) {
      return LegalValue(l_.Node(isd::kBuildPair, type, {low.part(), high.part()}));
    }
    return l_.Or(l_.ZExtOrTrunc(type, low), l_.Shift(isd::kShl, l_.AnyExtOrTrunc(type, high), width / 2));
  }

 private:
  void SplitFront() {
    const LegalValue front = queue_[next_];
    const unsigned half = SizeInBits(front.type) / 2;
    const MVT type = *IntegerOf(half);
    const LegalValue low = l_.ZExtOrTrunc(type, front);
    const LegalValue high =
        front.type == MVT::kI128 ? l_.High(front) : l_.ZExtOrTrunc(type, l_.Shift(isd::kSrl, front, half));
    queue_[next_] = high;
    queue_.insert(queue_.begin() + static_cast<std::ptrdiff_t>(next_), low);
  }

  Legalizer& l_;
  std::vector<LegalValue> queue_;
  size_t next_ = 0;
};

// Returns a part of a value as an integer of the bits that it represents.
LegalValue PartAsInteger(Legalizer& l, const LegalValue& value, const SDValue& part) {
  if (ScalarType(value.type) == MVT::kI8 && part.type() == MVT::kI16) return {MVT::kI8, part};
  const MVT integer = *IntegerOf(SizeInBits(part.type()));
  return part.type() == integer ? LegalValue(part) : LegalValue(l.Node(isd::kBitcast, integer, {part}));
}

// Returns the bits of a vector of i1 as an integer, the first one lowest.
LegalValue BitsToInteger(Legalizer& l, const LegalValue& bits) {
  const std::optional<MVT> type = IntegerOf(SizeInBits(bits.type));
  if (!type.has_value()) return l.Refused(MVT::kI8);
  const MVT working = *type == MVT::kI8 ? MVT::kI16 : *type;
  LegalValue all = l.Constant(working, 0);
  for (unsigned i = 0; i < NumElements(bits.type); ++i) {
    const LegalValue bit = l.Shift(isd::kShl, l.ZExtOrTrunc(working, l.Lane(bits, i)), i);
    all = i == 0 ? bit : l.Or(all, bit);
  }
  return {*type, all.part()};
}

LegalValue IntegerToBits(Legalizer& l, MVT type, const LegalValue& integer) {
  const LegalValue working = integer.type == MVT::kI8 ? LegalValue(integer.part()) : integer;
  LegalValues lanes;
  for (unsigned i = 0; i < NumElements(type); ++i) {
    lanes.push_back(l.ZExtOrTrunc(MVT::kI1, l.Shift(isd::kSrl, working, i)));
  }
  return l.FromLanes(type, lanes);
}

bool IsBits(MVT type) { return IsVector(type) && ScalarType(type) == MVT::kI1; }

LegalValue ExpandBitcast(Legalizer& l, const Operation& op) { return l.Bitcast(op.type, op.operand(0)); }

void VisitBitcast(Legalizer& l, SDNode& node) {
  l.SetResult(0, l.Bitcast(node.value_type(0), l.ValueOf(node.operand(0))));
}

void VisitBuildPair(Legalizer& l, SDNode& node) {
  BitQueue queue(l);
  for (unsigned i = 0; i < 2; ++i) {
    const LegalValue half = l.ValueOf(node.operand(i));
    queue.Push(l.Bitcast(*ToInteger(half.type), half));
  }
  const MVT type = node.value_type(0);
  l.SetResult(0, l.Bitcast(type, queue.Take(SizeInBits(type))));
}

void VisitExtractElement(Legalizer& l, SDNode& node) {
  const auto* index = DynCast<ConstantSDNode>(node.operand(1));
  const LegalValue whole = l.ValueOf(node.operand(0));
  const MVT type = node.value_type(0);
  const unsigned width = SizeInBits(type);
  if (index == nullptr || (index->ZExtValue() + 1) * width > SizeInBits(whole.type)) {
    return l.Refuse("there is no such element");
  }
  const LegalValue integer = l.Bitcast(*ToInteger(whole.type), whole);
  const unsigned first = static_cast<unsigned>(index->ZExtValue()) * width;
  const LegalValue element = l.ZExtOrTrunc(*ToInteger(type), l.Shift(isd::kSrl, integer, first));
  l.SetResult(0, l.Bitcast(type, element));
}

constexpr LegalizeRow kConversionLegalizeRows[] = {
    {isd::kSignExtend, Promotion::kNone, ExpandExtend},
    {isd::kZeroExtend, Promotion::kNone, ExpandExtend},
    {isd::kAnyExtend, Promotion::kNone, ExpandExtend},
    {isd::kTruncate, Promotion::kNone, ExpandTruncate},
    {isd::kTruncateSSatS, Promotion::kNone, ExpandTruncateSat},
    {isd::kTruncateSSatU, Promotion::kNone, ExpandTruncateSat},
    {isd::kTruncateUSatU, Promotion::kNone, ExpandTruncateSat},
    {isd::kSignExtendInReg, Promotion::kNone, ExpandSignExtendInReg},
    {.opcode = isd::kSignExtendVectorInReg, .visit = VisitExtendVectorInReg},
    {.opcode = isd::kZeroExtendVectorInReg, .visit = VisitExtendVectorInReg},
    {.opcode = isd::kAnyExtendVectorInReg, .visit = VisitExtendVectorInReg},
    {isd::kFPRound, Promotion::kNone, ExpandFPRound},
    {isd::kFPExtend, Promotion::kNone, ExpandFPExtend},
    {isd::kSIntToFP, Promotion::kNone, ExpandIntToFP},
    {isd::kUIntToFP, Promotion::kNone, ExpandIntToFP},
    {isd::kFPToSInt, Promotion::kNone, ExpandFPToInt},
    {isd::kFPToUInt, Promotion::kNone, ExpandFPToInt},
    {isd::kFPToSIntSat, Promotion::kNone, ExpandFPToIntSat},
    {isd::kFPToUIntSat, Promotion::kNone, ExpandFPToIntSat},
    {isd::kFP16ToFP, Promotion::kNone, ExpandHalfToFP},
    {isd::kBF16ToFP, Promotion::kNone, ExpandHalfToFP},
    {isd::kFPToFP16, Promotion::kNone, ExpandFPToHalf},
    {isd::kFPToBF16, Promotion::kNone, ExpandFPToHalf},
    {isd::kBitcast, Promotion::kNone, ExpandBitcast, VisitBitcast},
    {.opcode = isd::kBuildPair, .visit = VisitBuildPair},
    {.opcode = isd::kExtractElement, .visit = VisitExtractElement},
};

}  // namespace

absl::Span<const LegalizeRow> ConversionRows() { return kConversionLegalizeRows; }

LegalValue Legalizer::Bitcast(MVT type, const LegalValue& a) {
  if (has_refused() || type == a.type) return has_refused() ? Undef(type) : a;
  if (IsDirect(type) && IsDirect(a.type)) {
    if (const auto* constant = DynCast<ConstantSDNode>(a.part());
        constant != nullptr && IsScalarInteger(a.type) && IsFloatingPoint(type) && !IsVector(type)) {
      return ConstantFP(type, constant->ZExtValue());
    }
    if (const auto* constant = DynCast<ConstantFPSDNode>(a.part());
        constant != nullptr && IsScalarInteger(type) && !IsVector(a.type)) {
      return Constant(type, constant->bits());
    }
    return {type, Node(isd::kBitcast, type, {a.part()})};
  }
  if (IsBits(a.type)) return Bitcast(type, BitsToInteger(*this, a));
  BitQueue queue(*this);
  for (const SDValue& part : a.parts) queue.Push(PartAsInteger(*this, a, part));
  if (IsBits(type)) return IntegerToBits(*this, type, queue.Take(SizeInBits(type)));
  LegalValue result;
  result.type = type;
  for (const MVT part : PartTypes(type)) {
    const bool is_byte = ScalarType(type) == MVT::kI8 && part == MVT::kI16;
    const LegalValue integer = queue.Take(is_byte ? 8 : SizeInBits(part));
    if (has_refused()) return Undef(type);
    result.parts.push_back(is_byte || part == integer.type ? integer.part()
                                                           : Node(isd::kBitcast, part, {integer.part()}));
  }
  return result;
}

}  // namespace ptxmir::sdag
