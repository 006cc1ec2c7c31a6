// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/dce.h"

#include <vector>

#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Returns true for a store to an object on the stack that is only stored to, and for other things that are done with
// such an object.
bool IsAccessOfUnreadObject(const Instruction& alloca) {
  for (const Use& use : alloca.uses()) {
    if (IsDebugUse(use)) continue;
    const Instruction& user = use.user();
    const bool is_store = user.opcode() == Opcode::kStore && use.operand_number() == 1 && IsSimpleAccess(user);
    if (!is_store && !IsIntrinsicCall(user, "llvm.lifetime.")) return false;
  }
  return true;
}

// Erases objects that nothing reads. Returns their number.
unsigned EraseUnreadObjects(Function& function) {
  std::vector<Instruction*> unread;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->opcode() == Opcode::kAlloca && IsAccessOfUnreadObject(*i)) unread.push_back(i);
    }
  }
  for (Instruction* alloca : unread) {
    std::vector<Instruction*> users;
    for (Use& use : alloca->uses()) {
      if (!IsDebugUse(use)) users.push_back(&use.user());
    }
    for (Instruction* user : users) Erase(*user);
    Erase(*alloca);
  }
  return static_cast<unsigned>(unread.size());
}

}  // namespace

IrPassResult RunIrDce(Function& function, IrPassContext& context) {
  unsigned erased = EraseUnreadObjects(function);
  std::vector<bool> live(function.arena().id_bound());  // by id
  KnownCallEffects call_effects;
  std::vector<const Instruction*> worklist;
  const auto mark = [&](const Value& value) {
    if (!value.is_instruction()) return;
    if (live[value.id()]) return;
    live[value.id()] = true;
    worklist.push_back(&static_cast<const Instruction&>(value));
  };
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      const bool is_call = i->opcode() == Opcode::kCall;
      if (!(is_call ? call_effects.Of(*i).is_removable : IsRemovableIfUnused(*i))) mark(*i);
    }
  }
  while (!worklist.empty()) {
    const Instruction* instruction = worklist.back();
    worklist.pop_back();
    for (const Use& use : instruction->operands()) {
      if (!use.is_metadata()) mark(use.value());
    }
  }
  std::vector<Instruction*> dead;
  for (BasicBlock* block : function.blocks()) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (!live[i->id()]) dead.push_back(i);
    }
  }
  for (Instruction* instruction : dead) {
    if (instruction->has_uses()) {
      instruction->ReplaceAllUsesWith(*function.Simple(IrConstant::Kind::kPoison, instruction->type()));
    }
  }
  for (Instruction* instruction : dead) Erase(*instruction);
  erased += static_cast<unsigned>(dead.size());
  context.AddStatistic("instructions erased", erased);
  return {.changed = erased != 0};
}

}  // namespace ptxmir
