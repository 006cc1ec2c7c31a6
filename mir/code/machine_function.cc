// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_function.h"

#include <algorithm>
#include <utility>

namespace ptxmir {

MachineFunction::MachineFunction(Module* module, const TargetInfo& target, std::string_view name, uint32_t number,
                                 std::shared_ptr<ArenaChunkPool> memory)
    : module_(module), target_(target), arena_(this, std::move(memory)), number_(number), reg_info_(*this) {
  seen_opcodes_.resize(target.instrs.size() / 64 + 1);
  name_ = arena_.CopyString(name);
}

MachineFunction::~MachineFunction() = default;

// Blocks.

MachineBasicBlock* MachineFunction::CreateBlock() { return CreateBlockWithNumber(block_number_bound()); }

MachineBasicBlock* MachineFunction::CreateBlockWithNumber(BlockNumber number) {
  auto* block = new (arena_.AllocateForGraph(sizeof(MachineBasicBlock))) MachineBasicBlock;
  block->number_ = number;
  if (number >= blocks_by_number_.size()) blocks_by_number_.resize(number + 1, nullptr);
  blocks_by_number_[number] = block;
  return block;
}

void MachineFunction::InsertBlock(MachineBasicBlock* before, MachineBasicBlock* block) {
  block->next_ = before;
  block->previous_ = before == nullptr ? last_block_ : before->previous_;
  (block->previous_ == nullptr ? first_block_ : block->previous_->next_) = block;
  (before == nullptr ? last_block_ : before->previous_) = block;
  ++num_blocks_;
}

void MachineFunction::MoveBlock(MachineBasicBlock* before, MachineBasicBlock* block) {
  if (before == block || block->next_ == before) return;
  (block->previous_ == nullptr ? first_block_ : block->previous_->next_) = block->next_;
  (block->next_ == nullptr ? last_block_ : block->next_->previous_) = block->previous_;
  --num_blocks_;
  InsertBlock(before, block);
}

void MachineFunction::EraseBlock(MachineBasicBlock* block) {
  while (MachineInstr* instr = block->back()) instr->EraseFromParent();
  while (!block->successors().empty()) block->RemoveSuccessor(block->successors().back());
  (block->previous_ == nullptr ? first_block_ : block->previous_->next_) = block->next_;
  (block->next_ == nullptr ? last_block_ : block->next_->previous_) = block->previous_;
  --num_blocks_;
  blocks_by_number_[block->number_] = nullptr;
}

MachineBasicBlock* MachineFunction::SplitBlock(MachineInstr* at) {
  MachineBasicBlock* block = at->parent();
  MachineBasicBlock* tail = CreateBlock();
  tail->ir_block = block->ir_block;
  InsertBlock(block->next(), tail);
  block->SpliceTail(at, *tail);
  tail->TransferSuccessorsAndUpdatePhis(block);
  block->AddSuccessor(tail, BranchProbability::One());
  return tail;
}

bool MachineFunction::RenumberBlocks() {
  std::vector<BlockNumber> new_number(blocks_by_number_.size(), 0);
  std::vector<MachineBasicBlock*> in_order;
  in_order.reserve(num_blocks_);
  bool changed = blocks_by_number_.size() != num_blocks_;
  for (MachineBasicBlock& block : *this) {
    const BlockNumber number = static_cast<BlockNumber>(in_order.size());
    changed |= block.number_ != number;
    new_number[block.number_] = number;
    in_order.push_back(&block);
  }
  if (!changed) return false;
  for (MachineBasicBlock* block : in_order) {
    const BlockNumber number = new_number[block->number_];
    for (MachineInstr& instr : *block) {
      instr.block_ = number;
      for (MachineOperand& operand : instr.operands()) {
        if (operand.is_block()) operand.set_block(new_number[operand.block()]);
      }
    }
  }
  for (JumpTable& table : jump_tables_) {
    for (BlockNumber& target : table.blocks) target = new_number[target];
  }
  for (MachineBasicBlock* block : in_order) block->number_ = new_number[block->number_];
  blocks_by_number_ = std::move(in_order);
  return true;
}

// Instructions.

MachineInstr* MachineFunction::AllocateInstr(unsigned num_operands, unsigned capacity) {
  MachineInstr* instr = nullptr;
  if (capacity < free_instrs_.size() && free_instrs_[capacity] != 0) {
    instr = arena_.Resolve<MachineInstr>(free_instrs_[capacity]);
    free_instrs_[capacity] = instr->next_;
  } else {
    instr = static_cast<MachineInstr*>(arena_.Allocate(sizeof(MachineInstr) + capacity * sizeof(MachineOperand)));
  }
  new (instr) MachineInstr;
  instr->num_operands_ = num_operands;
  instr->slack_ = capacity - num_operands;
  return instr;
}

inline void MachineFunction::PlaceOperandAt(MachineOperand* place, unsigned index, ArenaId id, bool is_debug,
                                            const MachineOperand& operand) {
  MachineOperand placed = operand;
  placed.back_ = std::min(index + 1, MachineOperand::kMaxBack);
  placed.tied_ = 0;
  // Mark uses in debug instructions, which do not count as uses of the register.
  if (is_debug && placed.is_use()) placed.flags_ |= MachineOperand::kDebug;
  new (place) MachineOperand(placed);
  if (placed.is_reg()) reg_info_.Link(*place, id);
}

void MachineFunction::PlaceOperand(MachineInstr& instr, unsigned index, const MachineOperand& operand) {
  PlaceOperandAt(instr.operand_array() + index, index, instr.id() + 2 + index, instr.is_debug(), operand);
}

void MachineFunction::UnlinkOperand(MachineInstr& instr, unsigned index) {
  MachineOperand& operand = instr.operand(index);
  if (operand.is_reg()) reg_info_.Unlink(operand, instr.id() + 2 + index);
}

void MachineFunction::MoveContents(MachineInstr& from, MachineInstr& to) {
  absl::InlinedVector<std::pair<unsigned, unsigned>, 4> ties;
  for (unsigned i = 0; i < from.num_operands(); ++i) {
    if (!from.operand(i).is_def() || !from.operand(i).is_tied()) continue;
    ties.emplace_back(i, from.FindTiedOperand(i));
  }
  for (auto [def, use] : ties) from.UntieOperand(def);
  to.opcode_ = from.opcode_;  // no NoteOpcode: it was noted for `from`
  to.flags_ = from.flags_;
  to.debug_loc_ = from.debug_loc_;
  to.extra_ = from.extra_;
  for (unsigned i = 0; i < from.num_operands(); ++i) UnlinkOperand(from, i);
  for (unsigned i = 0; i < from.num_operands(); ++i) PlaceOperand(to, i, from.operand(i));
  for (auto [def, use] : ties) to.TieOperands(def, use);
  if (MachineBasicBlock* block = from.parent(); block != nullptr) {
    block->Insert(&from, &to);
    block->Remove(&from);
  }
  from.num_operands_ = 0;
  from.slack_ = 0;
}

MachineInstr* MachineFunction::CreateInstr(Opcode opcode, absl::Span<const MachineOperand> operands,
                                           MetadataId debug_loc, uint32_t flags) {
  const unsigned count = static_cast<unsigned>(operands.size());
  MachineInstr* instr = AllocateInstr(count, count);
  instr->opcode_ = opcode;
  instr->debug_loc_ = debug_loc;
  instr->set_flags(flags);
  NoteOpcode(opcode);
  const ArenaId first_id = instr->id() + 2;
  const bool is_debug = instr->is_debug();
  MachineOperand* place = instr->operand_array();
  for (unsigned i = 0; i < count; ++i) PlaceOperandAt(place + i, i, first_id + i, is_debug, operands[i]);
  return instr;
}

MachineInstr* MachineFunction::CloneInstr(const MachineInstr& instr) {
  MachineInstr* copy = CreateInstr(instr.opcode(), instr.operands(), instr.debug_loc(), instr.flags());
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (operand.is_def() && operand.is_tied()) copy->TieOperands(i, instr.FindTiedOperand(i));
  }
  if (&instr.function() == this) {
    copy->extra_ = instr.extra_;
    return copy;
  }
  // Memory operands and their texts may be in the other function's arena.
  const auto copied = [&](std::string_view text) { return text.empty() ? text : arena_.CopyString(text); };
  absl::InlinedVector<const MachineMemOperand*, 1> memoperands;
  for (const MachineMemOperand* const memoperand : instr.memoperands()) {
    MachineMemOperand own = *memoperand;
    own.text = copied(own.text);
    own.syncscope = copied(own.syncscope);
    memoperands.push_back(CreateMemOperand(own));
  }
  if (const InstrExtra* const extra = instr.extra(); extra != nullptr) {
    InstrExtra own = *extra;
    own.memoperands = memoperands;
    copy->SetExtra(own);
  } else {
    copy->SetMemOperands(memoperands);
  }
  return copy;
}

void MachineFunction::DeleteInstr(MachineInstr* instr) {
  for (unsigned i = 0; i < instr->num_operands(); ++i) {
    if (instr->operand(i).is_tied()) instr->UntieOperand(i);
    UnlinkOperand(*instr, i);
  }
  if (num_id_holds_ > 0) return;
  const unsigned capacity = instr->num_operands() + instr->slack_;
  if (capacity >= free_instrs_.size()) free_instrs_.resize(capacity + 1, 0);
  instr->next_ = free_instrs_[capacity];
  free_instrs_[capacity] = instr->id();
}

size_t MachineFunction::CountInstrs() const {
  size_t n = 0;
  for (const MachineBasicBlock& block : *this) n += block.CountInstrs();
  return n;
}

// Symbols.

SymbolId MachineFunction::InternSymbol(std::string_view text) {
  const auto it = symbol_ids_.find(text);
  if (it != symbol_ids_.end()) return it->second;
  return InternStableSymbol(arena_.CopyString(text));
}

void MachineFunction::RenameSymbol(SymbolId id, std::string_view text) {
  symbol_ids_.erase(symbols_[id]);
  symbols_[id] = arena_.CopyString(text);
  symbol_ids_.emplace(symbols_[id], id);
}

SymbolId MachineFunction::InternStableSymbol(std::string_view text) {
  const auto [it, inserted] = symbol_ids_.try_emplace(text, static_cast<SymbolId>(symbols_.size()));
  if (inserted) symbols_.push_back(text);
  return it->second;
}

}  // namespace ptxmir
