// SPDX-License-Identifier: Apache-2.0

// Elements of vectors, and members of structures and arrays.

#include <optional>

#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

// Returns the number of an element if it is a constant within the vector.
std::optional<uint64_t> ConstantIndex(const ir::Value& index) {
  if (!index.is_constant()) return std::nullopt;
  const IrConstant& constant = static_cast<const ir::ConstantValue&>(index).constant();
  if (constant.kind == IrConstant::Kind::kZeroInitializer) return 0;
  if (constant.kind != IrConstant::Kind::kInteger) return std::nullopt;
  return constant.ZExtValue();
}

// Returns the number of an element as a node for extract_vector_elt and the like.
SDValue IndexNode(FunctionBuilder& builder, const ir::Value& index) {
  if (const std::optional<uint64_t> constant = ConstantIndex(index)) {
    return builder.Number(static_cast<int64_t>(*constant), MVT::kI64);
  }
  const absl::Span<const ValuePart> parts = builder.PartsOf(index.type());
  const SDValue node = builder.UseOne(index);
  if (parts.size() != 1) return node;
  return builder.Resize(builder.ZeroExtended(node, parts[0]), MVT::kI64, isd::kZeroExtend);
}

SDValue IsIndex(FunctionBuilder& builder, SDValue index, size_t number) {
  return builder.dag().GetSetCC(builder.Loc(), MVT::kI1, index,
                                builder.Number(static_cast<int64_t>(number), index.type()), CondCode::kEq);
}

struct PartRange {
  size_t first = 0;
  size_t count = 0;
};

// Returns the parts of a member that indices lead to.
PartRange RangeOf(FunctionBuilder& builder, const IrType* type, absl::Span<const uint32_t> indices) {
  PartRange range;
  for (const uint32_t index : indices) {
    if (type->is_struct()) {
      for (uint32_t i = 0; i < index; ++i) range.first += builder.PartsOf(type->members()[i]).size();
      type = type->members()[index];
    } else {
      type = type->element();
      range.first += index * builder.PartsOf(type).size();
    }
  }
  range.count = builder.PartsOf(type).size();
  return range;
}

}  // namespace

void LowerExtractElement(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& vector = instruction.operand(0);
  const ValueNodes nodes = builder.Use(vector);
  if (nodes.empty()) {
    builder.Refuse("an element of this type");
    return;
  }
  if (!builder.PartInfo(vector.type()).is_scattered()) {
    const SDValue index = IndexNode(builder, instruction.operand(1));
    return builder.Define(instruction,
                          builder.Node(isd::kExtractVectorElt, ScalarType(nodes[0].type()), {nodes[0], index}));
  }
  if (const std::optional<uint64_t> constant = ConstantIndex(instruction.operand(1))) {
    return builder.Define(instruction,
                          *constant < nodes.size() ? nodes[*constant] : builder.dag().GetUndef(nodes[0].type()));
  }
  const SDValue index = IndexNode(builder, instruction.operand(1));
  SDValue result = nodes[0];
  for (size_t i = 1; i < nodes.size(); ++i) {
    result = builder.Node(isd::kSelect, result.type(), {IsIndex(builder, index, i), nodes[i], result});
  }
  builder.Define(instruction, result);
}

void LowerInsertElement(FunctionBuilder& builder, const ir::Instruction& instruction) {
  ValueNodes nodes = builder.Use(instruction.operand(0));
  const SDValue element = builder.UseOne(instruction.operand(1));
  if (nodes.empty()) {
    builder.Refuse("an element of this type");
    return;
  }
  if (!builder.PartInfo(instruction.type()).is_scattered()) {
    const SDValue index = IndexNode(builder, instruction.operand(2));
    return builder.Define(instruction,
                          builder.Node(isd::kInsertVectorElt, nodes[0].type(), {nodes[0], element, index}));
  }
  if (const std::optional<uint64_t> constant = ConstantIndex(instruction.operand(2))) {
    if (*constant < nodes.size()) nodes[*constant] = element;
    return builder.Define(instruction, nodes);
  }
  const SDValue index = IndexNode(builder, instruction.operand(2));
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = builder.Node(isd::kSelect, element.type(), {IsIndex(builder, index, i), element, nodes[i]});
  }
  builder.Define(instruction, nodes);
}

void LowerShuffleVector(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& first = instruction.operand(0);
  const ir::Value& second = instruction.operand(1);
  const IrType* type = instruction.type();
  const IrConstant& mask = static_cast<const ir::ConstantValue&>(instruction.operand(2)).constant();
  const uint64_t count = type->num_elements(), source_count = first.type()->num_elements();
  // The numbers of the elements; -1: undefined.
  std::vector<int64_t> numbers(count, -1);
  using Kind = IrConstant::Kind;
  for (uint64_t i = 0; i < count; ++i) {
    const IrConstant* element = nullptr;
    if (mask.kind == Kind::kZeroInitializer) numbers[i] = 0;
    if (mask.kind == Kind::kData) numbers[i] = static_cast<int64_t>(mask.words[i]);
    if (mask.kind == Kind::kSplat) element = mask.operands[0];
    if (mask.kind == Kind::kAggregate) element = mask.operands[i];
    if (element != nullptr && element->kind == Kind::kInteger) numbers[i] = element->SExtValue();
    if (element != nullptr && element->kind == Kind::kZeroInitializer) numbers[i] = 0;
  }
  const ValueNodes a = builder.Use(first), b = builder.Use(second);
  const PartTable::Parts& result = builder.PartInfo(type);
  if (!result.is_scattered() && count == source_count && count <= 32 && a.size() == 1 && result.parts.size() == 1) {
    std::vector<int16_t> small(numbers.begin(), numbers.end());
    return builder.Define(instruction, builder.dag().GetVectorShuffle(builder.Loc(), a[0].type(), a[0], b[0], small));
  }
  ValueNodes lanes = builder.Lanes(first.type(), a);
  for (const SDValue lane : builder.Lanes(second.type(), b)) lanes.push_back(lane);
  ValueNodes chosen;
  for (const int64_t number : numbers) {
    const bool is_defined = number >= 0 && static_cast<uint64_t>(number) < lanes.size();
    chosen.push_back(is_defined ? lanes[static_cast<size_t>(number)]
                                : builder.dag().GetUndef(builder.LanePart(type).type));
  }
  builder.Define(instruction, builder.FromLanes(type, chosen));
}

void LowerExtractValue(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Value& aggregate = instruction.operand(0);
  const PartRange range = RangeOf(builder, aggregate.type(), instruction.indices());
  const ValueNodes nodes = builder.Use(aggregate);
  if (builder.has_failed() || range.first + range.count > nodes.size()) return;
  builder.Define(instruction, absl::MakeConstSpan(nodes).subspan(range.first, range.count));
}

void LowerInsertValue(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const PartRange range = RangeOf(builder, instruction.type(), instruction.indices());
  ValueNodes nodes = builder.Use(instruction.operand(0));
  const ValueNodes inserted = builder.Use(instruction.operand(1));
  if (builder.has_failed() || range.first + range.count > nodes.size() || inserted.size() != range.count) return;
  for (size_t i = 0; i < range.count; ++i) nodes[range.first + i] = inserted[i];
  builder.Define(instruction, nodes);
}

}  // namespace ptxmir::sdag
