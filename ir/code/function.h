// SPDX-License-Identifier: Apache-2.0

// Function: the body of an IR function: arguments, blocks and instructions, and the arena that holds them. The
// signature, its attributes and the linkage are those of IrFunction, which a machine function of the same name shares.

#ifndef PTXMIR_IR_CODE_FUNCTION_H_
#define PTXMIR_IR_CODE_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "ir/code/basic_block.h"
#include "ir/code/instruction.h"
#include "ir/code/value.h"
#include "ir/module.h"

namespace ptxmir::ir {

class Program;

class Function {
 public:
  // An operand of an instruction to create.
  struct Operand {
    Operand(Value& value, bool is_metadata = false) : value(&value), is_metadata(is_metadata) {}  // NOLINT
    Value* value;
    bool is_metadata;
  };

  Function(Program& program, GlobalId id);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  Program& program() const { return program_; }
  Module& module() const;
  const IrFunction& signature() const;
  GlobalId id() const { return id_; }

  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

  absl::Span<Argument* const> arguments() const { return arguments_; }
  // Makes the argument of the parameter that was added to the signature.
  Argument& AddArgument();
  // The blocks in order; the first is the entry.
  const std::vector<BasicBlock*>& blocks() const { return blocks_; }
  BasicBlock& entry() const { return *blocks_[0]; }

  // Makes a block that is not part of the function yet, and adds one at the end.
  BasicBlock* CreateBlock();
  void AppendBlock(BasicBlock& block);
  // Makes these the blocks of the function, in this order. Blocks that are missing are no longer part of it.
  void ReplaceBlocks(std::vector<BasicBlock*> blocks);

  // Makes an instruction that is in no block.
  Instruction* CreateInstruction(Opcode opcode, const IrType* type, absl::Span<const Operand> operands) {
    void* memory = arena_.Allocate(sizeof(Instruction) + operands.size() * sizeof(Use));
    auto* instruction = new (memory) Instruction(opcode, type, static_cast<uint32_t>(operands.size()));
    Use* use = instruction->operand_array();
    ArenaId id = instruction->id() + static_cast<ArenaId>(sizeof(Instruction) / Arena::kUnit);
    for (uint32_t i = 0; i < operands.size(); ++i, ++use, ++id) {
      new (use) Use();
      use->number_ = i & (~uint32_t{0} >> 1);
      use->is_metadata_ = operands[i].is_metadata;
      use->LinkAs(id, *operands[i].value);
    }
    return instruction;
  }
  template <typename T>
  void SetDetail(Instruction& instruction, const T& detail) {
    instruction.set_detail(Arena::IdOf(arena_.New<T>(detail)));
  }

  // Makes a constant in the memory of this function, so that functions can be changed on several threads.
  const IrConstant& NewIrConstant(const IrConstant& constant);
  // Return the constant as a value of this function.
  ConstantValue* Constant(const IrConstant& constant);
  // The bits of `word` beyond the width of the type do not matter.
  ConstantValue* Integer(const IrType* type, uint64_t word) {
    if (type->integer_width() < 64) word &= (uint64_t{1} << type->integer_width()) - 1;
    return constants_.FindOrMake(arena_, IrConstant::Kind::kInteger, type, word,
                                 [&] { return NewWordConstant(IrConstant::Kind::kInteger, type, word); });
  }
  // `bits` are in the format of the type, which has at most 64 bits.
  ConstantValue* Float(const IrType* type, uint64_t bits) {
    return constants_.FindOrMake(arena_, IrConstant::Kind::kFloat, type, bits,
                                 [&] { return NewWordConstant(IrConstant::Kind::kFloat, type, bits); });
  }
  ConstantValue* GlobalAddress(GlobalId global);
  // Returns null if the function does not mention the global, other than in an expression.
  ConstantValue* FindGlobalAddress(GlobalId global) const;
  // A constant without operands: kNullPointer, kUndef, kPoison, kZeroInitializer or kNoneToken.
  ConstantValue* Simple(IrConstant::Kind kind, const IrType* type);
  // Makes another constant. It is not compared with those that exist.
  ConstantValue* NewConstant(const IrConstant& constant) { return arena_.New<ConstantValue>(constant); }

  // Names of instructions and blocks, unescaped. They are not made unique here.
  NameId AddName(std::string_view name) {
    names_.push_back(name);
    return static_cast<NameId>(names_.size() - 1);
  }
  std::string_view name(NameId id) const { return names_[id]; }

  // Numbers unnamed blocks and values as LLVM does, and all instructions in order.
  void NumberValues();
  // Gives unnamed blocks and values, in order, the numbers that `number_of` returns. It is told those that they have.
  void NumberValues(absl::FunctionRef<uint32_t(const Value&, uint32_t)> number_of);

 private:
  // The constants that exist once, by their contents.
  class ConstantTable {
   public:
    // Returns the constant, which `make` makes if there is none yet.
    template <typename Make>
    ConstantValue* FindOrMake(const Arena& arena, IrConstant::Kind kind, const IrType* type, uint64_t word,
                              const Make& make) {
      if (2 * (size_ + 1) > slots_.size()) Grow();
      const uint32_t hash = HashOf(kind, type, word);
      const size_t place = PlaceOf(arena, hash, kind, type, word);
      if (slots_[place].value != 0) return arena.Resolve<ConstantValue>(slots_[place].value);
      ConstantValue* made = make();
      slots_[place] = {made->id(), hash};
      ++size_;
      return made;
    }
    // Returns null if there is none.
    ConstantValue* Find(const Arena& arena, IrConstant::Kind kind, const IrType* type, uint64_t word) const {
      if (slots_.empty()) return nullptr;
      const ArenaId value = slots_[PlaceOf(arena, HashOf(kind, type, word), kind, type, word)].value;
      return value == 0 ? nullptr : arena.Resolve<ConstantValue>(value);
    }

   private:
    struct Slot {
      ArenaId value = 0;  // 0: the slot is free
      uint32_t hash = 0;
    };
    static uint32_t HashOf(IrConstant::Kind kind, const IrType* type, uint64_t word) {
      constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
      const uint64_t hash =
          (word * kFactor ^ (reinterpret_cast<uintptr_t>(type) >> 3) ^ static_cast<uint64_t>(kind) << 32) * kFactor;
      return static_cast<uint32_t>(hash >> 32);
    }
    static bool IsSame(const ConstantValue& value, IrConstant::Kind kind, const IrType* type, uint64_t word) {
      const IrConstant& constant = value.constant();
      if (constant.kind != kind || constant.type != type) return false;
      return (kind == IrConstant::Kind::kGlobal ? constant.global : constant.ZExtValue()) == word;
    }
    // Returns the place of this constant, or the free one where it belongs.
    size_t PlaceOf(const Arena& arena, uint32_t hash, IrConstant::Kind kind, const IrType* type, uint64_t word) const {
      const size_t mask = slots_.size() - 1;
      for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const Slot& slot = slots_[i];
        if (slot.value == 0) return i;
        if (slot.hash == hash && IsSame(*arena.Resolve<ConstantValue>(slot.value), kind, type, word)) return i;
      }
    }
    void Grow() {
      std::vector<Slot> old(slots_.empty() ? 32 : 2 * slots_.size());
      old.swap(slots_);
      const size_t mask = slots_.size() - 1;
      for (const Slot& slot : old) {
        if (slot.value == 0) continue;
        size_t i = slot.hash & mask;
        while (slots_[i].value != 0) i = (i + 1) & mask;
        slots_[i] = slot;
      }
    }

    std::vector<Slot> slots_;
    size_t size_ = 0;
  };

  ConstantValue* NewWordConstant(IrConstant::Kind kind, const IrType* type, uint64_t word);

  Program& program_;
  GlobalId id_;
  Arena arena_;
  std::vector<Argument*> arguments_;
  std::vector<BasicBlock*> blocks_;
  std::vector<std::string_view> names_;
  ConstantTable constants_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_FUNCTION_H_
