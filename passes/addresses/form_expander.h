// SPDX-License-Identifier: Apache-2.0

// FormExpander emits instructions that compute a form (address_form.h) at the end of a block.
//
// It reuses values that some register already holds there, both whole forms and the products of single terms.

#ifndef PTXMIR_PASSES_ADDRESSES_FORM_EXPANDER_H_
#define PTXMIR_PASSES_ADDRESSES_FORM_EXPANDER_H_

#include <cstdint>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "passes/addresses/address_form.h"

namespace ptxmir {

class FormExpander {
 public:
  FormExpander(MachineFunction& function, AddressForms& forms, const MachineDominatorTree& dominators)
      : function_(function), forms_(forms), dominators_(dominators) {}

  // Sets the place to before the terminators of the block. All leaves of the forms to be expanded must be
  // available there.
  void SetPlace(MachineBasicBlock& block);

  // Returns a register that holds the form at the place, or an invalid register if none is known.
  Register Find(AddressForms::TermsId terms, uint64_t constant) const;
  // Returns a register that holds the form, computing it if necessary.
  Register Expand(AddressForms::TermsId terms, uint64_t constant);
  // Returns an upper bound on the number of instructions that Expand would emit.
  uint32_t CostOf(AddressForms::TermsId terms, uint64_t constant) const;

  uint32_t num_inserted() const { return num_inserted_; }
  // Returns the registers that the emitted instructions read. Kill flags before these instructions may be wrong
  // now; the caller must clear them.
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
