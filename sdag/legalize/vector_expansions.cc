// SPDX-License-Identifier: Apache-2.0

// Vectors: putting together and taking apart, with constant and variable element indices, and reductions.

#include <algorithm>
#include <vector>

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

LegalValues LanesOf(Legalizer& l, const LegalValue& vector) {
  LegalValues lanes;
  for (unsigned i = 0; i < std::max(1u, NumElements(vector.type)); ++i) lanes.push_back(l.Lane(vector, i));
  return lanes;
}

void Finish(Legalizer& l, const LegalValues& lanes) {
  if (!l.has_refused()) l.SetResult(0, l.FromLanes(l.node().value_type(0), lanes));
}

// An operand that stands for an element may be a wider integer.
LegalValue Element(Legalizer& l, SDValue operand, MVT scalar) {
  const LegalValue value = l.ValueOf(operand);
  return IsInteger(scalar) ? l.ZExtOrTrunc(scalar, value) : value;
}

// Returns the value of a constant operand, or nullopt for others.
std::optional<uint64_t> ConstantIndex(SDValue value) {
  const auto* constant = DynCast<ConstantSDNode>(value);
  return constant == nullptr ? std::nullopt : std::optional<uint64_t>(constant->ZExtValue());
}

void VisitConstant(Legalizer& l, SDNode& node) {
  l.SetResult(0, l.Constant(node.value_type(0), static_cast<ConstantSDNode&>(node).value()));
}

void VisitConstantFP(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0);
  const uint64_t bits = static_cast<ConstantFPSDNode&>(node).bits();
  if (!IsVector(type)) return l.SetResult(0, l.ConstantFP(type, bits));
  Finish(l, LegalValues(NumElements(type), l.ConstantFP(ScalarType(type), bits)));
}

void VisitUndef(Legalizer& l, SDNode& node) { l.SetResult(0, l.Undef(node.value_type(0))); }

void VisitBuildVector(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0), scalar = ScalarType(type);
  if (node.num_operands() != NumElements(type)) return l.Refuse("there is not an operand for each element");
  LegalValues lanes;
  for (const SDUse& use : node.operands()) lanes.push_back(Element(l, use.get(), scalar));
  Finish(l, lanes);
}

void VisitSplat(Legalizer& l, SDNode& node) {
  const MVT type = node.value_type(0), scalar = ScalarType(type);
  const LegalValue element = Element(l, node.operand(0), scalar);
  LegalValues lanes(NumElements(type), node.opcode() == isd::kSplatVector ? element : l.Undef(scalar));
  lanes[0] = element;
  Finish(l, lanes);
}

// Returns true if the vector is in words of four bytes each, at most `most`.
bool IsInWords(const LegalValue& vector, size_t most) {
  return !vector.parts.empty() && vector.parts.size() <= most &&
         std::all_of(vector.parts.begin(), vector.parts.end(),
                     [](const SDValue& part) { return part.type() == MVT::kV4I8; });
}

LegalValue WordOf(Legalizer& l, const LegalValue& vector, size_t i) {
  return l.Bitcast(MVT::kI32, {MVT::kV4I8, vector.parts[i]});
}

// Inserts a byte at a variable index. Returns no value if PTX has no instruction for it.
LegalValue InsertByte(Legalizer& l, const LegalValue& vector, const LegalValue& element, const LegalValue& index) {
  LegalValue result;
  result.type = vector.type;
  const LegalValue number = l.ZExtOrTrunc(MVT::kI32, index), byte = l.AnyExtOrTrunc(MVT::kI32, element);
  const size_t count = vector.parts.size();
  const LegalValue in_word = count == 1 ? number : l.And(number, l.Constant(MVT::kI32, 3));
  const LegalValue place = l.Shift(isd::kShl, in_word, 3);
  for (size_t i = 0; i < count; ++i) {
    const LegalValue word = WordOf(l, vector, i);
    LegalValue changed(
        l.Node(isd::kNvBfi, MVT::kI32, {byte.part(), word.part(), place.part(), l.Constant(MVT::kI32, 8).part()}));
    if (!l.CanSelect(changed.part())) return {};
    if (count > 1) {
      const LegalValue is_here = l.SetCC(CondCode::kEq, l.Shift(isd::kSrl, number, 2), l.Constant(MVT::kI32, i));
      changed = l.Select(is_here, changed, word);
    }
    result.parts.push_back(l.Bitcast(MVT::kV4I8, changed).part());
  }
  return result;
}

// Returns the byte at a variable index; no value if PTX has no instruction for it.
LegalValue ExtractByte(Legalizer& l, const LegalValue& vector, const LegalValue& index) {
  const LegalValue number = l.ZExtOrTrunc(MVT::kI32, index);
  const size_t count = vector.parts.size();
  const LegalValue selector = count <= 2 ? number : l.And(number, l.Constant(MVT::kI32, 7));
  const auto of_words = [&](size_t i) {
    const LegalValue second = i + 1 < count ? WordOf(l, vector, i + 1) : l.Constant(MVT::kI32, 0);
    return l.Permute(WordOf(l, vector, i), second, selector);
  };
  LegalValue chosen = of_words(0);
  if (!l.CanSelect(chosen.part())) return {};
  if (count > 2) {
    const LegalValue is_upper = l.SetCC(CondCode::kUgt, number, l.Constant(MVT::kI32, 7));
    chosen = l.Select(is_upper, of_words(2), chosen);
  }
  return l.AnyExtOrTrunc(MVT::kI8, chosen);
}

void VisitInsertElement(Legalizer& l, SDNode& node) {
  const LegalValue vector = l.ValueOf(node.operand(0));
  const LegalValue element = Element(l, node.operand(1), ScalarType(vector.type));
  LegalValues lanes = LanesOf(l, vector);
  if (const std::optional<uint64_t> index = ConstantIndex(node.operand(2))) {
    // An index beyond the end gives poison, so any result is correct.
    if (*index < lanes.size()) lanes[*index] = element;
    return Finish(l, lanes);
  }
  const LegalValue index = l.ValueOf(node.operand(2));
  if (IsInWords(vector, 4)) {
    if (const LegalValue result = InsertByte(l, vector, element, index); !result.parts.empty()) {
      return l.SetResult(0, result);
    }
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] = l.Select(l.SetCC(CondCode::kEq, index, l.Constant(index.type, i)), element, lanes[i]);
  }
  Finish(l, lanes);
}

// Chooses an element by the bits of the index, lowest first. Takes one selection fewer than there are elements, as
// deep as the index has bits.
LegalValue ChooseLane(Legalizer& l, LegalValues lanes, const LegalValue& index) {
  for (unsigned bit = 0; lanes.size() > 1; ++bit) {
    const LegalValue mask = l.Constant(index.type, absl::uint128(1) << bit);
    const LegalValue is_set = l.SetCC(CondCode::kNe, l.And(index, mask), l.Constant(index.type, 0));
    LegalValues next;
    for (size_t i = 0; i < lanes.size(); i += 2) {
      next.push_back(i + 1 < lanes.size() ? l.Select(is_set, lanes[i + 1], lanes[i]) : lanes[i]);
    }
    lanes = next;
  }
  return lanes[0];
}

void VisitExtractVectorElement(Legalizer& l, SDNode& node) {
  const LegalValue vector = l.ValueOf(node.operand(0));
  const MVT type = node.value_type(0);
  LegalValue element;
  if (const std::optional<uint64_t> index = ConstantIndex(node.operand(1))) {
    element = *index < NumElements(vector.type) ? l.Lane(vector, static_cast<unsigned>(*index))
                                                : l.Undef(ScalarType(vector.type));
  } else {
    const LegalValue place = l.ValueOf(node.operand(1));
    if (IsInWords(vector, 4)) element = ExtractByte(l, vector, place);
    if (element.parts.empty()) element = ChooseLane(l, LanesOf(l, vector), place);
  }
  l.SetResult(0, IsInteger(type) ? l.AnyExtOrTrunc(type, element) : element);
}

void VisitConcat(Legalizer& l, SDNode& node) {
  LegalValues lanes;
  for (const SDUse& use : node.operands()) {
    for (const LegalValue& lane : LanesOf(l, l.ValueOf(use.get()))) lanes.push_back(lane);
  }
  if (lanes.size() != NumElements(node.value_type(0))) return l.Refuse("the operands have other elements together");
  Finish(l, lanes);
}

void VisitInsertSubvector(Legalizer& l, SDNode& node) {
  LegalValues lanes = LanesOf(l, l.ValueOf(node.operand(0)));
  const LegalValues inserted = LanesOf(l, l.ValueOf(node.operand(1)));
  const std::optional<uint64_t> index = ConstantIndex(node.operand(2));
  if (inserted[0].type != lanes[0].type) return l.Refuse("the subvector has other elements");
  if (!index.has_value() || *index + inserted.size() > lanes.size()) return l.Refuse("there are no such elements");
  for (size_t i = 0; i < inserted.size(); ++i) lanes[*index + i] = inserted[i];
  Finish(l, lanes);
}

void VisitExtractSubvector(Legalizer& l, SDNode& node) {
  const LegalValue vector = l.ValueOf(node.operand(0));
  const std::optional<uint64_t> index = ConstantIndex(node.operand(1));
  const unsigned count = NumElements(node.value_type(0));
  if (!index.has_value() || *index + count > NumElements(vector.type)) return l.Refuse("there are no such elements");
  LegalValues lanes;
  for (unsigned i = 0; i < count; ++i) lanes.push_back(l.Lane(vector, static_cast<unsigned>(*index) + i));
  Finish(l, lanes);
}

void VisitShuffle(Legalizer& l, SDNode& node) {
  const LegalValue a = l.ValueOf(node.operand(0)), b = l.ValueOf(node.operand(1));
  const unsigned count = NumElements(a.type);
  LegalValues lanes;
  for (const int16_t from : static_cast<ShuffleVectorSDNode&>(node).mask()) {
    if (from >= static_cast<int>(2 * count)) return l.Refuse("the mask names an element that there is none of");
    const auto lane = static_cast<unsigned>(from);
    lanes.push_back(from < 0 ? l.Undef(ScalarType(a.type)) : lane < count ? l.Lane(a, lane) : l.Lane(b, lane - count));
  }
  if (lanes.size() != NumElements(node.value_type(0))) return l.Refuse("the mask has not an entry for each element");
  Finish(l, lanes);
}

// Reductions.

int16_t ReducedOpcode(int16_t opcode) {
  switch (opcode) {
    case isd::kVecReduceAdd:
      return isd::kAdd;
    case isd::kVecReduceMul:
      return isd::kMul;
    case isd::kVecReduceAnd:
      return isd::kAnd;
    case isd::kVecReduceOr:
      return isd::kOr;
    case isd::kVecReduceXor:
      return isd::kXor;
    case isd::kVecReduceSMin:
      return isd::kSMin;
    case isd::kVecReduceSMax:
      return isd::kSMax;
    case isd::kVecReduceUMin:
      return isd::kUMin;
    case isd::kVecReduceUMax:
      return isd::kUMax;
    case isd::kVecReduceFMul:
    case isd::kVecReduceSeqFMul:
      return isd::kFMul;
    case isd::kVecReduceFMin:
      return isd::kFMinNum;
    case isd::kVecReduceFMax:
      return isd::kFMaxNum;
    case isd::kVecReduceFMinimum:
      return isd::kFMinimum;
    case isd::kVecReduceFMaximum:
      return isd::kFMaximum;
    default:
      return isd::kFAdd;
  }
}

// Reduces in halves, which minimizes the depth. The fadd and fmul reductions with a fixed order go element by
// element.
void VisitReduce(Legalizer& l, SDNode& node) {
  const bool is_sequential = node.opcode() == isd::kVecReduceSeqFAdd || node.opcode() == isd::kVecReduceSeqFMul;
  const int16_t opcode = ReducedOpcode(node.opcode());
  LegalValues lanes = LanesOf(l, l.ValueOf(node.operand(is_sequential ? 1 : 0)));
  const auto combine = [&](const LegalValue& a, const LegalValue& b) {
    return l.Op(opcode, a.type, {a, b}, node.flags() & SDNodeFlags::kFastMath);
  };
  if (is_sequential) {
    LegalValue result = l.ValueOf(node.operand(0));
    if (result.type != lanes[0].type) return l.Refuse("the vector has other elements");
    for (const LegalValue& lane : lanes) result = combine(result, lane);
    return l.SetResult(0, result);
  }
  while (lanes.size() > 1) {
    LegalValues next;
    const size_t half = (lanes.size() + 1) / 2;
    for (size_t i = 0; i < half; ++i) {
      next.push_back(i + half < lanes.size() ? combine(lanes[i], lanes[i + half]) : lanes[i]);
    }
    lanes = next;
  }
  const MVT type = node.value_type(0);
  l.SetResult(0, IsInteger(type) ? l.AnyExtOrTrunc(type, lanes[0]) : lanes[0]);
}

constexpr LegalizeRow kVectorLegalizeRows[] = {
    {.opcode = isd::kConstant, .visit = VisitConstant},
    {.opcode = isd::kConstantFP, .visit = VisitConstantFP},
    {.opcode = isd::kUndef, .visit = VisitUndef},
    {.opcode = isd::kPoison, .visit = VisitUndef},
    {.opcode = isd::kBuildVector, .visit = VisitBuildVector},
    {.opcode = isd::kSplatVector, .visit = VisitSplat},
    {.opcode = isd::kScalarToVector, .visit = VisitSplat},
    {.opcode = isd::kInsertVectorElt, .visit = VisitInsertElement},
    {.opcode = isd::kExtractVectorElt, .visit = VisitExtractVectorElement},
    {.opcode = isd::kConcatVectors, .visit = VisitConcat},
    {.opcode = isd::kInsertSubvector, .visit = VisitInsertSubvector},
    {.opcode = isd::kExtractSubvector, .visit = VisitExtractSubvector},
    {.opcode = isd::kVectorShuffle, .visit = VisitShuffle},
    {.opcode = isd::kVecReduceAdd, .visit = VisitReduce},
    {.opcode = isd::kVecReduceMul, .visit = VisitReduce},
    {.opcode = isd::kVecReduceAnd, .visit = VisitReduce},
    {.opcode = isd::kVecReduceOr, .visit = VisitReduce},
    {.opcode = isd::kVecReduceXor, .visit = VisitReduce},
    {.opcode = isd::kVecReduceSMin, .visit = VisitReduce},
    {.opcode = isd::kVecReduceSMax, .visit = VisitReduce},
    {.opcode = isd::kVecReduceUMin, .visit = VisitReduce},
    {.opcode = isd::kVecReduceUMax, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFAdd, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFMul, .visit = VisitReduce},
    {.opcode = isd::kVecReduceSeqFAdd, .visit = VisitReduce},
    {.opcode = isd::kVecReduceSeqFMul, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFMin, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFMax, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFMinimum, .visit = VisitReduce},
    {.opcode = isd::kVecReduceFMaximum, .visit = VisitReduce},
};

}  // namespace

absl::Span<const LegalizeRow> VectorRows() { return kVectorLegalizeRows; }

}  // namespace ptxmir::sdag
