// SPDX-License-Identifier: Apache-2.0

#include "tests/sdag/random_dag.h"

#include <algorithm>

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

U TellingInteger(unsigned width, SplitMix64& random) {
  const int bit = static_cast<int>(random.Next() % width);
  switch (random.Next() % 9) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return ~U(0);
    case 3:
      return U(1) << bit;
    case 4:
      return (U(1) << bit) - 1;
    case 5:
      return -(U(1) << bit);
    case 6:
      return random.Next() % 12;
    case 7:
      return LowBits(width) >> 1;
    default:
      return absl::MakeUint128(random.Next(), random.Next());
  }
}

// Returns the bits of a float: zero, one, a half, infinity, NaN, a denormal or anything.
uint64_t TellingFloat(MVT type, SplitMix64& random) {
  const unsigned width = SizeInBits(type);
  const int mantissa = type == MVT::kF64 ? 52 : type == MVT::kF32 ? 23 : type == MVT::kF16 ? 10 : 7;
  const uint64_t exponent_ones = (uint64_t{1} << (width - 1)) - (uint64_t{1} << mantissa);
  const uint64_t one = (exponent_ones >> 1) & exponent_ones;  // 2^0, or half of it
  const uint64_t sign = random.Next() % 2 << (width - 1);
  switch (random.Next() % 10) {
    case 0:
      return sign;
    case 1:
    case 2:
      return sign | ((one >> mantissa << mantissa) + (random.Next() % 5 << mantissa));
    case 3:
      return sign | exponent_ones;
    case 4:
      return sign | exponent_ones | uint64_t{1} << (mantissa - 1);
    case 5:
      return sign | random.Next() % (uint64_t{1} << mantissa);
    case 6:
    case 7:  // of moderate size
      return sign | ((one & ~(uint64_t{3} << mantissa)) + (random.Next() % (uint64_t{8} << mantissa)));
    default:
      return width == 64 ? random.Next() : random.Next() & ((uint64_t{1} << width) - 1);
  }
}

}  // namespace

DagConstant RandomInput(MVT type, SplitMix64& random) {
  DagConstant constant = DagConstant::Of(type, 0);
  const MVT element = ScalarType(type);
  const unsigned width = SizeInBits(element);
  for (Lane& lane : constant.lanes) {
    lane.bits =
        (IsFloatingPoint(element) ? U(TellingFloat(element, random)) : TellingInteger(width, random)) & LowBits(width);
  }
  return constant;
}

bool RandomDag::Has(MVT type) const {
  return std::find(options_.types.begin(), options_.types.end(), type) != options_.types.end();
}

MVT RandomDag::OtherType(const std::function<bool(MVT)>& accept) {
  std::vector<MVT> types;
  for (const MVT type : options_.types) {
    if (accept(type)) types.push_back(type);
  }
  return types.empty() ? MVT::kUntyped : types[Random(static_cast<uint32_t>(types.size()))];
}

SDValue RandomDag::Constant(MVT type) {
  const DagConstant constant = RandomInput(type, random_);
  const MVT element = ScalarType(type);
  std::vector<SDValue> lanes;
  for (const Lane& lane : constant.lanes) {
    lanes.push_back(IsFloatingPoint(element) ? dag_.GetConstantFP(absl::Uint128Low64(lane.bits), element)
                                             : dag_.GetConstant(lane.bits, element));
  }
  if (!IsVector(type)) return lanes[0];
  if (OneIn(3)) std::fill(lanes.begin(), lanes.end(), lanes[0]);
  return dag_.GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), lanes);
}

SDValue RandomDag::Value(MVT type) {
  if (OneIn(7)) return Constant(type);
  // Choose one of the newest, or one of all.
  const bool recent = !OneIn(5);
  unsigned tries = 0;
  std::vector<SDValue> candidates;
  for (auto it = values_.rbegin(); it != values_.rend() && (!recent || candidates.size() < 2); ++it) {
    if (it->type() == type) candidates.push_back(*it);
    if (++tries > 400) break;
  }
  return candidates.empty() ? Constant(type) : candidates[Random(static_cast<uint32_t>(candidates.size()))];
}

uint32_t RandomDag::Flags(int16_t opcode) {
  if (!options_.wrap_flags || !OneIn(4)) return 0;
  switch (opcode) {
    case isd::kAdd:
    case isd::kSub:
    case isd::kMul:
    case isd::kShl:
    case isd::kTruncate:
      return OneIn(2) ? SDNodeFlags::kNoUnsignedWrap : SDNodeFlags::kNoSignedWrap;
    case isd::kSDiv:
    case isd::kUDiv:
    case isd::kSra:
    case isd::kSrl:
      return SDNodeFlags::kExact;
    case isd::kOr:
      return SDNodeFlags::kDisjoint;
    case isd::kZeroExtend:
    case isd::kUIntToFP:
      return SDNodeFlags::kNonNeg;
    default:
      return 0;
  }
}
uint32_t RandomDag::FloatFlags() {
  if (!options_.no_nan_flags || !OneIn(4)) return 0;
  return OneIn(2) ? SDNodeFlags::kNoNaNs : SDNodeFlags::kNoInfs;
}

SDValue RandomDag::Integer(MVT type) {
  static constexpr int16_t kSimple[] = {isd::kAdd,  isd::kAdd,  isd::kSub,  isd::kMul, isd::kSMin,
                                        isd::kSMax, isd::kUMin, isd::kUMax, isd::kAdd, isd::kSub};
  static constexpr int16_t kDivision[] = {isd::kSDiv, isd::kUDiv, isd::kSRem, isd::kURem};
  const bool divides = options_.division && OneIn(6);
  const int16_t opcode = divides ? OneOf(kDivision) : OneOf(kSimple);
  const SDValue left = Value(type);
  const SDValue right = OneIn(divides ? 2 : 3) ? Constant(type) : Value(type);
  return Node(opcode, type, {left, right}, Flags(opcode));
}

SDValue RandomDag::Logic(MVT type) {
  static constexpr int16_t kOpcodes[] = {isd::kAnd, isd::kOr, isd::kXor, isd::kAnd, isd::kOr};
  const int16_t opcode = OneOf(kOpcodes);
  return Node(opcode, type, {Value(type), OneIn(3) ? Constant(type) : Value(type)}, Flags(opcode));
}

// Returns an amount, usually below the width.
SDValue RandomDag::Amount(MVT type) {
  const unsigned width = ScalarSizeInBits(type);
  const MVT amount = IsVector(type) ? type : !OneIn(4) && Has(MVT::kI32) ? MVT::kI32 : type;
  if (!OneIn(3) || width < 8) {
    return dag_.GetConstant(Random(width + (OneIn(16) ? 2 : 0)) & LowBits(ScalarSizeInBits(amount)), amount);
  }
  return Node(isd::kAnd, amount, {Value(amount), dag_.GetConstant(width - 1, amount)});
}

SDValue RandomDag::Shift(MVT type) {
  static constexpr int16_t kOpcodes[] = {isd::kShl, isd::kSrl, isd::kSra};
  const int16_t opcode = OneOf(kOpcodes);
  if (type == MVT::kI1) return Logic(type);
  if (OneIn(5) && !IsVector(type)) {
    // Both parts of a rotation.
    const unsigned width = SizeInBits(type), left = 1 + Random(width - 1);
    const SDValue x = Value(type), y = OneIn(2) ? x : Value(type);
    return Node(isd::kOr, type,
                {Node(isd::kShl, type, {x, dag_.GetConstant(left, MVT::kI32)}),
                 Node(isd::kSrl, type, {y, dag_.GetConstant(width - left, MVT::kI32)})});
  }
  return Node(opcode, type, {Value(type), Amount(type)}, Flags(opcode));
}

SDValue RandomDag::RareInteger(MVT type) {
  if (!options_.rare_nodes || type == MVT::kI1) return Integer(type);
  static constexpr int16_t kBinary[] = {isd::kAvgFloorS, isd::kAvgFloorU, isd::kAvgCeilS, isd::kAvgCeilU,
                                        isd::kAbdS,      isd::kAbdU,      isd::kSAddSat,  isd::kUAddSat,
                                        isd::kSSubSat,   isd::kUSubSat,   isd::kMulHS,    isd::kMulHU};
  static constexpr int16_t kUnary[] = {isd::kAbs,  isd::kBitreverse,    isd::kCtpop,         isd::kCtlz,
                                       isd::kCttz, isd::kCtlzZeroUndef, isd::kCttzZeroUndef, isd::kParity};
  switch (Random(5)) {
    case 0:
      return Node(OneOf(kBinary), type, {Value(type), Value(type)});
    case 1:
      return Node(OneOf(kUnary), type, {Value(type)});
    case 2:
      if (SizeInBits(ScalarType(type)) < 16) return Integer(type);
      return Node(isd::kBswap, type, {Value(type)});
    case 3:
      return Node(OneIn(2) ? isd::kRotl : isd::kRotr, type, {Value(type), Amount(type)});
    default: {
      SDValue amount = Amount(type);
      return Node(OneIn(2) ? isd::kFShl : isd::kFShr, type, {Value(type), Value(type), amount});
    }
  }
}

// Makes nodes with carries, overflow and parts.
SDValue RandomDag::SeveralResults(MVT type) {
  if (!options_.rare_nodes || IsVector(type) || type == MVT::kI1) return Integer(type);
  static constexpr int16_t kOverflow[] = {isd::kSAddO, isd::kUAddO, isd::kSSubO, isd::kUSubO, isd::kSMulO, isd::kUMulO};
  static constexpr int16_t kCarry[] = {isd::kUAddOCarry, isd::kUSubOCarry};
  static constexpr int16_t kSaturatingShifts[] = {isd::kSShlSat, isd::kUShlSat};
  const MVT with_bit[] = {type, MVT::kI1}, twice[] = {type, type};
  switch (Random(5)) {
    case 0: {
      const SDValue operands[] = {Value(type), Value(type)};
      const SDValue sum = dag_.GetNode(OneOf(kOverflow), {}, with_bit, operands);
      Add(sum.Result(1));
      return sum;
    }
    case 1: {
      const SDValue operands[] = {Value(type), Value(type), Value(MVT::kI1)};
      const SDValue sum = dag_.GetNode(OneOf(kCarry), {}, with_bit, operands);
      Add(sum.Result(1));
      return sum;
    }
    case 2: {
      const SDValue operands[] = {Value(type), Value(type)};
      const SDValue product = dag_.GetNode(OneIn(2) ? isd::kSMulLoHi : isd::kUMulLoHi, {}, twice, operands);
      Add(product.Result(1));
      return product;
    }
    case 3: {
      if (!options_.division) return Integer(type);
      const SDValue operands[] = {Value(type), Value(type)};
      const SDValue quotient = dag_.GetNode(OneIn(2) ? isd::kSDivRem : isd::kUDivRem, {}, twice, operands);
      Add(quotient.Result(1));
      return quotient;
    }
    default:
      if (OneIn(2)) return Node(OneOf(kSaturatingShifts), type, {Value(type), Amount(type)});
      return Node(OneIn(2) ? isd::kSCmp : isd::kUCmp, type, {Value(type), Value(type)});
  }
}

SDValue RandomDag::ExtendOrTruncate(MVT type) {
  if (OneIn(5) && SizeInBits(type) > 8 && !IsVector(type)) {
    static constexpr MVT kFrom[] = {MVT::kI1, MVT::kI8, MVT::kI16, MVT::kI32};
    const MVT from = kFrom[Random(4)];
    if (SizeInBits(from) < SizeInBits(type)) {
      return Node(isd::kSignExtendInReg, type, {Value(type), dag_.GetValueType(from)});
    }
  }
  const MVT from = OtherType(
      [&](MVT other) { return IsInteger(other) && NumElements(other) == NumElements(type) && other != type; });
  if (from == MVT::kUntyped) return Integer(type);
  if (SizeInBits(from) > SizeInBits(type)) return Node(isd::kTruncate, type, {Value(from)}, Flags(isd::kTruncate));
  if (options_.any_extend && OneIn(6)) {
    const unsigned width = ScalarSizeInBits(from);
    return Node(isd::kAnd, type, {Node(isd::kAnyExtend, type, {Value(from)}), dag_.GetConstant(LowBits(width), type)});
  }
  const int16_t opcode = OneIn(2) ? isd::kSignExtend : isd::kZeroExtend;
  return Node(opcode, type, {Value(from)}, Flags(opcode));
}

SDValue RandomDag::Select(MVT type) {
  SDValue condition = Value(MVT::kI1);
  if (OneIn(2)) {
    // Select from the compared values, as minima and maxima do.
    const SDValue a = Value(type), b = Value(type);
    if (!IsVector(type)) {
      condition = Compare(MVT::kI1);
      if (condition.opcode() == isd::kSetCC && condition.operand(0).type() == type) {
        const bool swap = OneIn(2);
        return Node(isd::kSelect, type, {condition, condition.operand(swap ? 1 : 0), condition.operand(swap ? 0 : 1)});
      }
    }
    return Node(isd::kSelect, type, {condition, a, b});
  }
  return Node(isd::kSelect, type, {condition, Value(type), Value(type)});
}

SDValue RandomDag::Compare(MVT type) {
  const MVT of = OtherType([&](MVT other) {
    return NumElements(other) == NumElements(type) && (IsInteger(other) || IsFloatingPoint(other)) && other != MVT::kI1;
  });
  if (of == MVT::kUntyped) return Logic(type);
  static constexpr CondCode kInteger[] = {CondCode::kEq,  CondCode::kNe,  CondCode::kLt,  CondCode::kLe,
                                          CondCode::kGt,  CondCode::kGe,  CondCode::kUlt, CondCode::kUle,
                                          CondCode::kUgt, CondCode::kUge, CondCode::kEq,  CondCode::kNe};
  const CondCode code = IsInteger(of) ? kInteger[Random(12)] : static_cast<CondCode>(1 + Random(14));
  return dag_.GetSetCC({}, type, Value(of), OneIn(3) ? Constant(of) : Value(of), code);
}

// Makes classes of floats and overflow.
SDValue RandomDag::RareBit(MVT type) {
  const MVT of = OtherType([](MVT other) { return IsFloatingPoint(other) && !IsVector(other); });
  if (of == MVT::kUntyped || !options_.rare_nodes) return Compare(type);
  return Node(isd::kIsFPClass, type, {Value(of), dag_.GetTargetConstant(1 + Random(1023), MVT::kI32)});
}

SDValue RandomDag::FromFloat(MVT type) {
  const MVT from =
      OtherType([&](MVT other) { return IsFloatingPoint(other) && NumElements(other) == NumElements(type); });
  if (from == MVT::kUntyped || IsVector(type) || type == MVT::kI1) return Logic(type);
  const bool is_signed = OneIn(2);
  if (OneIn(2)) return Node(is_signed ? isd::kFPToSInt : isd::kFPToUInt, type, {Value(from)});
  return Node(is_signed ? isd::kFPToSIntSat : isd::kFPToUIntSat, type, {Value(from), dag_.GetValueType(type)});
}

SDValue RandomDag::Float(MVT type) {
  static constexpr int16_t kBinary[] = {isd::kFAdd,    isd::kFSub,    isd::kFMul,     isd::kFDiv,
                                        isd::kFMinNum, isd::kFMaxNum, isd::kFMinimum, isd::kFMaximum};
  if (ScalarType(type) == MVT::kBF16 && !options_.bfloat_arithmetic) return FloatSign(type);
  if (OneIn(6)) return Node(isd::kFMA, type, {Value(type), Value(type), Value(type)}, FloatFlags());
  int16_t opcode = OneOf(kBinary);
  if (opcode == isd::kFDiv && (!options_.division || IsVector(type))) opcode = isd::kFMul;
  return Node(opcode, type, {Value(type), OneIn(4) ? Constant(type) : Value(type)}, FloatFlags());
}

SDValue RandomDag::FloatSign(MVT type) {
  switch (Random(3)) {
    case 0:
      return Node(isd::kFNeg, type, {Value(type)});
    case 1:
      return Node(isd::kFAbs, type, {Value(type)});
    default:
      return Node(isd::kFCopySign, type, {Value(type), Value(type)});
  }
}

SDValue RandomDag::FloatRounding(MVT type) {
  static constexpr int16_t kOpcodes[] = {isd::kFFloor, isd::kFCeil, isd::kFTrunc, isd::kFRint, isd::kFRoundEven};
  if (IsVector(type) || !options_.rare_nodes) return Float(type);
  return Node(OneOf(kOpcodes), type, {Value(type)});
}

SDValue RandomDag::RareFloat(MVT type) {
  static constexpr int16_t kMinMax[] = {isd::kFMinimumNum, isd::kFMaximumNum, isd::kFMinNum, isd::kFMaxNum};
  if (!options_.rare_nodes || IsVector(type)) return Float(type);
  if (ScalarType(type) == MVT::kBF16 && !options_.bfloat_arithmetic) return FloatSign(type);
  switch (Random(4)) {
    case 0:
      return Node(OneOf(kMinMax), type, {Value(type), Value(type)});
    case 1:
      return Node(isd::kFSqrt, type, {Node(isd::kFAbs, type, {Value(type)})});
    case 2:
      return Node(isd::kFCanonicalize, type, {Value(type)});
    default:
      return Node(isd::kFRound, type, {Value(type)});
  }
}

SDValue RandomDag::ToFloat(MVT type) {
  const MVT from = OtherType([&](MVT other) {
    return !IsVector(other) && other != type && other != MVT::kI1 && (IsInteger(other) || IsFloatingPoint(other));
  });
  if (from == MVT::kUntyped || IsVector(type)) return Float(type);
  if (IsInteger(from)) {
    const int16_t opcode = OneIn(2) ? isd::kSIntToFP : isd::kUIntToFP;
    return Node(opcode, type, {Value(from)}, Flags(opcode));
  }
  if (SizeInBits(from) == SizeInBits(type)) return Float(type);
  if (SizeInBits(from) < SizeInBits(type)) return Node(isd::kFPExtend, type, {Value(from)});
  return Node(isd::kFPRound, type, {Value(from), dag_.GetTargetConstant(0, MVT::kI64)});
}

SDValue RandomDag::Bitcast(MVT type) {
  const MVT from = OtherType([&](MVT other) { return SizeInBits(other) == SizeInBits(type) && other != type; });
  return from == MVT::kUntyped ? Select(type) : Node(isd::kBitcast, type, {Value(from)});
}

SDValue RandomDag::Vector(MVT type) {
  const MVT element = ScalarType(type);
  const unsigned count = NumElements(type);
  switch (Random(3)) {
    case 0: {
      std::vector<SDValue> elements;
      for (unsigned i = 0; i < count; ++i) elements.push_back(Value(element));
      return dag_.GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), elements);
    }
    case 1:
      return Node(isd::kInsertVectorElt, type,
                  {Value(type), Value(element), dag_.GetConstant(Random(count), MVT::kI32)});
    default: {
      std::vector<int16_t> mask;
      for (unsigned i = 0; i < count; ++i) mask.push_back(static_cast<int16_t>(Random(2 * count)));
      return dag_.GetVectorShuffle({}, type, Value(type), Value(type), mask);
    }
  }
}

SDValue RandomDag::Element(MVT type) {
  const MVT from = OtherType([&](MVT other) { return IsVector(other) && ScalarType(other) == type; });
  if (from == MVT::kUntyped) return IsFloatingPoint(type) ? Float(type) : Integer(type);
  return Node(isd::kExtractVectorElt, type, {Value(from), dag_.GetConstant(Random(NumElements(from)), MVT::kI32)});
}

SDValue RandomDag::Reduction(MVT type) {
  static constexpr int16_t kOpcodes[] = {isd::kVecReduceAdd,  isd::kVecReduceMul,  isd::kVecReduceAnd,
                                         isd::kVecReduceOr,   isd::kVecReduceXor,  isd::kVecReduceSMin,
                                         isd::kVecReduceSMax, isd::kVecReduceUMin, isd::kVecReduceUMax};
  const MVT from = OtherType([&](MVT other) { return IsVector(other) && ScalarType(other) == type; });
  if (from == MVT::kUntyped || !IsInteger(type) || !options_.rare_nodes) return Integer(type);
  return Node(OneOf(kOpcodes), type, {Value(from)});
}

// Makes elements that are chosen by a comparison of each.
SDValue RandomDag::MaskedVector(MVT type) {
  const std::optional<MVT> mask = VectorOf(MVT::kI1, NumElements(type));
  if (!mask.has_value() || !options_.rare_nodes) return Vector(type);
  return Node(isd::kVSelect, type, {Compare(*mask), Value(type), Value(type)});
}

SDValue RandomDag::Grow(MVT type) {
  static constexpr Maker kIntegers[] = {&RandomDag::Integer,
                                        &RandomDag::Integer,
                                        &RandomDag::Shift,
                                        &RandomDag::Logic,
                                        &RandomDag::RareInteger,
                                        &RandomDag::ExtendOrTruncate,
                                        &RandomDag::ExtendOrTruncate,
                                        &RandomDag::Select,
                                        &RandomDag::FromFloat,
                                        &RandomDag::Bitcast,
                                        &RandomDag::Element};
  static constexpr Maker kFloats[] = {&RandomDag::Float,    &RandomDag::Float,   &RandomDag::FloatSign,
                                      &RandomDag::Float,    &RandomDag::ToFloat, &RandomDag::FloatRounding,
                                      &RandomDag::Bitcast,  &RandomDag::Select,  &RandomDag::Element,
                                      &RandomDag::RareFloat};
  static constexpr Maker kBits[] = {&RandomDag::Compare, &RandomDag::Compare, &RandomDag::Compare,
                                    &RandomDag::Logic,   &RandomDag::Select,  &RandomDag::ExtendOrTruncate,
                                    &RandomDag::RareBit};
  static constexpr Maker kVectorsOfIntegers[] = {&RandomDag::Integer, &RandomDag::Logic,       &RandomDag::Shift,
                                                 &RandomDag::Vector,  &RandomDag::Select,      &RandomDag::Bitcast,
                                                 &RandomDag::Vector,  &RandomDag::MaskedVector};
  static constexpr Maker kVectorsOfFloats[] = {&RandomDag::Float,       &RandomDag::FloatSign, &RandomDag::Vector,
                                               &RandomDag::Float,       &RandomDag::Select,    &RandomDag::Bitcast,
                                               &RandomDag::MaskedVector};
  absl::Span<const Maker> makers = kFloats;
  if (IsVector(type)) {
    makers = IsInteger(type) ? absl::MakeConstSpan(kVectorsOfIntegers) : absl::MakeConstSpan(kVectorsOfFloats);
  } else if (type == MVT::kI1) {
    makers = kBits;
  } else if (IsInteger(type)) {
    makers = kIntegers;
  }
  const SDValue value = (this->*makers[Random(static_cast<uint32_t>(makers.size()))])(type);
  Add(value);
  return value;
}

}  // namespace ptxmir::sdag
