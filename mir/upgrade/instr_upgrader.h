// SPDX-License-Identifier: Apache-2.0

// Writes instructions of an old LLVM as instructions of LLVM 22, by their recipes. One object serves one function.
//
// Old LLVMs write a call as several instructions, one for each part of its text. They become one instruction, at the
// last of them.

#ifndef PTXMIR_MIR_UPGRADE_INSTR_UPGRADER_H_
#define PTXMIR_MIR_UPGRADE_INSTR_UPGRADER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "mir/upgrade/recipe_table.h"

namespace ptxmir {

struct UpgradedInstr {
  Opcode opcode;
  std::vector<MachineOperand> operands;
};

class InstrUpgrader {
 public:
  // `new_register` creates a virtual register of a class.
  InstrUpgrader(MachineFunction& function, std::function<Register(RegClassId)> new_register)
      : function_(function), new_register_(std::move(new_register)) {}

  // Replaces `upgraded` by what the instruction is today, which may be nothing. Returns why it cannot be upgraded, as
  // the rest of a sentence that begins with the opcode, or nothing.
  std::string Upgrade(const Recipe& recipe, absl::Span<const MachineOperand> operands,
                      std::vector<UpgradedInstr>* upgraded);

  // Returns true if the parts of a call were read, but not its end.
  bool is_in_call() const { return call_.state != CallState::kNone; }

 private:
  enum class CallState : uint8_t { kNone, kBegun, kHasCallee, kInArguments, kClosed };
  struct Call {
    CallState state = CallState::kNone;
    Opcode opcode = 0;
    int64_t has_result = 0;
    MachineOperand callee;
    int64_t num_arguments = 0;
  };

  std::string Emit(const RecipeStep& step, absl::Span<const MachineOperand> operands,
                   std::vector<UpgradedInstr>* upgraded);
  std::string AddPart(const RecipeStep& step, absl::Span<const MachineOperand> operands,
                      std::vector<UpgradedInstr>* upgraded);
  // Gives immediates in the place of registers a register, which an instruction before sets. Old LLVMs write some.
  bool MoveImmediates(std::vector<UpgradedInstr>* upgraded);
  bool EndCall(const MachineOperand* prototype, std::vector<UpgradedInstr>* upgraded);
  // Returns false if the operand has no counterpart or a condition does not hold.
  bool Build(const RecipeOperand& recipe, absl::Span<const MachineOperand> operands,
             std::vector<MachineOperand>* built);
  int64_t ParameterSpace(absl::Span<const MachineOperand> operands) const;
  Register Temporary(unsigned number) const { return number < temporaries_.size() ? temporaries_[number] : Register(); }
  void RenumberInlineAsm(std::vector<MachineOperand>& operands) const;

  MachineFunction& function_;
  std::function<Register(RegClassId)> new_register_;
  std::vector<Register> temporaries_;  // of the current recipe
  bool may_repeat_uses_ = false;       // whether the current recipe may read an operand twice
  Call call_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_UPGRADE_INSTR_UPGRADER_H_
