// SPDX-License-Identifier: Apache-2.0

// LoopAddresses: the addresses of a loop that advance by the same step each turn, in groups; and what the loop needs.
//
// For induction-merge, which see.

#ifndef PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_
#define PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/machine_loops.h"
#include "passes/addresses/address_form.h"

namespace ptxmir {

// A 64-bit PHI of the header of a loop that grows by the same amount in each turn.
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

// The address operand of an access: base and offset are two operands.
struct AddressUse {
  MachineInstr* instr = nullptr;
  unsigned operand = 0;
  uint32_t member = 0;
  uint64_t constant = 0;  // of the address in the first turn, the access' offset included
};

// Addresses with one step. Those that start at the same place, but for a constant, are a member.
struct AddressGroup {
  AddressForms::TermsId step_terms = 0;
  uint64_t step_constant = 0;
  std::vector<AddressUse> uses = {};                // in the order of blocks and instructions
  std::vector<AddressForms::TermsId> members = {};  // where they start
};

class LoopAddresses {
 public:
  LoopAddresses(MachineFunction& function, const MachineLoops& loops, CycleId loop, AddressForms& forms);

  // False if nothing can be said of the loop: several latches, several ways in, or no induction variable.
  bool FindInductionVariables();
  void FindGroups();

  MachineBasicBlock& header() const { return *loops_.Header(loop_); }
  MachineBasicBlock& latch() const { return *latch_; }
  MachineBasicBlock& predecessor() const { return *predecessor_; }
  const std::vector<InductionVariable>& variables() const { return variables_; }
  std::vector<AddressGroup>& groups() { return groups_; }
  // Whether all accesses of the group go through one induction variable already.
  bool IsOnePointer(const AddressGroup& group) const;
  bool IsInvariant(Register reg) const;
  bool IsVariable(Register reg) const { return variable_of_.contains(reg); }

 private:
  // Where a form starts and what it grows by. False if it does not grow steadily.
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

// Which registers the instructions of a loop need, through all that is computed from them: those of instructions whose
// results nobody needs, and of induction variables that serve nothing but themselves, are not among them.
class LoopNeeds {
 public:
  LoopNeeds(MachineFunction& function, const MachineLoops& loops, CycleId loop, const LoopAddresses& addresses)
      : function_(function), loops_(loops), loop_(loop), addresses_(addresses) {}

  // `rewritten`: operands that do not count.
  void Compute(const absl::flat_hash_set<const MachineOperand*>& rewritten);
  void Add(Register reg);
  bool Contains(Register reg) const { return contained_.contains(reg); }
  // In the order in which they were found.
  const std::vector<Register>& registers() const { return registers_; }

 private:
  bool IsOptional(const MachineInstr& instr) const;
  bool IsUsedOutside(Register reg) const;

  MachineFunction& function_;
  const MachineLoops& loops_;
  CycleId loop_;
  const LoopAddresses& addresses_;
  absl::flat_hash_set<Register> contained_;
  std::vector<Register> registers_;
};

// Whether operands `operand` and the next are the base and the offset of an address, the base being a 64-bit register.
bool IsAddress(const MachineInstr& instr, unsigned operand);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_LOOP_ADDRESSES_H_
