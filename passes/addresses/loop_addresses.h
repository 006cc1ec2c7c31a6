// SPDX-License-Identifier: Apache-2.0

// LoopAddresses groups the addresses of a loop that advance by the same step per iteration, and LoopNeeds
// determines the registers that the loop needs. See induction_merge.h.

#ifndef PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_
#define PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/control_flow/machine_loops.h"
#include "passes/addresses/address_form.h"

namespace ptxmir {

// A 64-bit PHI of a loop header that grows by the same amount in each iteration.
struct InductionVariable {
  MachineInstr* phi = nullptr;
  Register start;
  Register next;
  AddressForms::TermsId start_terms = 0;
  uint64_t start_constant = 0;
  AddressForms::TermsId step_terms = 0;
  uint64_t step_constant = 0;
  bool assumes_no_wrap = false;
};

// The address operand of an access. Base and offset are two operands.
struct AddressUse {
  MachineInstr* instr = nullptr;
  unsigned operand = 0;
  uint32_t member = 0;
  uint64_t constant = 0;  // the constant of the address in the first iteration, including the offset of the access
};

// The addresses with one step. Those whose starts differ only by a constant form a member.
struct AddressGroup {
  AddressForms::TermsId step_terms = 0;
  uint64_t step_constant = 0;
  std::vector<AddressUse> uses = {};                // in the order of blocks and instructions
  std::vector<AddressForms::TermsId> members = {};  // the starts of the members
};

class LoopAddresses {
 public:
  LoopAddresses(MachineFunction& function, const MachineLoops& loops, CycleId loop, AddressForms& forms);

  // Returns false if the loop cannot be analyzed: it has several latches, several entries, or no induction
  // variable.
  bool FindInductionVariables();
  void FindGroups();

  MachineBasicBlock& header() const { return *loops_.Header(loop_); }
  MachineBasicBlock& latch() const { return *latch_; }
  MachineBasicBlock& predecessor() const { return *predecessor_; }
  const std::vector<InductionVariable>& variables() const { return variables_; }
  std::vector<AddressGroup>& groups() { return groups_; }
  // Returns true if all accesses of the group already use a single induction variable.
  bool IsOnePointer(const AddressGroup& group) const;
  bool IsInvariant(Register reg) const;
  bool IsVariable(Register reg) const { return variable_of_.contains(reg); }

 private:
  // Computes the start and the step of a form. Returns false if it does not grow by a constant step.
  bool Evaluate(const AddressForms::Form& form, AddressForms::Form& start, AddressForms::Form& step) const;
  void AddUse(MachineInstr& instr, unsigned operand);

  MachineFunction& function_;
  const MachineLoops& loops_;
  CycleId loop_;
  AddressForms& forms_;
  MachineBasicBlock* latch_ = nullptr;
  MachineBasicBlock* predecessor_ = nullptr;
  std::vector<InductionVariable> variables_;
  absl::flat_hash_map<Register, uint32_t> variable_of_;
  std::vector<AddressGroup> groups_;
  absl::flat_hash_map<std::pair<AddressForms::TermsId, uint64_t>, uint32_t> group_of_;
  absl::flat_hash_map<std::pair<uint32_t, AddressForms::TermsId>, uint32_t> member_of_;
};

// The registers that the instructions of a loop need, transitively through the computations of these registers.
// Registers that only instructions with unused results read, and induction variables that only update themselves,
// are not included.
class LoopNeeds {
 public:
  LoopNeeds(MachineFunction& function, const MachineLoops& loops, CycleId loop, const LoopAddresses& addresses)
      : function_(function), loops_(loops), loop_(loop), addresses_(addresses) {}

  // Computes the needs. Operands in `rewritten` do not count.
  void Compute(const absl::flat_hash_set<const MachineOperand*>& rewritten);
  void Add(Register reg);
  bool Contains(Register reg) const {
    return reg.is_virtual() && reg.virtual_index() < contained_.size() && contained_[reg.virtual_index()];
  }
  // Returns the registers in the order in which they were found.
  const std::vector<Register>& registers() const { return registers_; }

 private:
  bool IsOptional(const MachineInstr& instr) const;
  bool IsUsedOutside(Register reg) const;

  MachineFunction& function_;
  const MachineLoops& loops_;
  CycleId loop_;
  const LoopAddresses& addresses_;
  std::vector<bool> contained_;  // by virtual register
  std::vector<Register> registers_;
  std::vector<Register> worklist_;
};

// Returns true if operands `operand` and `operand` + 1 are the base and the offset of an address whose base is a
// 64-bit register.
bool IsAddress(const MachineInstr& instr, unsigned operand);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_
