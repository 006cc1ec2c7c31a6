// SPDX-License-Identifier: Apache-2.0

#include "ir/code/editing.h"

#include <utility>

namespace ptxmir::ir {
namespace {

using Operand = Function::Operand;

// Calls `visit` for each edge of the block's terminator.
template <typename Visit>
void ForEachSuccessor(const BasicBlock& block, Visit visit) {
  const Instruction* terminator = block.terminator();
  if (terminator == nullptr) return;
  for (unsigned i = 0; i < terminator->num_successors(); ++i) visit(terminator->successor(i));
}

Instruction& AppendBranch(BasicBlock& block, BasicBlock& target) {
  Function& function = block.function();
  Instruction* branch =
      function.CreateInstruction(Opcode::kBr, function.module().types().Void(), absl::MakeConstSpan({Operand(target)}));
  block.Append(*branch);
  return *branch;
}

// The entries of the block's PHIs that are from `from` are from `to` afterwards. At most `limit` entries of each.
void RedirectPhis(BasicBlock& block, const BasicBlock& from, BasicBlock& to, unsigned limit) {
  for (Instruction* phi = block.first(); phi != nullptr && phi->opcode() == Opcode::kPhi; phi = phi->next()) {
    unsigned done = 0;
    for (unsigned i = 0; i < phi->num_incoming() && done < limit; ++i) {
      if (&phi->incoming_block(i) != &from) continue;
      phi->use(2 * i + 1).Set(to);
      ++done;
    }
  }
}

// Copies instructions of one function to itself or to another one.
class Cloner {
 public:
  Cloner(const Function& from, Function& to, CloneMap* map) : from_(from), to_(to), map_(map) {}

  void CloneInto(absl::Span<BasicBlock* const> originals, std::vector<BasicBlock*>* copies);

 private:
  NameId CopiedName(NameId name) {
    if (name == 0) return 0;
    return &from_ == &to_ ? to_.AddName(to_.module().CopyString(std::string(from_.name(name)) + ".clone"))
                          : to_.AddName(from_.name(name));
  }
  // Returns the value that stands for one of the original's in the copy.
  Value& Mapped(Value& value);
  // Makes a copy whose operands are those of the original, or poison in another function.
  Instruction* Copy(const Instruction& original);
  void CopyDetail(const Instruction& original, Instruction& copy);
  void MapOperands(const Instruction& original, Instruction& copy);

  const Function& from_;
  Function& to_;
  CloneMap* map_;
};

Value& Cloner::Mapped(Value& value) {
  if (const auto found = map_->find(&value); found != map_->end()) return *found->second;
  if (&from_ == &to_) return value;
  Arena& arena = to_.arena();
  switch (value.kind()) {
    case Value::Kind::kConstant:
      return *to_.Constant(static_cast<ConstantValue&>(value).constant());
    case Value::Kind::kInlineAsm: {
      const auto& inline_asm = static_cast<InlineAsm&>(value);
      return *arena.New<InlineAsm>(value.type(), inline_asm.text(), inline_asm.constraints(), inline_asm.flags());
    }
    case Value::Kind::kMetadata:
      return *arena.New<MetadataValue>(value.type(), static_cast<MetadataValue&>(value).node());
    default:
      return *to_.Simple(IrConstant::Kind::kPoison, value.type());
  }
}

void Cloner::CopyDetail(const Instruction& original, Instruction& copy) {
  switch (original.opcode()) {
    case Opcode::kAlloca:
    case Opcode::kGetElementPtr:
      return to_.SetDetail(copy, original.source_type());
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      return to_.SetDetail(copy, absl::Span<const uint32_t>(to_.arena().CopyArray<uint32_t>(original.indices())));
    case Opcode::kCall: {
      CallDetail detail = original.call();
      detail.argument_attributes = to_.arena().CopyArray<AttributeSetId>(detail.argument_attributes);
      detail.bundles = to_.arena().CopyArray<OperandBundle>(detail.bundles);
      return to_.SetDetail(copy, detail);
    }
    default:
      if (original.is_debug_record()) to_.SetDetail(copy, original.record());
  }
}

Instruction* Cloner::Copy(const Instruction& original) {
  std::vector<Operand> operands;
  for (const Use& use : original.operands()) {
    Value& value = use.value();
    const bool is_later = &from_ != &to_ && (value.is_instruction() || value.is_block());
    Value& first = is_later && !map_->contains(&value)
                       ? static_cast<Value&>(*to_.Simple(IrConstant::Kind::kPoison, value.type()))
                       : Mapped(value);
    operands.emplace_back(first, use.is_metadata());
  }
  Instruction* copy = to_.CreateInstruction(original.opcode(), original.type(), operands);
  copy->set_flags(original.flags());
  copy->set_variant(static_cast<uint8_t>(original.predicate()));
  copy->SetAtomic(original.ordering(), original.failure_ordering(), original.sync_scope());
  if (original.align() != 0) {
    uint8_t log_align = 0;
    while (uint64_t{1} << log_align < original.align()) ++log_align;
    copy->set_log_align(log_align);
  }
  copy->set_position(original.position());
  copy->set_debug_loc(original.debug_loc());
  copy->SetAttachments(original.attachments());
  copy->set_name(CopiedName(original.name()));
  CopyDetail(original, *copy);
  Instruction* last = nullptr;
  for (const Instruction* record = original.first_record(); record != nullptr; record = record->next()) {
    Instruction* copied = Copy(*record);
    if (last == nullptr) {
      copy->set_first_record(copied);
    } else {
      last->set_next_record(copied);
    }
    last = copied;
  }
  return copy;
}

void Cloner::MapOperands(const Instruction& original, Instruction& copy) {
  for (unsigned i = 0; i < copy.num_operands(); ++i) {
    Value& mapped = Mapped(original.operand(i));
    if (&copy.operand(i) != &mapped) copy.use(i).Set(mapped);
  }
  const Instruction* record = original.first_record();
  for (Instruction* copied = copy.first_record(); copied != nullptr; copied = copied->next(), record = record->next()) {
    MapOperands(*record, *copied);
  }
}

void Cloner::CloneInto(absl::Span<BasicBlock* const> originals, std::vector<BasicBlock*>* copies) {
  for (const BasicBlock* original : originals) {
    BasicBlock* copy = to_.CreateBlock();
    copy->set_name(CopiedName(original->name()));
    (*map_)[original] = copy;
    copies->push_back(copy);
  }
  for (size_t i = 0; i < originals.size(); ++i) {
    for (const Instruction* original = originals[i]->first(); original != nullptr; original = original->next()) {
      Instruction* copy = Copy(*original);
      (*copies)[i]->Append(*copy);
      (*map_)[original] = copy;
    }
  }
  // Now all are known, those that come later in the text too.
  for (size_t i = 0; i < originals.size(); ++i) {
    Instruction* copy = (*copies)[i]->first();
    for (const Instruction* original = originals[i]->first(); original != nullptr; original = original->next()) {
      MapOperands(*original, *copy);
      copy = copy->next();
    }
    to_.AppendBlock(*(*copies)[i]);
  }
}

}  // namespace

BasicBlock& InsertBlockAfter(BasicBlock& block) {
  Function& function = block.function();
  BasicBlock* made = function.CreateBlock();
  std::vector<BasicBlock*> blocks = function.blocks();
  blocks.insert(blocks.begin() + block.number() + 1, made);
  function.ReplaceBlocks(std::move(blocks));
  return *made;
}

BasicBlock& SplitBlockBefore(Instruction& first) {
  BasicBlock& block = *first.parent();
  BasicBlock& rest = InsertBlockAfter(block);
  for (Instruction* moved = &first; moved != nullptr;) {
    Instruction* next = moved->next();
    block.Remove(*moved);
    rest.Append(*moved);
    moved = next;
  }
  ForEachSuccessor(rest, [&](BasicBlock& successor) { RedirectPhis(successor, block, rest, ~0u); });
  AppendBranch(block, rest);
  return rest;
}

BasicBlock& SplitEdge(Instruction& terminator, unsigned successor) {
  BasicBlock& from = *terminator.parent();
  BasicBlock& to = terminator.successor(successor);
  BasicBlock& between = InsertBlockAfter(from);
  terminator.use(terminator.successor_operand(successor)).Set(between);
  AppendBranch(between, to).set_debug_loc(terminator.debug_loc());
  RedirectPhis(to, from, between, 1);
  return between;
}

void MoveBefore(Instruction& instruction, Instruction& before) {
  if (&instruction == &before) return;
  instruction.parent()->Remove(instruction);
  before.parent()->Insert(instruction, before);
}

void MoveToEnd(Instruction& instruction, BasicBlock& block) {
  instruction.parent()->Remove(instruction);
  block.Append(instruction);
}

Instruction& ReplacePhi(Instruction& phi, absl::Span<Value* const> values, absl::Span<BasicBlock* const> blocks) {
  Function& function = phi.function();
  std::vector<Operand> operands;
  for (size_t i = 0; i < values.size(); ++i) {
    operands.emplace_back(*values[i]);
    operands.emplace_back(*blocks[i]);
  }
  Instruction* made = function.CreateInstruction(Opcode::kPhi, phi.type(), operands);
  made->set_flags(phi.flags());
  made->set_name(phi.name());
  made->set_position(phi.position());
  made->set_debug_loc(phi.debug_loc());
  made->SetAttachments(phi.attachments());
  made->set_first_record(phi.first_record());
  phi.set_first_record(nullptr);
  phi.parent()->Insert(*made, phi);
  phi.ReplaceAllUsesWith(*made);
  phi.EraseFromParent();
  return *made;
}

void RemovePhiEntry(BasicBlock& block, const BasicBlock& predecessor) {
  std::vector<Value*> values;
  std::vector<BasicBlock*> blocks;
  for (Instruction* phi = block.first(); phi != nullptr && phi->opcode() == Opcode::kPhi;) {
    Instruction* next = phi->next();
    values.clear();
    blocks.clear();
    bool found = false;
    for (unsigned i = 0; i < phi->num_incoming(); ++i) {
      if (!found && &phi->incoming_block(i) == &predecessor) {
        found = true;
        continue;
      }
      values.push_back(&phi->incoming_value(i));
      blocks.push_back(&phi->incoming_block(i));
    }
    if (found) ReplacePhi(*phi, values, blocks);
    phi = next;
  }
}

void AddPhiEntry(BasicBlock& block, const BasicBlock& known, BasicBlock& added) {
  for (Instruction* phi = block.first(); phi != nullptr && phi->opcode() == Opcode::kPhi;) {
    Instruction* next = phi->next();
    std::vector<Value*> values;
    std::vector<BasicBlock*> blocks;
    Value* value = nullptr;
    for (unsigned i = 0; i < phi->num_incoming(); ++i) {
      values.push_back(&phi->incoming_value(i));
      blocks.push_back(&phi->incoming_block(i));
      if (blocks.back() == &known) value = values.back();
    }
    if (value != nullptr) {
      values.push_back(value);
      blocks.push_back(&added);
      ReplacePhi(*phi, values, blocks);
    }
    phi = next;
  }
}

std::vector<BasicBlock*> CloneBlocks(Function& function, absl::Span<BasicBlock* const> blocks, CloneMap* map) {
  // The list may be the function's own, which grows.
  const std::vector<BasicBlock*> originals(blocks.begin(), blocks.end());
  std::vector<BasicBlock*> copies;
  Cloner(function, function, map).CloneInto(originals, &copies);
  return copies;
}

Function& CloneFunction(const Function& original, std::string_view name, CloneMap* map) {
  Program& program = original.program();
  Module& module = program.module();
  IrFunction& made = module.CreateFunction(name, original.signature().value_type, Linkage::kInternal);
  const IrFunction& known = original.signature();
  made.has_body = true;
  made.unnamed_addr = known.unnamed_addr;
  made.address_space = known.address_space;
  made.calling_convention = known.calling_convention;
  made.return_attributes = known.return_attributes;
  made.parameters = known.parameters;
  made.attributes = known.attributes;
  made.attribute_groups = known.attribute_groups;
  made.section = known.section;
  made.align = known.align;
  made.metadata = known.metadata;
  Function& copy = program.AddFunction(made.id());
  for (size_t i = 0; i < original.arguments().size(); ++i) {
    (*map)[original.arguments()[i]] = copy.arguments()[i];
  }
  std::vector<BasicBlock*> blocks;
  Cloner(original, copy, map).CloneInto(original.blocks(), &blocks);
  return copy;
}

size_t EraseUnreachableBlocks(Function& function) {
  if (function.blocks().empty()) return 0;
  std::vector<bool> is_reached(function.blocks().size());
  std::vector<BasicBlock*> worklist = {&function.entry()};
  is_reached[function.entry().number()] = true;
  while (!worklist.empty()) {
    const BasicBlock* block = worklist.back();
    worklist.pop_back();
    ForEachSuccessor(*block, [&](BasicBlock& successor) {
      if (is_reached[successor.number()]) return;
      is_reached[successor.number()] = true;
      worklist.push_back(&successor);
    });
  }
  std::vector<BasicBlock*> kept, erased;
  for (BasicBlock* block : function.blocks()) (is_reached[block->number()] ? kept : erased).push_back(block);
  if (erased.empty()) return 0;
  for (BasicBlock* block : erased) {
    ForEachSuccessor(*block, [&](BasicBlock& successor) {
      if (is_reached[successor.number()]) RemovePhiEntry(successor, *block);
    });
  }
  for (BasicBlock* block : erased) {
    for (Instruction* i = block->first(); i != nullptr; i = i->next()) {
      if (i->has_uses()) i->ReplaceAllUsesWith(*function.Simple(IrConstant::Kind::kPoison, i->type()));
    }
  }
  for (BasicBlock* block : erased) {
    while (block->first() != nullptr) block->first()->EraseFromParent();
  }
  function.ReplaceBlocks(std::move(kept));
  return erased.size();
}

}  // namespace ptxmir::ir
