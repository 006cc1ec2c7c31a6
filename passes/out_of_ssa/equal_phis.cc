// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/equal_phis.h"

#include <algorithm>
#include <vector>

#include "mir/code/operand_ranges.h"
#include "passes/out_of_ssa/copies.h"

namespace ptxmir {
namespace {

// The number of earlier PHIs with which a PHI is compared.
constexpr size_t kMaxCompared = 16;

enum class Relation { kDifferent, kFirstIsMoreDefined, kSecondIsMoreDefined };

Relation Compare(const MachineInstr& first, const MachineInstr& second, const MachineRegisterInfo& reg_info) {
  if (first.num_operands() != second.num_operands() ||
      reg_info.reg_class(first.operand(0).reg()) != reg_info.reg_class(second.operand(0).reg())) {
    return Relation::kDifferent;
  }
  bool first_may_go = true;
  bool second_may_go = true;
  const auto firsts = PhiIncomings(first);
  const auto seconds = PhiIncomings(second);
  for (size_t i = 0; i < firsts.size(); ++i) {
    if (firsts[i].predecessor() != seconds[i].predecessor()) return Relation::kDifferent;
    if (firsts[i].reg() == seconds[i].reg()) continue;
    first_may_go &= IsUndefinedSource(firsts[i].value(), reg_info);
    second_may_go &= IsUndefinedSource(seconds[i].value(), reg_info);
    if (!first_may_go && !second_may_go) return Relation::kDifferent;
  }
  return second_may_go ? Relation::kFirstIsMoreDefined : Relation::kSecondIsMoreDefined;
}

void Replace(MachineInstr& phi, MachineInstr& by, MachineRegisterInfo& reg_info) {
  reg_info.ReplaceRegister(phi.operand(0).reg(), by.operand(0).reg());
  reg_info.ClearKillFlags(by.operand(0).reg());
  by.operand(0).set_reg_flag(MachineOperand::kDead, false);
  phi.EraseFromParent();
}

// Merges the PHI with one of those that were seen. Returns true if one of the two was erased.
bool MergeWithSeen(MachineInstr& phi, MachineRegisterInfo& reg_info, std::vector<MachineInstr*>& seen) {
  const size_t count = std::min(seen.size(), kMaxCompared);
  for (auto other = seen.end() - static_cast<ptrdiff_t>(count); other != seen.end(); ++other) {
    switch (Compare(**other, phi, reg_info)) {
      case Relation::kDifferent:
        continue;
      case Relation::kFirstIsMoreDefined:
        Replace(phi, **other, reg_info);
        return true;
      case Relation::kSecondIsMoreDefined:
        Replace(**other, phi, reg_info);
        *other = &phi;
        return true;
    }
  }
  return false;
}

}  // namespace

size_t MergeEqualPhis(MachineFunction& function) {
  size_t num_merged = 0;
  std::vector<MachineInstr*> seen;
  for (MachineBasicBlock& block : function) {
    seen.clear();
    for (MachineInstr* next = block.front(); next != nullptr && next->is_phi();) {
      MachineInstr* const phi = next;
      next = next->next();
      if (MergeWithSeen(*phi, function.reg_info(), seen)) {
        ++num_merged;
      } else {
        seen.push_back(phi);
      }
    }
  }
  return num_merged;
}

}  // namespace ptxmir
