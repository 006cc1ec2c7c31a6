// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/uniformity.h"

#include "analysis/register_name.h"
#include "analysis/values/uniformity_computation.h"
#include "base/str_cat.h"

namespace ptxmir {

Uniformity::Uniformity(MachineFunction& function, AnalysisManager& analyses)
    : function_(function),
      cycles_(analyses.Get<MachineCycles>()),
      post_dominators_(analyses.Get<MachinePostDominatorTree>()),
      warp_(UniformityComputation(function, cycles_, post_dominators_, UniformityScope::kWarp).Run()) {}

const Uniformity::Facts& Uniformity::Get(UniformityScope scope) const {
  if (scope == UniformityScope::kWarp) return warp_;
  if (cta_ == nullptr) {
    cta_ = std::make_unique<Facts>(UniformityComputation(function_, cycles_, post_dominators_, scope).Run());
  }
  return *cta_;
}

bool Uniformity::IsUniform(Register reg, UniformityScope scope) const {
  const std::vector<bool>& divergent = Get(scope).divergent_registers;
  const size_t index = UniformityComputation::RegisterIndex(function_, reg);
  // Nothing is known about registers that were created later.
  return index < divergent.size() && !divergent[index];
}

bool Uniformity::IsUniformUse(const MachineOperand& use, UniformityScope scope) const {
  if (!use.reg().is_valid()) return true;
  if (!IsUniform(use.reg(), scope)) return false;
  const MachineInstr* def = function_.reg_info().UniqueDef(use.reg());
  const MachineBasicBlock* user = use.parent()->parent();
  if (def == nullptr || def->parent() == nullptr || user == nullptr) return true;
  const Facts& facts = Get(scope);
  for (CycleId cycle = cycles_.InnermostCycle(*def->parent());
       cycle != CycleForest::kNoCycle && !cycles_.Contains(cycle, *user); cycle = cycles_.Parent(cycle)) {
    if (facts.divergent_cycles[cycle]) return false;
  }
  return true;
}

bool Uniformity::HasUniformBranch(const MachineBasicBlock& block, UniformityScope scope) const {
  const std::vector<bool>& divergent = Get(scope).divergent_branches;
  return block.successors().size() < 2 || (block.number() < divergent.size() && !divergent[block.number()]);
}

bool Uniformity::IsConvergent(const MachineBasicBlock& block, UniformityScope scope) const {
  const std::vector<bool>& divergent = Get(scope).divergent_blocks;
  return block.number() < divergent.size() && !divergent[block.number()];
}

bool Uniformity::IsLeftDivergently(CycleId cycle, UniformityScope scope) const {
  return Get(scope).divergent_cycles[cycle];
}

void Uniformity::Print(std::string& out) const {
  for (const UniformityScope scope : {UniformityScope::kWarp, UniformityScope::kCta}) {
    const Facts& facts = Get(scope);
    StrAppend(&out, scope == UniformityScope::kWarp ? "warp" : "cta", ":\n  divergent registers:");
    const size_t num_physical = function_.target().phys_regs.size();
    for (size_t i = 0; i < facts.divergent_registers.size(); ++i) {
      if (!facts.divergent_registers[i]) continue;
      const uint32_t number = static_cast<uint32_t>(i < num_physical ? i : i - num_physical);
      StrAppend(&out, " ",
                RegisterName(function_, i < num_physical ? Register::Physical(number) : Register::Virtual(number)));
    }
    const auto list_blocks = [&](std::string_view title, const std::vector<bool>& blocks) {
      StrAppend(&out, "\n  ", title, ":");
      for (const MachineBasicBlock& block : function_) {
        if (block.number() < blocks.size() && blocks[block.number()]) StrAppend(&out, " %bb.", block.number());
      }
    };
    list_blocks("divergent branches", facts.divergent_branches);
    list_blocks("divergent blocks", facts.divergent_blocks);
    out += "\n  cycles left divergently:";
    for (CycleId cycle = 0; cycle < facts.divergent_cycles.size(); ++cycle) {
      if (facts.divergent_cycles[cycle]) StrAppend(&out, " %bb.", cycles_.Header(cycle)->number());
    }
    out += "\n";
  }
}

std::string Uniformity::DifferenceFrom(const Analysis& fresh) const {
  const auto& other = static_cast<const Uniformity&>(fresh);
  if (warp_ == other.warp_ && (cta_ == nullptr || *cta_ == other.Get(UniformityScope::kCta))) return "";
  std::string kept, computed;
  Print(kept);
  fresh.Print(computed);
  return StrCat("the facts differ:\n", kept, "recomputed:\n", computed);
}

}  // namespace ptxmir
