// SPDX-License-Identifier: Apache-2.0

// Values that are put together from parts and taken apart again.

#include <vector>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

// Returns true if the index is a constant and within the vector.
bool IsIndex(const SDValue& value, unsigned count, unsigned* index) {
  U c;
  if (!IsConstant(value, &c) || c >= U(count)) return false;
  *index = static_cast<unsigned>(absl::Uint128Low64(c));
  return true;
}

// Returns the element in the given type. The element may be a wider integer than the vector's elements or than
// `type`.
SDValue ElementAs(const CombineContext& context, SDLoc loc, MVT type, SDValue element, MVT vector) {
  if (element.type() == type && SizeInBits(type) == ScalarSizeInBits(vector)) return element;
  if (!IsInteger(type)) return SDValue();
  if (element.type() == type) return element;  // bits above the vector's element are undefined in the result
  return context.AExtOrTrunc(loc, type, element);
}

SDValue ElementOfVector(const CombineContext& context, SDNode& node) {
  const SDValue vector = node.operand(0);
  const MVT type = node.value_type(0);
  unsigned index, inserted;
  if (Is(vector, isd::kSplatVector)) return ElementAs(context, node.loc(), type, vector.operand(0), vector.type());
  if (!IsIndex(node.operand(1), NumElements(vector.type()), &index)) return SDValue();
  if (Is(vector, isd::kBuildVector)) {
    return ElementAs(context, node.loc(), type, vector.operand(index), vector.type());
  }
  U constant;
  if (Is(vector, isd::kConstant) && IsConstant(vector, &constant)) return context.Int(type, constant);
  if (Is(vector, isd::kInsertVectorElt) && IsIndex(vector.operand(2), NumElements(vector.type()), &inserted)) {
    if (inserted == index) return ElementAs(context, node.loc(), type, vector.operand(1), vector.type());
    return context.Node(isd::kExtractVectorElt, node.loc(), type, {vector.operand(0), node.operand(1)});
  }
  if (Is(vector, isd::kVectorShuffle)) {
    const int from = static_cast<const ShuffleVectorSDNode*>(vector.node())->mask()[index];
    const auto size = static_cast<int>(NumElements(vector.type()));
    if (from < 0) return context.dag().GetUndef(type);
    const SDValue source = vector.operand(from < size ? 0 : 1);
    return context.Node(isd::kExtractVectorElt, node.loc(), type,
                        {source, context.Int(node.operand(1).type(), static_cast<uint64_t>(from % size))});
  }
  if (Is(vector, isd::kConcatVectors)) {
    const unsigned part = NumElements(vector.operand(0).type());
    return context.Node(isd::kExtractVectorElt, node.loc(), type,
                        {vector.operand(index / part), context.Int(node.operand(1).type(), index % part)});
  }
  return SDValue();
}

// BUILD_VECTOR of all elements of one vector, in order.
SDValue VectorOfElements(const CombineContext&, SDNode& node) {
  SDValue vector;
  for (unsigned i = 0; i < node.num_operands(); ++i) {
    const SDValue element = node.operand(i);
    unsigned index;
    if (!Is(element, isd::kExtractVectorElt)) return SDValue();
    const SDValue source = element.operand(0);
    if (i > 0 && source != vector) return SDValue();
    if (!IsIndex(element.operand(1), NumElements(source.type()), &index) || index != i) return SDValue();
    vector = source;
  }
  return vector && vector.type() == node.value_type(0) ? vector : SDValue();
}

SDValue InsertionIntoVector(const CombineContext& context, SDNode& node) {
  const SDValue vector = node.operand(0);
  unsigned index;
  if (!IsIndex(node.operand(2), NumElements(vector.type()), &index)) return SDValue();
  // Inserting an element that is already in place does nothing.
  const SDValue element = node.operand(1);
  if (Is(element, isd::kExtractVectorElt) && element.operand(0) == vector && element.operand(1) == node.operand(2)) {
    return vector;
  }
  if (!IsOneUse(vector, isd::kBuildVector) || vector.operand(index).type() != element.type()) return SDValue();
  std::vector<SDValue> elements(vector->operands().begin(), vector->operands().end());
  elements[index] = element;
  return context.Node(isd::kBuildVector, node.loc(), node.value_types(), elements);
}

SDValue SimplifyShuffle(const CombineContext&, SDNode& node) {
  const auto mask = static_cast<const ShuffleVectorSDNode&>(node).mask();
  const auto size = static_cast<int>(mask.size());
  bool first = true, second = true;
  for (int i = 0; i < size; ++i) {
    const int from = mask[static_cast<size_t>(i)];
    first &= from < 0 || from == i;
    second &= from < 0 || from == i + size;
  }
  return first ? node.operand(0) : second ? node.operand(1) : SDValue();
}

// Halves of a pair, and pairs of halves.
SDValue HalfOfPair(const CombineContext& context, SDNode& node) {
  const SDValue whole = node.operand(0);
  const MVT type = node.value_type(0);
  unsigned index;
  if (SizeInBits(type) == 0 || !IsIndex(node.operand(1), SizeInBits(whole.type()) / SizeInBits(type), &index)) {
    return SDValue();
  }
  if (Is(whole, isd::kBuildPair) && whole.operand(0).type() == type) return whole.operand(index);
  if (Is(whole, isd::kZeroExtend) && whole.operand(0).type() == type) {
    return index == 0 ? whole.operand(0) : context.Zero(type);
  }
  return SDValue();
}
SDValue PairOfHalves(const CombineContext& context, SDNode& node) {
  const SDValue low = node.operand(0), high = node.operand(1);
  const MVT type = node.value_type(0);
  if (Is(low, isd::kExtractElement) && Is(high, isd::kExtractElement) && IsZero(low.operand(1)) &&
      IsOne(high.operand(1)) && low.operand(0) == high.operand(0) && low.operand(0).type() == type) {
    return low.operand(0);
  }
  if (IsScalarInteger(type) && IsScalarInteger(low.type()) && IsZero(high)) {
    return context.Node(isd::kZeroExtend, node.loc(), type, {low});
  }
  return SDValue();
}

// NVPTXISD's BUILD_VECTOR and UNPACK_VECTOR, applied to each other.
SDValue UnpackOfPacked(const CombineContext& context, SDNode& node) {
  const SDValue packed = node.operand(0);
  if (!Is(packed, isd::kNvBuildVector) || packed->num_operands() != node.num_values()) return SDValue();
  std::vector<SDValue> parts(packed->operands().begin(), packed->operands().end());
  for (unsigned i = 0; i < parts.size(); ++i) {
    if (parts[i].type() != node.value_type(i)) return SDValue();
  }
  return context.Replace(node, parts);
}
SDValue PackedOfUnpacked(const CombineContext&, SDNode& node) {
  const SDValue first = node.operand(0);
  if (!Is(first, isd::kNvUnpackVector) || first->num_values() != node.num_operands()) return SDValue();
  for (unsigned i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i) != SDValue(first.node(), i)) return SDValue();
  }
  return first.operand(0).type() == node.value_type(0) ? first.operand(0) : SDValue();
}

SDValue PartOfConcatenation(const CombineContext&, SDNode& node) {
  const SDValue vector = node.operand(0);
  if (vector.type() == node.value_type(0)) return vector;
  if (!Is(vector, isd::kConcatVectors) || vector.operand(0).type() != node.value_type(0)) return SDValue();
  unsigned index;
  if (!IsIndex(node.operand(1), NumElements(vector.type()), &index)) return SDValue();
  const unsigned part = NumElements(node.value_type(0));
  return index % part == 0 ? vector.operand(index / part) : SDValue();
}

// merge_values: becomes its operands.
SDValue MergedValues(const CombineContext& context, SDNode& node) {
  std::vector<SDValue> values(node.operands().begin(), node.operands().end());
  return values.size() == node.num_values() ? context.Replace(node, values) : SDValue();
}

constexpr int16_t kExtract[] = {isd::kExtractVectorElt};
constexpr int16_t kBuild[] = {isd::kBuildVector};
constexpr int16_t kInsert[] = {isd::kInsertVectorElt};
constexpr int16_t kShuffle[] = {isd::kVectorShuffle};
constexpr int16_t kExtractElement[] = {isd::kExtractElement};
constexpr int16_t kBuildPair[] = {isd::kBuildPair};
constexpr int16_t kUnpack[] = {isd::kNvUnpackVector};
constexpr int16_t kPack[] = {isd::kNvBuildVector};
constexpr int16_t kSubvector[] = {isd::kExtractSubvector};
constexpr int16_t kMerge[] = {isd::kMergeValues};

constexpr CombineRow kVectorCombineRows[] = {
    {"merge-values", CombineRow::kBoth, kMerge, MergedValues},
    {"extract-element", CombineRow::kBoth, kExtract, ElementOfVector},
    {"build-of-extracts", CombineRow::kBoth, kBuild, VectorOfElements},
    {"insert-element", CombineRow::kBoth, kInsert, InsertionIntoVector},
    {"shuffle-identity", CombineRow::kBoth, kShuffle, SimplifyShuffle},
    {"half-of-pair", CombineRow::kBoth, kExtractElement, HalfOfPair},
    {"pair-of-halves", CombineRow::kBoth, kBuildPair, PairOfHalves},
    {"unpack-of-pack", CombineRow::kBoth, kUnpack, UnpackOfPacked},
    {"pack-of-unpack", CombineRow::kBoth, kPack, PackedOfUnpacked},
    {"part-of-concat", CombineRow::kBoth, kSubvector, PartOfConcatenation},
};

}  // namespace

absl::Span<const CombineRow> VectorCombines() { return kVectorCombineRows; }

}  // namespace ptxmir::sdag
