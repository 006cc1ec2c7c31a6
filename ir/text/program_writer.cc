// SPDX-License-Identifier: Apache-2.0

#include "ir/text/program_writer.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/text_buffer.h"
#include "ir/text/instruction_writer.h"

namespace ptxmir::ir {

namespace {

void AppendBody(Function& function, ptx::TextBuffer* out) {
  function.NumberValues();
  InstructionWriter writer(function, out);
  out->Append("{\n");
  for (const BasicBlock* block : function.blocks()) {
    // The entry of a body without a label is numbered, too, but LLVM does not print its number.
    if (block->number() > 0 || block->name() != 0) {
      if (block->number() > 0) out->Append('\n');
      writer.WriteBlockName(*block, '\0');
      out->Append(":\n");
    }
    for (const Instruction* instruction = block->first(); instruction != nullptr; instruction = instruction->next()) {
      for (const Instruction* record = instruction->first_record(); record != nullptr; record = record->next()) {
        out->Append("    ");
        writer.Write(*record);
        out->Append('\n');
      }
      out->Append("  ");
      writer.Write(*instruction);
      out->Append('\n');
    }
  }
  out->Append('}');
}

}  // namespace

void WriteInstruction(const Instruction& instruction, std::string* out) {
  ptx::TextBuffer text;
  InstructionWriter(instruction.function(), &text).Write(instruction);
  out->append(text.view());
}

void WriteBody(Function& function, std::string* out) {
  ptx::TextBuffer text;
  AppendBody(function, &text);
  out->append(text.view());
}

void UpdateBodyTexts(Program& program) {
  Module& module = program.module();
  // All bodies are in one text, which mostly has about the size of what was read.
  ptx::TextBuffer text;
  text.Reserve(module.ir_text().size() + module.ir_text().size() / 8);
  std::vector<size_t> ends;
  ends.reserve(program.functions().size());
  for (const std::unique_ptr<Function>& function : program.functions()) {
    AppendBody(*function, &text);
    ends.push_back(text.size());
  }
  const std::string_view kept = module.KeepText(std::move(text));
  size_t begin = 0;
  for (size_t i = 0; i < ends.size(); begin = ends[i++]) {
    GlobalValue& global = module.global_value(program.functions()[i]->id());
    static_cast<IrFunction&>(global).body_text = kept.substr(begin, ends[i] - begin);
    global.MarkChanged();
  }
  module.InvalidateUsers();
}

void WriteProgram(Program& program, std::string* out) {
  UpdateBodyTexts(program);
  program.module().PrintIr(out);
}

}  // namespace ptxmir::ir
