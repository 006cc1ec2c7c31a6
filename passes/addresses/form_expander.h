// SPDX-License-Identifier: Apache-2.0

// FormExpander: instructions that compute a form (address_form.h) at the end of a block.
//
// What some register holds there already is not computed again: neither the whole, nor the product of a term.

#ifndef PTXMIR_PASSES_ADDRESSES_FORM_EXPANDER_H_
#define PTXMIR_PASSES_ADDRESSES_FORM_EXPANDER_H_

#include <cstdint>
#include <vector>

#include "analysis/machine_dominators.h"
#include "passes/addresses/address_form.h"

namespace ptxmir {

class FormExpander {
 public:
  FormExpander(MachineFunction& function, AddressForms& forms, const MachineDominatorTree& dominators)
      : function_(function), forms_(forms), dominators_(dominators) {}

  // Before the terminators of the block. All leaves of what is to be expanded must be available there.
  void SetPlace(MachineBasicBlock& block);

  // A register that holds the form at the place; invalid if none is known.
  Register Find(AddressForms::TermsId terms, uint64_t constant) const;
  // The same, computed if need be.
  Register Expand(AddressForms::TermsId terms, uint64_t constant);
  // How many instructions that may take, at most.
  uint32_t CostOf(AddressForms::TermsId terms, uint64_t constant) const;

  uint32_t num_inserted() const { return num_inserted_; }
  // What the instructions read, which may be marked as killed before them: the caller's to clear.
  const std::vector<Register>& used() const { return used_; }

 private:
  Register ExpandTerm(const AddressForms::Term& term);
  Register ExpandMonomial(const AddressForms::Monomial& monomial);
  Register ExpandLeaf(const AddressForms::Leaf& leaf);
  Register FindTerm(const AddressForms::Term& term) const;
  Register Emit(Opcode opcode, std::initializer_list<MachineOperand> sources);
  MachineOperand Use(Register reg);

  MachineFunction& function_;
  AddressForms& forms_;
  const MachineDominatorTree& dominators_;
  MachineBasicBlock* block_ = nullptr;
  MachineInstr* before_ = nullptr;
  uint32_t num_inserted_ = 0;
  std::vector<Register> used_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_FORM_EXPANDER_H_
