// SPDX-License-Identifier: Apache-2.0

// How debug values follow changes to a graph.

#include <optional>
#include <utility>

#include "mir/code/debug_expression.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {
namespace {

std::optional<MachineOperand::FPWidth> WidthOf(MVT type) {
  switch (type) {
    case MVT::kF16:
      return MachineOperand::FPWidth::kHalf;
    case MVT::kBF16:
      return MachineOperand::FPWidth::kBFloat;
    case MVT::kF32:
      return MachineOperand::FPWidth::kFloat;
    case MVT::kF64:
      return MachineOperand::FPWidth::kDouble;
    default:
      return std::nullopt;
  }
}

// Returns the operand of a DBG_VALUE that stands for result 0 of the node, or nullopt if there is none.
std::optional<MachineOperand> LocationOf(const SDNode& node) {
  if (const auto* constant = DynCast<ConstantSDNode>(&node)) {
    const bool fits = IsInteger(node.value_type(0)) && !IsVector(node.value_type(0)) && constant->width() <= 64;
    return fits ? std::optional(MachineOperand::CreateImm(constant->SExtValue())) : std::nullopt;
  }
  if (const auto* constant = DynCast<ConstantFPSDNode>(&node)) {
    const std::optional<MachineOperand::FPWidth> width = WidthOf(node.value_type(0));
    return width.has_value() ? std::optional(MachineOperand::CreateFPImm(*width, constant->bits())) : std::nullopt;
  }
  if (const auto* object = DynCast<FrameIndexSDNode>(&node)) return MachineOperand::CreateFrameIndex(object->index());
  if (node.opcode() == isd::kCopyFromReg) {
    const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
    if (reg != nullptr && reg->reg().is_virtual()) return MachineOperand::CreateReg(reg->reg());
  }
  return std::nullopt;
}

// Returns what the node adds to its first operand, if it does nothing else with it.
std::optional<int64_t> AddedTo(const SDNode& node) {
  const MVT type = node.value_type(0);
  switch (node.opcode()) {
    case isd::kAssertSext:
    case isd::kAssertZext:
    case isd::kAssertAlign:
    case isd::kFreeze:
      return 0;
    case isd::kBitcast: {
      const bool are_scalars = !IsVector(type) && !IsVector(node.operand(0).type());
      return are_scalars ? std::optional<int64_t>(0) : std::nullopt;
    }
    case isd::kAdd: {
      const auto* constant = DynCast<ConstantSDNode>(node.operand(1));
      if (constant == nullptr || IsVector(type) || SizeInBits(type) > 64) return std::nullopt;
      return constant->SExtValue();
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

void SelectionDAG::AddDbgValue(const SDDbgValue& value) {
  if (!IsOurs(value.value)) {
    Misuse("a debug value names a value of another function or block");
    return;
  }
  if (value.value && value.value.resno() >= value.value->num_values()) {
    Misuse("a debug value names a result that does not exist");
    return;
  }
  const uint32_t index = debug_info_.Add(value);
  if (value.value) PlaceDbgValue(index, value);
}

std::vector<uint32_t> SelectionDAG::DetachDbgValues(SDValue value) {
  std::vector<uint32_t> detached;
  if (!value || !value->has_debug_value()) return detached;
  value.node()->has_debug_value_ = 0;
  for (const uint32_t index : debug_info_.Detach(*value.node())) {
    if (debug_info_.values_[index].value == value) {
      detached.push_back(index);
    } else {
      debug_info_.Attach(index);
      value.node()->has_debug_value_ = 1;
    }
  }
  return detached;
}

void SelectionDAG::PlaceDbgValue(uint32_t index, const SDDbgValue& place) {
  SDDbgValue& value = debug_info_.values_[index];
  value.value = place.value;
  value.location = place.location;
  value.expression = place.expression;
  if (!value.value) return;
  debug_info_.Attach(index);
  value.value.node()->has_debug_value_ = 1;
}

void SelectionDAG::TransferDbgValues(absl::Span<const SDValue> from, absl::Span<const SDValue> to) {
  struct Move {
    uint32_t index;
    SDValue to;
  };
  std::vector<Move> moves;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!to[i] || from[i] == to[i] || !IsOurs(from[i]) || !IsOurs(to[i])) continue;
    for (const uint32_t index : DetachDbgValues(from[i])) moves.push_back({index, to[i]});
  }
  for (const Move& move : moves) {
    SDDbgValue place = debug_info_.values_[move.index];
    place.value = move.to;
    PlaceDbgValue(move.index, place);
  }
}

void SelectionDAG::TransferAllDbgValues(const SDNode& from, SDNode& to) {
  if (!from.has_debug_value() || !IsOurs({&to, 0})) return;
  for (unsigned i = 0; i < from.num_values() && i < to.num_values(); ++i) {
    TransferDbgValues({const_cast<SDNode*>(&from), i}, {&to, i});
  }
}

void SelectionDAG::SplitDbgValues(SDValue from, absl::Span<const SDValue> parts, absl::Span<const unsigned> bits) {
  if (parts.size() == 1) return TransferDbgValues(from, parts[0]);
  for (const uint32_t index : DetachDbgValues(from)) {
    const SDDbgValue whole = debug_info_.values_[index];
    SDDbgValue undefined = whole;
    undefined.value = SDValue();
    PlaceDbgValue(index, undefined);
    uint64_t offset = 0;
    bool is_first = true;
    for (size_t i = 0; i < parts.size(); offset += bits[i++]) {
      const std::optional<MetadataId> expression =
          whole.is_indirect ? std::nullopt : ExpressionOfBits(machine_function(), whole.expression, offset, bits[i]);
      if (!expression.has_value()) continue;
      SDDbgValue part = whole;
      part.value = parts[i];
      part.expression = *expression;
      PlaceDbgValue(std::exchange(is_first, false) ? index : debug_info_.AddCopy(index), part);
    }
  }
}

SDDbgValue SelectionDAG::SalvagedDbgValue(const SDDbgValue& value) const {
  SDDbgValue salvaged = value;
  salvaged.value = SDValue();
  if (!value.value || value.value.resno() != 0) return salvaged;
  const SDNode& node = *value.value.node();
  if (const std::optional<MachineOperand> location = LocationOf(node)) {
    salvaged.location = *location;
    return salvaged;
  }
  const std::optional<int64_t> added = AddedTo(node);
  if (!added.has_value() || !node.operand(0)) return salvaged;
  const std::optional<MetadataId> expression =
      ExpressionWithOffset(machine_function(), value.expression, *added, value.is_indirect);
  if (!expression.has_value()) return salvaged;
  salvaged.value = node.operand(0);
  salvaged.expression = *expression;
  return salvaged;
}

void SelectionDAG::SalvageDbgValues(SDNode& node) {
  node.has_debug_value_ = 0;
  for (const uint32_t index : debug_info_.Detach(node)) {
    PlaceDbgValue(index, SalvagedDbgValue(debug_info_.values_[index]));
  }
}

std::vector<SDDbgValue> SelectionDAG::TakeDbgValues() {
  std::vector<SDDbgValue> taken;
  for (const SDDbgValue* value : debug_info_.InProgramOrder()) {
    taken.push_back(*value);
    if (value->value) value->value.node()->has_debug_value_ = 0;
  }
  debug_info_.Clear();
  return taken;
}

}  // namespace ptxmir::sdag
