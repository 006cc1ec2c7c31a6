// SPDX-License-Identifier: Apache-2.0

// InstructionWriter: the text of instructions and debug records. Internal to ir/text.

#ifndef PTXMIR_IR_TEXT_INSTRUCTION_WRITER_H_
#define PTXMIR_IR_TEXT_INSTRUCTION_WRITER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text_buffer.h"
#include "ir/code/program.h"

namespace ptxmir::ir {

class InstructionWriter {
 public:
  // The values of the function must have been numbered.
  InstructionWriter(const Function& function, ptx::TextBuffer* out)
      : function_(function), program_(function.program()), out_(out) {}

  void OmitDebugLocations() { omits_debug_locations_ = true; }
  void Write(const Instruction& instruction);
  void WriteBlockName(const BasicBlock& block, char sigil);

 private:
  // Append to the text.
  [[gnu::always_inline]] void Put(std::string_view text) {
    std::memcpy(out_->Reserve(text.size()), text.data(), text.size());
    out_->Advance(text.size());
  }
  [[gnu::always_inline]] void Put(const char* text) { Put(std::string_view(text)); }
  [[gnu::always_inline]] void Put(char c) {
    *out_->Reserve(1) = c;
    out_->Advance(1);
  }
  // Appends what `append` appends to a string.
  template <typename Append>
  void PutFrom(Append append) {
    scratch_.clear();
    append(&scratch_);
    Put(scratch_);
  }
  void Number(uint64_t number) { out_->AppendDecimal(number); }
  void Name(char sigil, std::string_view name);
  void Type(const IrType* type);
  void Operand(const Value& value);
  void TypedOperand(const Value& value);
  void TypedUse(const Use& use);
  void Label(const Value& block);
  void Flags(const Instruction& instruction);
  void List(const Instruction& instruction, unsigned first);
  void Metadata(MetadataRef node);
  void Body(const Instruction& instruction);
  void Br(const Instruction& instruction);
  void Switch(const Instruction& instruction);
  void Phi(const Instruction& instruction);
  void Alloca(const Instruction& instruction);
  void Access(const Instruction& instruction);
  void Atomic(const Instruction& instruction);
  void Align(const Instruction& instruction);
  void Indices(const Instruction& instruction);
  void Call(const Instruction& instruction);
  void Callee(const Value& callee);
  void Attributes(AttributeSetId id, std::string_view before, std::string_view after);
  void Bundles(const Instruction& instruction);
  void Attachments(const Instruction& instruction);
  void Record(const Instruction& record);
  void RecordValues(const Instruction& record, unsigned first, unsigned count);

  const Function& function_;
  const Program& program_;
  ptx::TextBuffer* out_;
  bool omits_debug_locations_ = false;
  std::string scratch_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_INSTRUCTION_WRITER_H_
