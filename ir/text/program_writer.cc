// SPDX-License-Identifier: Apache-2.0

#include "ir/text/program_writer.h"

#include "ir/text/instruction_writer.h"

namespace ptxmir::ir {

void WriteInstruction(const Instruction& instruction, std::string* out) {
  InstructionWriter(instruction.function(), out).Write(instruction);
}

void WriteBody(Function& function, std::string* out) {
  function.NumberValues();
  InstructionWriter writer(function, out);
  out->append("{\n");
  for (const BasicBlock* block : function.blocks()) {
    // The entry of a body without a label is numbered, too, but LLVM does not print its number.
    if (block->number() > 0 || block->name() != 0) {
      if (block->number() > 0) out->push_back('\n');
      writer.WriteBlockName(*block, '\0');
      out->append(":\n");
    }
    for (const Instruction* instruction = block->first(); instruction != nullptr; instruction = instruction->next()) {
      for (const Instruction* record = instruction->first_record(); record != nullptr; record = record->next()) {
        out->append("    ");
        writer.Write(*record);
        out->push_back('\n');
      }
      out->append("  ");
      writer.Write(*instruction);
      out->push_back('\n');
    }
  }
  out->push_back('}');
}

void UpdateBodyTexts(Program& program) {
  Module& module = program.module();
  std::string body;
  for (const std::unique_ptr<Function>& function : program.functions()) {
    body.clear();
    WriteBody(*function, &body);
    GlobalValue& global = module.global_value(function->id());
    static_cast<IrFunction&>(global).body_text = module.CopyString(body);
    global.MarkChanged();
  }
  module.InvalidateUsers();
}

void WriteProgram(Program& program, std::string* out) {
  UpdateBodyTexts(program);
  program.module().PrintIr(out);
}

}  // namespace ptxmir::ir
