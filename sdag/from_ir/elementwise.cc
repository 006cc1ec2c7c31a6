// SPDX-License-Identifier: Apache-2.0

#include "sdag/from_ir/elementwise.h"

namespace ptxmir::sdag {
namespace {

// Returns the nodes of values with one part each.
absl::InlinedVector<SDValue, 3> UseEach(FunctionBuilder& builder, std::initializer_list<const ir::Value*> values) {
  absl::InlinedVector<SDValue, 3> nodes;
  for (const ir::Value* value : values) nodes.push_back(builder.UseOne(*value));
  return nodes;
}

}  // namespace

SDValue Extended(FunctionBuilder& builder, SDValue value, const ValuePart& part, Extension extension) {
  if (extension == Extension::kZero) return builder.ZeroExtended(value, part);
  return extension == Extension::kSign ? builder.SignExtended(value, part) : value;
}

void DefineElementwise(FunctionBuilder& builder, const ir::Instruction& instruction,
                       std::initializer_list<const ir::Value*> operands, MakePart make) {
  const absl::Span<const ValuePart> parts = builder.PartsOf(instruction.type());
  if (parts.size() == 1) return builder.Define(instruction, make(parts[0], UseEach(builder, operands)));
  absl::InlinedVector<ValueNodes, 3> nodes;
  for (const ir::Value* operand : operands) nodes.push_back(builder.Use(*operand));
  ValueNodes results;
  for (size_t i = 0; i < parts.size(); ++i) {
    ValueNodes of_part;
    for (const ValueNodes& operand : nodes) {
      if (i < operand.size()) of_part.push_back(operand[i]);
    }
    if (of_part.size() != nodes.size()) break;
    results.push_back(make(parts[i], of_part));
  }
  builder.Define(instruction, results);
}

void DefineConverted(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* operand_type,
                     std::initializer_list<const ir::Value*> operands, MakeConverted make, bool by_element) {
  const IrType* type = instruction.type();
  const absl::Span<const ValuePart> results = builder.PartsOf(type), sources = builder.PartsOf(operand_type);
  if (results.empty() || sources.empty()) {
    builder.Refuse("a value of this type");
    return;
  }
  const bool is_scattered = type->is_vector() && (by_element || builder.PartInfo(type).is_scattered() ||
                                                  builder.PartInfo(operand_type).is_scattered());
  if (!is_scattered) {
    return builder.Define(instruction, make(results[0], sources[0], UseEach(builder, operands)));
  }
  absl::InlinedVector<ValueNodes, 3> nodes;
  for (const ir::Value* operand : operands) nodes.push_back(builder.Lanes(operand_type, builder.Use(*operand)));
  const ValuePart result_lane = builder.LanePart(type), source_lane = builder.LanePart(operand_type);
  ValueNodes lanes;
  for (uint64_t i = 0; i < type->num_elements(); ++i) {
    ValueNodes of_lane;
    for (const ValueNodes& operand : nodes) {
      if (i < operand.size()) of_lane.push_back(operand[i]);
    }
    if (of_lane.size() != nodes.size()) break;
    lanes.push_back(make(result_lane, source_lane, of_lane));
  }
  builder.Define(instruction, builder.FromLanes(type, lanes));
}

}  // namespace ptxmir::sdag
