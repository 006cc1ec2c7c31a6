// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/nvptx/alloca_hoisting.h"

#include "ir/passes/support/editing.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {

IrPassResult RunAllocaHoisting(ir::Function& function, IrPassContext& context) {
  uint64_t moved = 0;
  for (ir::BasicBlock* block : function.blocks()) {
    if (block == &function.entry()) continue;
    for (ir::Instruction* i = block->first(); i != nullptr;) {
      ir::Instruction* next = i->next();
      if (i->opcode() == ir::Opcode::kAlloca && ir::ConstantInteger(i->operand(0)).has_value()) {
        if (next != nullptr) ir::MoveRecords(*i, *next, /*at_beginning=*/true);
        block->Remove(*i);
        function.entry().Insert(*i, *function.entry().first());
        ++moved;
      }
      i = next;
    }
  }
  context.AddStatistic("stack objects moved", moved);
  return {.changed = moved != 0};
}

}  // namespace ptxmir
