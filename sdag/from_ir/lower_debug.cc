// SPDX-License-Identifier: Apache-2.0

// Debug records: values that describe variables become debug values of the DAG, and a declaration of an alloca becomes
// a property of its stack object.

#include <optional>
#include <string>

#include "base/str_cat.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

// Returns the spelling of a node of metadata in MIR.
std::string_view SpellingOf(FunctionBuilder& builder, MetadataId id) {
  MachineFunction& function = builder.machine_function();
  if (MachineFunction::IsInlineMetadata(id)) return function.inline_metadata(id);
  return function.symbol(function.InternSymbol(StrCat("!", id)));
}

SDDbgValue DescribedBy(FunctionBuilder& builder, const ir::Instruction& record) {
  const ir::DebugRecordDetail& detail = record.record();
  SDDbgValue value;
  value.variable = builder.IdOf(detail.variable);
  value.expression = builder.IdOf(detail.expression);
  value.loc = {.order = builder.Loc().order, .debug_loc = builder.IdOf(detail.location)};
  if (detail.is_list || record.num_operands() != 1) return value;
  const ir::Value& described = record.operand(0);
  if (const std::optional<int> index = builder.FrameIndexOf(described)) {
    value.location = MachineOperand::CreateFrameIndex(*index);
    return value;
  }
  if (!described.is_constant() && !described.is_argument() && !described.is_instruction()) return value;
  // A value that no code uses has not been built in this block.
  if (!described.is_constant() && !builder.IsAvailable(described)) return value;
  const ValueNodes nodes = builder.Use(described);
  if (nodes.size() != 1) return value;
  if (const auto* constant = DynCast<ConstantSDNode>(nodes[0])) {
    // A truth value is 1, as in the memory of a bool.
    const bool is_truth = described.type()->is_integer(1);
    value.location = MachineOperand::CreateImm(is_truth ? constant->ZExtValue() & 1 : constant->SExtValue());
  } else if (!IsVector(nodes[0].type()) && nodes[0].opcode() != isd::kUndef) {
    value.value = nodes[0];
  }
  return value;
}

void LowerDeclaration(FunctionBuilder& builder, const ir::Instruction& record) {
  const ir::DebugRecordDetail& detail = record.record();
  if (record.num_operands() == 0) return;
  const std::optional<int> index = builder.FrameIndexOf(record.operand(0));
  if (!index.has_value()) {
    SDDbgValue value = DescribedBy(builder, record);
    value.is_indirect = true;
    if (!value.is_undef()) builder.dag().AddDbgValue(value);
    return;
  }
  StackObject& object = builder.machine_function().frame_info().object(*index);
  object.debug_variable = SpellingOf(builder, builder.IdOf(detail.variable));
  object.debug_expression = SpellingOf(builder, builder.IdOf(detail.expression));
  object.debug_location = SpellingOf(builder, builder.IdOf(detail.location));
}

}  // namespace

void LowerDebugRecords(FunctionBuilder& builder, const ir::Instruction& instruction) {
  for (const ir::Instruction* record = instruction.first_record(); record != nullptr; record = record->next()) {
    switch (record->opcode()) {
      case ir::Opcode::kDbgValue:
      case ir::Opcode::kDbgAssign:
        if (!record->record().variable.is_none()) builder.dag().AddDbgValue(DescribedBy(builder, *record));
        break;
      case ir::Opcode::kDbgDeclare:
        LowerDeclaration(builder, *record);
        break;
      default:
        break;
    }
  }
}

}  // namespace ptxmir::sdag
