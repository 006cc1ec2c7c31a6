// SPDX-License-Identifier: Apache-2.0

// BasicBlock: a list of instructions that ends with a terminator. Its predecessors are the terminators among its uses.

#ifndef PTXMIR_IR_CODE_BASIC_BLOCK_H_
#define PTXMIR_IR_CODE_BASIC_BLOCK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "ir/code/instruction.h"

namespace ptxmir::ir {

class BasicBlock : public Value {
 public:
  static constexpr uint32_t kNoNumber = ~uint32_t{0};

  explicit BasicBlock(const IrType* label_type) : Value(Kind::kBlock, label_type) {}

  // Returns the index in Function::blocks; kNoNumber if the block has not been added to the function.
  uint32_t number() const { return number_; }
  NameId name() const { return name_; }
  void set_name(NameId name) { name_ = name; }
  // The number of an unnamed block, as Function::NumberValues has set it.
  uint32_t slot() const { return slot_; }

  bool empty() const { return first_ == 0; }
  Instruction* first() const { return first_ == 0 ? nullptr : Arena::ResolveNear<Instruction>(this, first_); }
  Instruction* last() const { return last_ == 0 ? nullptr : Arena::ResolveNear<Instruction>(this, last_); }
  // Returns null if the last instruction is no terminator.
  Instruction* terminator() const {
    Instruction* end = last();
    return end != nullptr && end->is_terminator() ? end : nullptr;
  }
  // Returns the first instruction that is no PHI; null if there is none.
  Instruction* first_non_phi() const {
    Instruction* instruction = first();
    while (instruction != nullptr && instruction->opcode() == Opcode::kPhi) instruction = instruction->next();
    return instruction;
  }

  void Append(Instruction& instruction) {
    const ArenaId own = instruction.id();
    instruction.block_ = id();
    instruction.previous_ = last_;
    if (last_ == 0) {
      first_ = own;
    } else {
      last()->next_ = own;
    }
    last_ = own;
  }
  // Inserts in front of `before`, which is in this block.
  void Insert(Instruction& instruction, Instruction& before);
  // Takes an instruction out of the list. It keeps its operands and its debug records.
  void Remove(Instruction& instruction);

  // Calls `visit` for each edge to this block.
  void ForEachPredecessor(absl::FunctionRef<void(BasicBlock&)> visit) const {
    for (Use& use : uses()) {
      Instruction& user = use.user();
      if (user.is_terminator() && user.parent() != nullptr) visit(*user.parent());
    }
  }

 private:
  friend class Function;

  ArenaId first_ = 0;
  ArenaId last_ = 0;
  uint32_t number_ = kNoNumber;
  NameId name_ = 0;
  uint32_t slot_ = 0;
};

inline BasicBlock& Instruction::incoming_block(unsigned i) const {
  return static_cast<BasicBlock&>(operand(2 * i + 1));
}
inline BasicBlock& Instruction::successor(unsigned i) const {
  return static_cast<BasicBlock&>(operand(successor_operand(i)));
}

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_BASIC_BLOCK_H_
