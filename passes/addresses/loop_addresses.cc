// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/loop_addresses.h"

#include <algorithm>
#include <utility>

#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Form = AddressForms::Form;
using Term = AddressForms::Term;

constexpr uint64_t kMinusOne = ~uint64_t{0};

}  // namespace

bool IsAddress(const MachineInstr& instr, unsigned operand) {
  if (operand + 1 >= instr.num_operands()) return false;
  const MachineOperand& base = instr.operand(operand);
  return base.is_use() && base.reg().is_virtual() && !base.is_undef() && !base.is_tied() && !base.is_implicit() &&
         instr.function().reg_info().reg_class(base.reg()) == ptx::reg_class::kB64 &&
         instr.operand(operand + 1).is_imm();
}

LoopAddresses::LoopAddresses(MachineFunction& function, const MachineLoops& loops, CycleId loop, AddressForms& forms)
    : function_(function), loops_(loops), loop_(loop), forms_(forms) {}

bool LoopAddresses::IsInvariant(Register reg) const {
  if (!reg.is_virtual()) return false;
  const MachineInstr* def = function_.reg_info().UniqueDef(reg);
  return def != nullptr && def->parent() != nullptr && !loops_.Contains(loop_, *def->parent());
}

bool LoopAddresses::FindInductionVariables() {
  latch_ = loops_.UniqueLatch(loop_);
  predecessor_ = loops_.UniquePredecessor(loop_);
  if (latch_ == nullptr || predecessor_ == nullptr || header().predecessors().size() != 2) return false;
  for (MachineInstr& phi : header()) {
    if (!phi.is_phi()) break;
    const Register result = phi.operand(0).reg();
    const auto incomings = PhiIncomings(phi);
    if (incomings.size() != 2 || function_.reg_info().reg_class(result) != ptx::reg_class::kB64) continue;
    const size_t from_latch = incomings[0].predecessor() == latch_->number() ? 0 : 1;
    const MachineOperand& next = incomings[from_latch].value();
    const MachineOperand& start = incomings[1 - from_latch].value();
    if (!start.reads_reg() || !next.reads_reg() || !start.reg().is_virtual() || !next.reg().is_virtual()) continue;
    Form step = forms_.Of(next.reg());
    Form self = forms_.Of(result);
    if (!AddressForms::AddTo(step, self, kMinusOne)) continue;
    const bool is_steady = std::all_of(step.terms.begin(), step.terms.end(), [&](const Term& term) {
      const AddressForms::Monomial& monomial = forms_.monomial(term.monomial);
      return std::all_of(monomial.begin(), monomial.end(),
                         [&](AddressForms::LeafId leaf) { return leaf == 0 || IsInvariant(forms_.leaf(leaf).reg); });
    });
    if (!is_steady || (step.terms.empty() && step.constant == 0)) continue;
    const Form& first = forms_.Of(start.reg());
    variable_of_.emplace(result, static_cast<uint32_t>(variables_.size()));
    variables_.push_back({.phi = &phi,
                          .start = start.reg(),
                          .next = next.reg(),
                          .start_terms = forms_.Intern(first.terms),
                          .start_constant = first.constant,
                          .step_terms = forms_.Intern(step.terms),
                          .step_constant = step.constant,
                          .assumes_no_wrap = first.assumes_no_wrap || step.assumes_no_wrap});
  }
  return !variables_.empty();
}

bool LoopAddresses::Evaluate(const Form& form, Form& start, Form& step) const {
  start.Clear();
  step.Clear();
  start.constant = form.constant;
  for (const Term& term : form.terms) {
    const AddressForms::Monomial& monomial = forms_.monomial(term.monomial);
    const AddressForms::Leaf& last = forms_.leaf(monomial.back());
    const auto variable = variable_of_.find(last.reg);
    if (monomial[AddressForms::kMaxDegree - 2] == 0 && variable != variable_of_.end()) {
      const InductionVariable& v = variables_[variable->second];
      const Form first{.terms = forms_.terms(v.start_terms), .constant = v.start_constant};
      const Form growth{.terms = forms_.terms(v.step_terms), .constant = v.step_constant};
      if (!AddressForms::AddTo(start, first, term.coefficient)) return false;
      if (!AddressForms::AddTo(step, growth, term.coefficient)) return false;
      continue;
    }
    for (const AddressForms::LeafId leaf : monomial) {
      if (leaf != 0 && !IsInvariant(forms_.leaf(leaf).reg)) return false;
    }
    Form invariant;
    invariant.terms.push_back(term);
    if (!AddressForms::AddTo(start, invariant, 1)) return false;
  }
  return !step.terms.empty() || step.constant != 0;
}

void LoopAddresses::AddUse(MachineInstr& instr, unsigned operand) {
  if (!IsAddress(instr, operand) || IsInvariant(instr.operand(operand).reg())) return;
  Form start, step;
  if (!Evaluate(forms_.Of(instr.operand(operand).reg()), start, step)) return;
  const std::pair key(forms_.Intern(step.terms), step.constant);
  const auto [group_it, is_new_group] = group_of_.try_emplace(key, static_cast<uint32_t>(groups_.size()));
  if (is_new_group) groups_.push_back({.step_terms = key.first, .step_constant = key.second});
  AddressGroup& group = groups_[group_it->second];
  const AddressForms::TermsId terms = forms_.Intern(start.terms);
  const auto [member_it, is_new_member] =
      member_of_.try_emplace({group_it->second, terms}, static_cast<uint32_t>(group.members.size()));
  if (is_new_member) group.members.push_back(terms);
  const auto offset = static_cast<uint64_t>(instr.operand(operand + 1).imm());
  group.uses.push_back(
      {.instr = &instr, .operand = operand, .member = member_it->second, .constant = start.constant + offset});
}

void LoopAddresses::FindGroups() {
  constexpr uint8_t kNoOperand = ptx::PtxInstrInfo::kNoOperand;
  for (MachineBasicBlock* block : loops_.Blocks(loop_)) {
    // Accesses in inner loops belong to those loops.
    if (loops_.InnermostCycle(*block) != loop_) continue;
    for (MachineInstr& instr : *block) {
      const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
      for (const uint8_t operand : {info.address, info.second_address, info.third_address}) {
        if (operand != kNoOperand) AddUse(instr, operand);
      }
    }
  }
}

bool LoopAddresses::IsOnePointer(const AddressGroup& group) const {
  const auto base = [](const AddressUse& use) { return use.instr->operand(use.operand).reg(); };
  return IsVariable(base(group.uses.front())) &&
         std::all_of(group.uses.begin(), group.uses.end(),
                     [&](const AddressUse& use) { return base(use) == base(group.uses.front()); });
}

bool LoopNeeds::IsOptional(const MachineInstr& instr) const {
  return instr.is_phi() ? addresses_.IsVariable(instr.operand(0).reg()) : IsPlainComputation(instr);
}

bool LoopNeeds::IsUsedOutside(Register reg) const {
  for (const MachineOperand& use : function_.reg_info().NonDebugUses(reg)) {
    if (!loops_.Contains(loop_, *use.parent()->parent())) return true;
  }
  return false;
}

void LoopNeeds::Add(Register reg) {
  contained_.resize(function_.reg_info().num_virtual_registers());
  worklist_.assign(1, reg);
  while (!worklist_.empty()) {
    const Register next = worklist_.back();
    worklist_.pop_back();
    if (!next.is_virtual() || Contains(next)) continue;
    contained_[next.virtual_index()] = true;
    registers_.push_back(next);
    const MachineInstr* def = function_.reg_info().UniqueDef(next);
    if (def == nullptr || def->parent() == nullptr || !loops_.Contains(loop_, *def->parent())) continue;
    if (!IsOptional(*def)) continue;
    for (const MachineOperand& operand : def->operands().subspan(1)) {
      if (!operand.reads_reg()) continue;
      // The start of an induction variable is not needed in the loop.
      if (def->is_phi() && PhiIncoming(operand).predecessor() != addresses_.latch().number()) continue;
      worklist_.push_back(operand.reg());
    }
  }
}

void LoopNeeds::Compute(const absl::flat_hash_set<const MachineOperand*>& rewritten) {
  contained_.assign(function_.reg_info().num_virtual_registers(), false);
  registers_.clear();
  for (const MachineBasicBlock* block : loops_.Blocks(loop_)) {
    for (const MachineInstr& instr : *block) {
      if (instr.is_debug()) continue;
      if (IsOptional(instr)) {
        for (const MachineOperand& def : instr.explicit_defs()) {
          if (IsUsedOutside(def.reg())) Add(def.reg());
        }
        continue;
      }
      for (const MachineOperand& operand : instr.operands()) {
        if (operand.reads_reg() && !rewritten.contains(&operand)) Add(operand.reg());
      }
    }
  }
}

}  // namespace ptxmir
