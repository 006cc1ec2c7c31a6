// SPDX-License-Identifier: Apache-2.0

#include "ir/text/function_lines.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/fingerprint.h"
#include "ir/text/instruction_writer.h"

namespace ptxmir::ir {
namespace {

void AddPointer(const void* pointer, Fingerprint& out) { out.Add(reinterpret_cast<uintptr_t>(pointer)); }

// Adds all that the text of an operand depends on. Returns false if it may depend on more.
bool AddOperand(const Function& function, const Use& use, Fingerprint& out) {
  const Value& value = use.value();
  if (use.is_metadata()) return false;
  // Numbers and ids of values of different kinds may be the same. Types are aligned, so that the kind has room.
  static_assert(alignof(IrType) > static_cast<size_t>(Value::Kind::kPlaceholder));
  out.Add(reinterpret_cast<uintptr_t>(value.type()) | static_cast<uintptr_t>(value.kind()));
  switch (value.kind()) {
    case Value::Kind::kInstruction: {
      const auto& instruction = static_cast<const Instruction&>(value);
      out.Add(instruction.name(), instruction.slot());
      return true;
    }
    case Value::Kind::kBlock: {
      const auto& block = static_cast<const BasicBlock&>(value);
      out.Add(block.name(), block.slot());
      return true;
    }
    case Value::Kind::kConstant: {
      const IrConstant& constant = static_cast<const ConstantValue&>(value).constant();
      if (!constant.operands.empty()) return false;
      if (constant.kind == IrConstant::Kind::kGlobal) {
        out.Add(function.module().global_value(constant.global).name);
      }
      out.Add(value.id());
      return true;
    }
    case Value::Kind::kArgument:
    case Value::Kind::kInlineAsm:
      out.Add(value.id());
      return true;
    case Value::Kind::kMetadata:
    case Value::Kind::kPlaceholder:
      return false;
  }
  return false;
}

bool AddCall(const CallDetail& call, Fingerprint& out) {
  if (!call.bundles.empty()) return false;
  AddPointer(call.function_type, out);
  out.Add(call.calling_convention, call.num_arguments);
  out.Add(call.address_space, call.states_function_type ? 1 : 0);
  out.Add(call.return_attributes, call.function_attributes);
  for (const AttributeSetId attributes : call.argument_attributes) out.Add(attributes);
  return true;
}

// Adds what only some opcodes have.
bool AddDetail(const Instruction& instruction, Fingerprint& out) {
  switch (instruction.opcode()) {
    case Opcode::kSwitch:  // takes several lines
      return false;
    case Opcode::kCall:
      return AddCall(instruction.call(), out);
    case Opcode::kAlloca:
    case Opcode::kGetElementPtr:
      AddPointer(instruction.source_type(), out);
      return true;
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      for (const uint32_t index : instruction.indices()) out.Add(index);
      return true;
    default:
      return true;
  }
}

// Returns a hash of all that the text of an instruction depends on, or nothing if it depends on more.
std::optional<uint64_t> FingerprintOf(const Instruction& instruction) {
  Fingerprint fingerprint;
  fingerprint.Add(static_cast<uint32_t>(instruction.opcode()) << 8 | static_cast<uint32_t>(instruction.predicate()),
                  instruction.flags());
  fingerprint.Add(static_cast<uint32_t>(instruction.ordering()) << 16 |
                      static_cast<uint32_t>(instruction.failure_ordering()) << 8 | instruction.sync_scope(),
                  instruction.num_operands());
  fingerprint.Add(instruction.align());
  fingerprint.Add(instruction.name(), instruction.slot());
  AddPointer(instruction.type(), fingerprint);
  for (const Use& use : instruction.operands()) {
    if (!AddOperand(instruction.function(), use, fingerprint)) return std::nullopt;
  }
  for (const Attachment& attachment : instruction.attachments()) {
    fingerprint.Add(attachment.kind, attachment.node.bits);
  }
  if (!AddDetail(instruction, fingerprint)) return std::nullopt;
  return fingerprint.value();
}

}  // namespace

void FunctionLines::KeepNumbers(Function& function) {
  const bool is_first = known_.empty();
  block_numbers_.clear();
  function.NumberValues();
  function.NumberValues([&](const Value& value, uint32_t slot) {
    Known& known = known_[value.id()];
    if (known.number == kNone) known.number = is_first ? slot : next_number_;
    next_number_ = std::max(next_number_, known.number + 1);
    if (value.is_block()) block_numbers_.emplace_back(slot, known.number);
    return known.number;
  });
}

uint32_t FunctionLines::KeptBlockNumber(uint32_t slot) const {
  const auto found = std::lower_bound(block_numbers_.begin(), block_numbers_.end(), std::pair(slot, uint32_t{0}));
  return found == block_numbers_.end() || found->first != slot ? slot : found->second;
}

void FunctionLines::AppendInstruction(const Instruction& instruction, InstructionWriter& writer,
                                      absl::FunctionRef<uint32_t(std::string_view)> number_of,
                                      std::vector<uint32_t>& lines) {
  const auto write = [&] {
    text_.Clear();
    text_.Append("  ");
    writer.Write(instruction);
    return text_.view();
  };
  const std::optional<uint64_t> fingerprint = FingerprintOf(instruction);
  if (!fingerprint.has_value()) {
    for (std::string_view rest = write(); !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back(number_of(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return;
  }
  Known& known = known_[instruction.id()];
  if (known.text == kNone || known.fingerprint != *fingerprint) {
    known.fingerprint = *fingerprint;
    known.text = number_of(write());
  }
  assert(known.text == number_of(write()) && "the fingerprint leaves out what the line depends on");
  lines.push_back(known.text);
}

void FunctionLines::Append(Function& function, absl::FunctionRef<uint32_t(std::string_view)> number_of,
                           std::vector<uint32_t>& lines) {
  KeepNumbers(function);
  lines.push_back(number_of(SignatureToString(function.module(), function.signature()) + " {"));
  InstructionWriter writer(function, &text_);
  writer.OmitDebugLocations();
  for (const BasicBlock* block : function.blocks()) {
    if (block->number() > 0) lines.push_back(number_of(""));
    if (block->number() > 0 || block->name() != 0) {
      text_.Clear();
      writer.WriteBlockName(*block, '\0');
      text_.Append(':');
      lines.push_back(number_of(text_.view()));
    }
    for (const Instruction* instruction = block->first(); instruction != nullptr; instruction = instruction->next()) {
      AppendInstruction(*instruction, writer, number_of, lines);
    }
  }
  lines.push_back(number_of("}"));
}

}  // namespace ptxmir::ir
