// SPDX-License-Identifier: Apache-2.0

#include "ir/code/program.h"
#include "ir/verify/instruction_checks.h"

namespace ptxmir::ir {
namespace {

const MetadataNode* NodeOf(const Function& function, MetadataRef node) {
  const Module& module = function.module();
  return node.is_inline() ? module.ParseInlineMetadata(function.program().metadata_text(node))
                          : module.metadata(node.node());
}

bool IsLoadOrCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kLoad || instruction.opcode() == Opcode::kCall;
}

const char* CheckRange(const Instruction& instruction, const MetadataNode& node) {
  if (!IsLoadOrCall(instruction)) return "Ranges are only for loads, calls and invokes!";
  if (node.operands.empty() || node.operands.size() % 2 != 0) return "Unfinished range!";
  for (const MetadataOperand& operand : node.operands) {
    if (operand.constant == nullptr || !operand.constant->is_integer()) return "The limits must be integers!";
    if (operand.constant->type != ScalarType(instruction.type())) return "Range types must match instruction type!";
  }
  return nullptr;
}

const char* CheckAttachment(const Function& function, const Instruction& instruction, const Attachment& attachment) {
  const std::string_view kind = function.program().metadata_kind(attachment.kind);
  if (kind == "range") {
    const MetadataNode* node = NodeOf(function, attachment.node);
    return node == nullptr ? "Unfinished range!" : CheckRange(instruction, *node);
  }
  if (kind == "nonnull") {
    if (!instruction.type()->is_pointer()) return "nonnull applies only to pointer types";
    return IsLoadOrCall(instruction) ? nullptr : "nonnull applies only to load instructions, use attributes for calls";
  }
  if (kind == "align" || kind == "dereferenceable" || kind == "dereferenceable_or_null") {
    return instruction.type()->is_pointer() ? nullptr : "dereferenceable, align apply only to pointer types";
  }
  if (kind == "llvm.loop" && !instruction.is_terminator()) return "llvm.loop applies only to terminators";
  return nullptr;
}

}  // namespace

const char* CheckMetadata(const Function& function, const Instruction& instruction) {
  if (!instruction.debug_loc().is_none()) {
    const MetadataNode* node = NodeOf(function, instruction.debug_loc());
    if (node == nullptr || node->kind != "DILocation") return "invalid !dbg metadata attachment";
  }
  for (const Attachment& attachment : instruction.attachments()) {
    if (const char* message = CheckAttachment(function, instruction, attachment); message != nullptr) return message;
  }
  return nullptr;
}

}  // namespace ptxmir::ir
