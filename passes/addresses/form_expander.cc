// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/form_expander.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Extension = AddressForms::Extension;
using Leaf = AddressForms::Leaf;
using Monomial = AddressForms::Monomial;
using Term = AddressForms::Term;
using TermsId = AddressForms::TermsId;

bool IsNegative(uint64_t coefficient) { return static_cast<int64_t>(coefficient) < 0; }

}  // namespace

void FormExpander::SetPlace(MachineBasicBlock& block) {
  block_ = &block;
  before_ = block.FirstTerminator();
}

Register FormExpander::Find(TermsId terms, uint64_t constant) const {
  for (const Register reg : forms_.RegistersOf(terms, constant)) {
    const MachineInstr* def = function_.reg_info().UniqueDef(reg);
    if (def == nullptr || def->parent() == nullptr || def->is_terminator()) continue;
    if (dominators_.Dominates(*def->parent(), *block_)) return reg;
  }
  return Register();
}

Register FormExpander::FindTerm(const Term& term) const { return Find(forms_.Intern({term}), 0); }

MachineOperand FormExpander::Use(Register reg) {
  used_.push_back(reg);
  return MachineOperand::CreateReg(reg);
}

Register FormExpander::Emit(Opcode opcode, std::initializer_list<MachineOperand> sources) {
  const Register result = function_.reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
  MachineInstrBuilder builder = BuildMI(*block_, before_, opcode);
  builder.AddDef(result);
  for (const MachineOperand& source : sources) builder.Add(source);
  builder.Insert();
  ++num_inserted_;
  forms_.Of(result);
  return result;
}

Register FormExpander::ExpandLeaf(const Leaf& leaf) {
  if (leaf.extension == Extension::kNone) return leaf.reg;
  const Opcode opcode = leaf.extension == Extension::kSigned ? ptx::op::CVT_s64_s32 : ptx::op::CVT_u64_u32;
  return Emit(opcode, {Use(leaf.reg), MachineOperand::CreateImm(0)});
}

Register FormExpander::ExpandMonomial(const Monomial& monomial) {
  Register product;
  for (const AddressForms::LeafId id : monomial) {
    if (id == 0) continue;
    const Leaf leaf = forms_.leaf(id);
    Register factor = leaf.reg;
    if (leaf.extension != Extension::kNone) {
      Term term{forms_.MonomialOf(leaf), 1};
      factor = FindTerm(term);
      if (!factor.is_valid()) factor = ExpandLeaf(leaf);
    }
    product = product.is_valid() ? Emit(ptx::op::MULT64rr, {Use(product), Use(factor)}) : factor;
  }
  return product;
}

Register FormExpander::ExpandTerm(const Term& term) {
  if (const Register known = FindTerm(term); known.is_valid()) return known;
  const Monomial monomial = forms_.monomial(term.monomial);
  if (term.coefficient == 1) return ExpandMonomial(monomial);
  const bool is_single = monomial[AddressForms::kMaxDegree - 2] == 0;
  const Leaf leaf = forms_.leaf(monomial.back());
  if (is_single && leaf.extension != Extension::kNone && term.coefficient <= std::numeric_limits<int32_t>::max()) {
    const Opcode opcode = leaf.extension == Extension::kSigned ? ptx::op::MUL_WIDEs32_ri : ptx::op::MUL_WIDEu32_ri;
    return Emit(opcode, {Use(leaf.reg), MachineOperand::CreateImm(static_cast<int64_t>(term.coefficient))});
  }
  Register product = FindTerm({term.monomial, 1});
  if (!product.is_valid()) product = ExpandMonomial(monomial);
  if (std::has_single_bit(term.coefficient)) {
    return Emit(ptx::op::SHL64_ri, {Use(product), MachineOperand::CreateImm(std::countr_zero(term.coefficient))});
  }
  return Emit(ptx::op::MULT64ri, {Use(product), MachineOperand::CreateImm(static_cast<int64_t>(term.coefficient))});
}

Register FormExpander::Expand(TermsId terms, uint64_t constant) {
  if (const Register known = Find(terms, constant); known.is_valid()) return known;
  if (terms == AddressForms::kNoTerms) {
    return Emit(ptx::op::MOV_B64_i, {MachineOperand::CreateImm(static_cast<int64_t>(constant))});
  }
  if (constant != 0) {
    const Register sum = Expand(terms, 0);
    return Emit(ptx::op::ADD64ri, {Use(sum), MachineOperand::CreateImm(static_cast<int64_t>(constant))});
  }
  // Positive terms come first, so that the others can be subtracted.
  AddressForms::Terms ordered = forms_.terms(terms);
  std::stable_partition(ordered.begin(), ordered.end(), [](const Term& term) { return !IsNegative(term.coefficient); });
  Register sum;
  for (Term term : ordered) {
    const bool subtract = sum.is_valid() && IsNegative(term.coefficient);
    if (subtract) term.coefficient = ~term.coefficient + 1;
    const Register value = ExpandTerm(term);
    if (!sum.is_valid()) {
      sum = value;
    } else {
      sum = Emit(subtract ? ptx::op::SUB64rr : ptx::op::ADD64rr, {Use(sum), Use(value)});
    }
  }
  return sum;
}

uint32_t FormExpander::CostOf(TermsId terms, uint64_t constant) const {
  if (Find(terms, constant).is_valid()) return 0;
  uint32_t cost = constant != 0;
  for (const Term& term : forms_.terms(terms)) cost += 1 + (FindTerm(term).is_valid() ? 0 : 2);
  return cost;
}

}  // namespace ptxmir
