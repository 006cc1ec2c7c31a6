// SPDX-License-Identifier: Apache-2.0

#include "ir/code/function.h"

#include <algorithm>
#include <utility>

#include "ir/code/program.h"

namespace ptxmir::ir {

// Uses.

void Use::Unlink() {
  if (previous_ == 0) {
    value().first_use_ = next_;
  } else {
    Arena::ResolveNear<Use>(&user(), previous_)->next_ = next_;
  }
  if (next_ != 0) Arena::ResolveNear<Use>(&user(), next_)->previous_ = previous_;
}

void Use::Set(Value& value) {
  Unlink();
  Link(value);
}

void Value::ReplaceAllUsesWith(Value& other) {
  if (first_use_ == 0 || &other == this) return;
  const ArenaId replacement = other.id();
  Use* last = nullptr;
  for (Use& use : uses()) {
    use.value_ = replacement;
    last = &use;
  }
  last->next_ = other.first_use_;
  if (other.first_use_ != 0) other.first_use()->previous_ = last->id();
  other.first_use_ = first_use_;
  first_use_ = 0;
}

// Instructions.

unsigned Instruction::num_successors() const {
  switch (opcode()) {
    case Opcode::kBr:
      return num_operands_ == 1 ? 1 : 2;
    case Opcode::kSwitch:
      return num_operands_ / 2;
    default:
      return 0;
  }
}

unsigned Instruction::successor_operand(unsigned i) const {
  if (opcode() == Opcode::kSwitch) return 2 * i + 1;
  return num_operands_ == 1 ? 0 : i + 1;
}

void Instruction::SetAttachments(absl::Span<const Attachment> attachments) {
  if (attachments.empty()) {
    attachments_ = 0;
    return;
  }
  Arena& arena = function().arena();
  const absl::Span<const Attachment> copy = arena.CopyArray(attachments);
  attachments_ = Arena::IdOf(arena.New<absl::Span<const Attachment>>(copy));
}

void Instruction::EraseFromParent() {
  for (Instruction* record = first_record(); record != nullptr; record = record->next()) {
    for (Use& use : record->operands()) use.Unlink();
  }
  for (Use& use : operands()) use.Unlink();
  if (parent() != nullptr) parent()->Remove(*this);
}

// Blocks.

void BasicBlock::Insert(Instruction& instruction, Instruction& before) {
  const ArenaId own = instruction.id();
  instruction.block_ = id();
  instruction.next_ = before.id();
  instruction.previous_ = before.previous_;
  if (before.previous_ == 0) {
    first_ = own;
  } else {
    before.previous()->next_ = own;
  }
  before.previous_ = own;
}

void BasicBlock::Remove(Instruction& instruction) {
  if (instruction.previous_ == 0) {
    first_ = instruction.next_;
  } else {
    instruction.previous()->next_ = instruction.next_;
  }
  if (instruction.next_ == 0) {
    last_ = instruction.previous_;
  } else {
    instruction.next()->previous_ = instruction.previous_;
  }
  instruction.block_ = instruction.previous_ = instruction.next_ = 0;
}

// Functions.

Function::Function(Program& program, GlobalId id)
    : program_(program), id_(id), arena_(this, program.function_memory()), names_(1) {
  while (arguments_.size() < signature().parameters.size()) AddArgument();
}

Argument& Function::AddArgument() {
  const IrParameter& parameter = signature().parameters[arguments_.size()];
  return *arguments_.emplace_back(arena_.New<Argument>(parameter.type, static_cast<uint32_t>(arguments_.size())));
}

Module& Function::module() const { return program_.module(); }
const IrFunction& Function::signature() const { return *program_.module().function(id_); }

BasicBlock* Function::CreateBlock() { return arena_.New<BasicBlock>(module().types().Simple(IrType::Kind::kLabel)); }

void Function::AppendBlock(BasicBlock& block) {
  block.number_ = static_cast<uint32_t>(blocks_.size());
  blocks_.push_back(&block);
}

void Function::ReplaceBlocks(std::vector<BasicBlock*> blocks) {
  for (BasicBlock* block : blocks_) block->number_ = BasicBlock::kNoNumber;
  blocks_ = std::move(blocks);
  for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i]->number_ = static_cast<uint32_t>(i);
}

const IrConstant& Function::NewIrConstant(const IrConstant& constant) {
  auto* copy = arena_.New<IrConstant>(constant);
  copy->words = arena_.CopyArray(constant.words);
  copy->operands = arena_.CopyArray(constant.operands);
  return *copy;
}

ConstantValue* Function::Constant(const IrConstant& constant) {
  switch (constant.kind) {
    case IrConstant::Kind::kInteger:
    case IrConstant::Kind::kFloat:
      if (constant.words.size() > 1) return NewConstant(constant);
      break;
    case IrConstant::Kind::kGlobal:
    case IrConstant::Kind::kNullPointer:
    case IrConstant::Kind::kUndef:
    case IrConstant::Kind::kPoison:
    case IrConstant::Kind::kZeroInitializer:
    case IrConstant::Kind::kNoneToken:
      break;
    default:
      return NewConstant(constant);
  }
  const bool is_global = constant.kind == IrConstant::Kind::kGlobal;
  const uint64_t word = is_global ? constant.global : constant.ZExtValue();
  return constants_.FindOrMake(arena_, constant.kind, constant.type, word, [&] { return NewConstant(constant); });
}

ConstantValue* Function::NewWordConstant(IrConstant::Kind kind, const IrType* type, uint64_t word) {
  const uint32_t width = kind == IrConstant::Kind::kInteger ? type->integer_width() : 64;
  if (width > 64) {
    std::vector<uint64_t> words((width + 63) / 64, 0);
    words[0] = word;
    return NewConstant(NewIrConstant({.kind = kind, .type = type, .words = words}));
  }
  if (width < 64) word &= (uint64_t{1} << width) - 1;
  return NewConstant(NewIrConstant({.kind = kind, .type = type, .words = absl::MakeConstSpan(&word, 1)}));
}

ConstantValue* Function::GlobalAddress(GlobalId global) {
  const IrType* type = module().types().Pointer(module().global_value(global).address_space);
  return constants_.FindOrMake(arena_, IrConstant::Kind::kGlobal, type, global, [&] {
    return NewConstant(NewIrConstant({.kind = IrConstant::Kind::kGlobal, .global = global, .type = type}));
  });
}

ConstantValue* Function::FindGlobalAddress(GlobalId global) const {
  const IrType* type = module().types().Pointer(module().global_value(global).address_space);
  return constants_.Find(arena_, IrConstant::Kind::kGlobal, type, global);
}

ConstantValue* Function::Simple(IrConstant::Kind kind, const IrType* type) {
  return constants_.FindOrMake(arena_, kind, type, 0,
                               [&] { return NewConstant(NewIrConstant({.kind = kind, .type = type})); });
}

void Function::NumberValues() {
  uint32_t slot = 0;
  uint32_t order = 0;
  for (const IrParameter& parameter : signature().parameters) {
    if (parameter.name.empty()) slot = parameter.slot + 1;
  }
  for (BasicBlock* block : blocks_) {
    if (block->name_ == 0) block->slot_ = slot++;
    for (Instruction* instruction = block->first(); instruction != nullptr; instruction = instruction->next()) {
      instruction->order_ = order++;
      if (instruction->name() == 0 && !instruction->type()->is_void()) {
        instruction->name_ = Instruction::kSlotBit | slot++;
      }
    }
  }
}

void Function::NumberValues(absl::FunctionRef<uint32_t(const Value&, uint32_t)> number_of) {
  for (BasicBlock* block : blocks_) {
    if (block->name_ == 0) block->slot_ = number_of(*block, block->slot_);
    for (Instruction* instruction = block->first(); instruction != nullptr; instruction = instruction->next()) {
      if (instruction->name() == 0 && !instruction->type()->is_void()) {
        instruction->name_ = Instruction::kSlotBit | number_of(*instruction, instruction->slot());
      }
    }
  }
}

// Programs.

void Program::EraseFunction(Function& function) {
  auto& signature = static_cast<IrFunction&>(module_.global_value(function.id()));
  signature.has_body = false;
  signature.body_text = {};
  signature.linkage = Linkage::kExternal;
  signature.visibility = Visibility::kDefault;
  signature.dso_local = false;
  signature.comdat = {};
  signature.section = {};
  signature.metadata.clear();
  signature.MarkChanged();
  functions_.erase(std::find_if(functions_.begin(), functions_.end(),
                                [&](const std::unique_ptr<Function>& owned) { return owned.get() == &function; }));
}

}  // namespace ptxmir::ir
