// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/editing.h"

#include <bit>
#include <utility>

#include "ir/code/program.h"
#include "ir/passes/support/effects.h"

namespace ptxmir::ir {

bool IsUsedByCode(const Value& value) {
  for (const Use& use : value.uses()) {
    if (!IsDebugUse(use)) return true;
  }
  return false;
}

bool HasOneUseByCode(const Value& value) {
  unsigned count = 0;
  for (const Use& use : value.uses()) count += IsDebugUse(use) ? 0 : 1;
  return count == 1;
}

void ForgetInDebugRecords(Value& value) {
  for (Use* use = value.first_use(); use != nullptr;) {
    Use* next = use->next();
    if (IsDebugUse(*use)) use->Set(*value.function().Simple(IrConstant::Kind::kPoison, value.type()));
    use = next;
  }
}

void MoveRecords(Instruction& from, Instruction& to, bool at_beginning) {
  Instruction* first = from.first_record();
  if (first == nullptr) return;
  from.set_first_record(nullptr);
  Instruction* others = to.first_record();
  if (others == nullptr) {
    to.set_first_record(first);
    return;
  }
  Instruction* head = at_beginning ? first : others;
  Instruction* tail = at_beginning ? others : first;
  Instruction* last = head;
  while (last->next() != nullptr) last = last->next();
  last->set_next_record(tail);
  to.set_first_record(head);
}

void Erase(Instruction& instruction) {
  ForgetInDebugRecords(instruction);
  if (instruction.next() != nullptr) MoveRecords(instruction, *instruction.next(), /*at_beginning=*/true);
  instruction.EraseFromParent();
}

void ReplaceAndErase(Instruction& instruction, Value& value) {
  instruction.ReplaceAllUsesWith(value);
  Erase(instruction);
}

unsigned EraseIfDead(Instruction& instruction) {
  std::vector<Instruction*> candidates = {&instruction};
  return EraseDeadOf(candidates);
}

unsigned EraseDeadOf(std::vector<Instruction*>& candidates) {
  unsigned erased = 0;
  while (!candidates.empty()) {
    Instruction* instruction = candidates.back();
    candidates.pop_back();
    if (instruction->parent() == nullptr || !IsRemovableIfUnused(*instruction) || IsUsedByCode(*instruction)) continue;
    for (const Use& use : instruction->operands()) {
      if (use.value().is_instruction()) candidates.push_back(static_cast<Instruction*>(&use.value()));
    }
    Erase(*instruction);
    ++erased;
  }
  return erased;
}

Instruction& InsertBefore(Instruction& before, Opcode opcode, const IrType* type,
                          absl::Span<const Function::Operand> operands) {
  Instruction* instruction = before.function().CreateInstruction(opcode, type, operands);
  instruction->set_debug_loc(before.debug_loc());
  before.parent()->Insert(*instruction, before);
  return *instruction;
}

Instruction& AppendBr(BasicBlock& block, BasicBlock& target) {
  Function& function = block.function();
  Instruction* br = function.CreateInstruction(Opcode::kBr, function.module().types().Void(), {{target}});
  block.Append(*br);
  return *br;
}

Value& PointerPlus(Instruction& before, Value& pointer, uint64_t offset, uint32_t flags) {
  if (offset == 0) return pointer;
  Function& function = before.function();
  IrTypeTable& types = function.module().types();
  Instruction& gep = InsertBefore(before, Opcode::kGetElementPtr, pointer.type(),
                                  {{pointer}, {*function.Integer(types.Integer(64), offset)}});
  function.SetDetail<const IrType*>(gep, types.Integer(8));
  gep.set_flags(flags);
  return gep;
}

void CopyProperties(const Instruction& from, Instruction& to) {
  Function& function = to.function();
  to.set_flags(from.flags());
  to.set_variant(static_cast<uint8_t>(from.predicate()));
  if (from.align() != 0) to.set_log_align(static_cast<uint8_t>(std::countr_zero(from.align())));
  to.SetAtomic(from.ordering(), from.failure_ordering(), from.sync_scope());
  switch (from.opcode()) {
    case Opcode::kAlloca:
    case Opcode::kGetElementPtr:
      function.SetDetail<const IrType*>(to, from.source_type());
      break;
    case Opcode::kExtractValue:
    case Opcode::kInsertValue: {
      const absl::Span<const uint32_t> indices = function.arena().CopyArray(from.indices());
      function.SetDetail(to, indices);
      break;
    }
    case Opcode::kCall: {
      CallDetail detail = from.call();
      detail.argument_attributes = function.arena().CopyArray(detail.argument_attributes);
      detail.bundles = function.arena().CopyArray(detail.bundles);
      function.SetDetail(to, detail);
      break;
    }
    case Opcode::kDbgValue:
    case Opcode::kDbgDeclare:
    case Opcode::kDbgDeclareValue:
    case Opcode::kDbgAssign:
    case Opcode::kDbgLabel:
      function.SetDetail(to, from.record());
      break;
    default:
      break;
  }
}

namespace {

// Copies a constant expression, whose parts are in the memory of another function.
const IrConstant& ImportConstant(Function& function, const IrConstant& constant) {
  std::vector<const IrConstant*> operands;
  operands.reserve(constant.operands.size());
  for (const IrConstant* operand : constant.operands) operands.push_back(&ImportConstant(function, *operand));
  IrConstant copy = constant;
  copy.operands = operands;
  return function.NewIrConstant(copy);
}

}  // namespace

Value& ImportValue(Function& function, const Value& value) {
  if (value.is_constant()) {
    const IrConstant& constant = static_cast<const ConstantValue&>(value).constant();
    switch (constant.kind) {
      case IrConstant::Kind::kInteger:
        if (constant.words.size() == 1) return *function.Integer(constant.type, constant.words[0]);
        break;
      case IrConstant::Kind::kGlobal:
        return *function.GlobalAddress(constant.global);
      case IrConstant::Kind::kNullPointer:
      case IrConstant::Kind::kUndef:
      case IrConstant::Kind::kPoison:
      case IrConstant::Kind::kZeroInitializer:
        return *function.Simple(constant.kind, constant.type);
      default:
        break;
    }
    return *function.Constant(ImportConstant(function, constant));
  }
  if (value.is_instruction()) return *function.Simple(IrConstant::Kind::kPoison, value.type());
  if (value.is_inline_asm()) {
    const auto& inline_asm = static_cast<const InlineAsm&>(value);
    return *function.arena().New<InlineAsm>(value.type(), inline_asm.text(), inline_asm.constraints(),
                                            inline_asm.flags());
  }
  return *function.arena().New<MetadataValue>(value.type(), static_cast<const MetadataValue&>(value).node());
}

Instruction* CloneInstruction(Function& function, const Instruction& original, const ValueMap* values) {
  std::vector<Function::Operand> operands;
  operands.reserve(original.num_operands());
  for (const Use& use : original.operands()) {
    Value* value = &use.value();
    if (values != nullptr) {
      const auto found = values->find(value);
      value = found != values->end() ? found->second : &ImportValue(function, *value);
    }
    operands.emplace_back(*value, use.is_metadata());
  }
  Instruction* clone = function.CreateInstruction(original.opcode(), original.type(), operands);
  CopyProperties(original, *clone);
  return clone;
}

void RemovePhiEntries(BasicBlock& block, const BasicBlock& predecessor) {
  for (Instruction* phi = block.first(); phi != nullptr && phi->opcode() == Opcode::kPhi;) {
    Instruction* next = phi->next();
    std::vector<Function::Operand> operands;
    bool is_removed = false;
    for (unsigned i = 0; i < phi->num_incoming(); ++i) {
      if (!is_removed && &phi->incoming_block(i) == &predecessor) {
        is_removed = true;
        continue;
      }
      operands.emplace_back(phi->incoming_value(i));
      operands.emplace_back(phi->incoming_block(i));
    }
    if (is_removed && operands.empty()) {
      ReplaceAndErase(*phi, *block.function().Simple(IrConstant::Kind::kPoison, phi->type()));
    } else if (is_removed) {
      Instruction& copy = InsertBefore(*phi, Opcode::kPhi, phi->type(), operands);
      copy.set_flags(phi->flags());
      copy.set_debug_loc(phi->debug_loc());
      copy.set_name(phi->name());
      copy.SetAttachments(phi->attachments());
      phi->ReplaceAllUsesWith(copy);
      Erase(*phi);
    }
    phi = next;
  }
}

Instruction& MakePhi(BasicBlock& block, const IrType* type, Value& initial) {
  std::vector<Function::Operand> operands;
  block.ForEachPredecessor([&](BasicBlock& predecessor) {
    operands.emplace_back(initial);
    operands.emplace_back(predecessor);
  });
  Instruction* phi = block.function().CreateInstruction(Opcode::kPhi, type, operands);
  block.Insert(*phi, *block.first());
  return *phi;
}

BasicBlock& SplitBlock(Instruction& first) {
  BasicBlock& block = *first.parent();
  Function& function = block.function();
  BasicBlock& rest = *function.CreateBlock();
  std::vector<BasicBlock*> blocks = function.blocks();
  blocks.insert(blocks.begin() + block.number() + 1, &rest);
  for (Instruction* instruction = &first; instruction != nullptr;) {
    Instruction* next = instruction->next();
    block.Remove(*instruction);
    rest.Append(*instruction);
    instruction = next;
  }
  function.ReplaceBlocks(std::move(blocks));
  for (Use* use = block.first_use(); use != nullptr;) {
    Use* next = use->next();
    if (use->user().opcode() == Opcode::kPhi) use->Set(rest);
    use = next;
  }
  return rest;
}

bool RemoveUnreachableBlocks(Function& function) {
  std::vector<bool> is_reached(function.blocks().size(), false);
  std::vector<BasicBlock*> worklist = {&function.entry()};
  is_reached[0] = true;
  while (!worklist.empty()) {
    const Instruction& terminator = *worklist.back()->terminator();
    worklist.pop_back();
    for (unsigned i = 0; i < terminator.num_successors(); ++i) {
      BasicBlock& successor = terminator.successor(i);
      if (is_reached[successor.number()]) continue;
      is_reached[successor.number()] = true;
      worklist.push_back(&successor);
    }
  }
  std::vector<BasicBlock*> kept;
  std::vector<BasicBlock*> removed;
  for (BasicBlock* block : function.blocks()) (is_reached[block->number()] ? kept : removed).push_back(block);
  if (removed.empty()) return false;
  for (BasicBlock* block : removed) {
    const Instruction& terminator = *block->terminator();
    for (unsigned i = 0; i < terminator.num_successors(); ++i) {
      if (is_reached[terminator.successor(i).number()]) RemovePhiEntries(terminator.successor(i), *block);
    }
  }
  // Uses in other unreachable blocks go with them; the order of erasing must not matter.
  for (BasicBlock* block : removed) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->has_uses()) i->ReplaceAllUsesWith(*function.Simple(IrConstant::Kind::kPoison, i->type()));
    }
  }
  for (BasicBlock* block : removed) {
    while (block->first() != nullptr) block->first()->EraseFromParent();
  }
  function.ReplaceBlocks(std::move(kept));
  return true;
}

std::vector<BasicBlock*> PredecessorsOf(const BasicBlock& block) {
  std::vector<BasicBlock*> result;
  block.ForEachPredecessor([&](BasicBlock& predecessor) { result.push_back(&predecessor); });
  return result;
}

}  // namespace ptxmir::ir
