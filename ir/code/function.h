// SPDX-License-Identifier: Apache-2.0

// Function: the body of an IR function: arguments, blocks and instructions, and the arena that holds them. The
// signature, its attributes and the linkage are those of IrFunction, which a machine function of the same name shares.

#ifndef PTXMIR_IR_CODE_FUNCTION_H_
#define PTXMIR_IR_CODE_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  // The blocks in order; the first is the entry.
  const std::vector<BasicBlock*>& blocks() const { return blocks_; }
  BasicBlock& entry() const { return *blocks_[0]; }

  // Makes a block that is not part of the function yet, and adds one at the end.
  BasicBlock* CreateBlock();
  void AppendBlock(BasicBlock& block);
  // Makes these the blocks of the function, in this order. Blocks that are missing are no longer part of it.
  void ReplaceBlocks(std::vector<BasicBlock*> blocks);

  // Makes an instruction that is in no block.
  Instruction* CreateInstruction(Opcode opcode, const IrType* type, absl::Span<const Operand> operands);
  template <typename T>
  void SetDetail(Instruction& instruction, const T& detail) {
    instruction.set_detail(Arena::IdOf(arena_.New<T>(detail)));
  }

  // Makes a constant in the memory of this function, so that functions can be changed on several threads.
  const IrConstant& NewIrConstant(const IrConstant& constant);
  // Return the constant as a value of this function.
  ConstantValue* Constant(const IrConstant& constant);
  // `word` is the number in its type's width.
  ConstantValue* Integer(const IrType* type, uint64_t word);
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

 private:
  struct ConstantKey {
    const IrType* type;
    uint64_t word;
    IrConstant::Kind kind;
    friend bool operator==(const ConstantKey& a, const ConstantKey& b) {
      return a.type == b.type && a.word == b.word && a.kind == b.kind;
    }
    template <typename H>
    friend H AbslHashValue(H state, const ConstantKey& key) {
      return H::combine(std::move(state), key.type, key.word, key.kind);
    }
  };

  Program& program_;
  GlobalId id_;
  Arena arena_;
  std::vector<Argument*> arguments_;
  std::vector<BasicBlock*> blocks_;
  std::vector<std::string_view> names_;
  absl::flat_hash_map<ConstantKey, ConstantValue*> constants_;
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_FUNCTION_H_
