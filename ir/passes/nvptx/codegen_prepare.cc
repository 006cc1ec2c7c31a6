// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/codegen_prepare.h"

#include <vector>

#include "ir/passes/support/editing.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Returns true for an extension that mul.wide and mad.wide contain.
bool IsWideningOfIndex(const Instruction& instruction) {
  const bool is_extension = instruction.opcode() == Opcode::kSExt || instruction.opcode() == Opcode::kZExt;
  return is_extension && instruction.type()->is_integer(64) && instruction.operand(0).type()->is_integer(32) &&
         !instruction.operand(0).is_constant();
}

// Gives each address of another block that is computed from the extension one of its own.
unsigned RepeatBesideAddresses(Instruction& extension) {
  std::vector<Use*> uses;
  for (Use& use : extension.uses()) {
    if (IsDebugUse(use) || use.user().opcode() != Opcode::kGetElementPtr) continue;
    if (use.user().parent() != extension.parent()) uses.push_back(&use);
  }
  for (Use* use : uses) {
    Instruction& copy = InsertBefore(use->user(), extension.opcode(), extension.type(), {{extension.operand(0)}});
    copy.set_flags(extension.flags());
    use->Set(copy);
  }
  if (!uses.empty() && !IsUsedByCode(extension)) Erase(extension);
  return static_cast<unsigned>(uses.size());
}

}  // namespace

IrPassResult RunCodeGenPrepare(Function& function, IrPassContext& context) {
  unsigned num_repeated = 0;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr;) {
      Instruction* next = i->next();
      if (IsWideningOfIndex(*i)) num_repeated += RepeatBesideAddresses(*i);
      i = next;
    }
  }
  context.AddStatistic("extensions repeated", num_repeated);
  return {.changed = num_repeated != 0};
}

}  // namespace ptxmir
