#include "analysis/uniformity.h"

#include "analysis/uniformity_computation.h"
#include "mir/str_cat.h"

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
  return !Get(scope).divergent_registers[UniformityComputation::RegisterIndex(function_, reg)];
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
  return !Get(scope).divergent_branches[block.number()];
}

bool Uniformity::IsConvergent(const MachineBasicBlock& block, UniformityScope scope) const {
  return !Get(scope).divergent_blocks[block.number()];
}

bool Uniformity::IsLeftDivergently(CycleId cycle, UniformityScope scope) const {
  return Get(scope).divergent_cycles[cycle];
}

void Uniformity::Print(std::string& out) const {
  for (const UniformityScope scope : {UniformityScope::kWarp, UniformityScope::kCta}) {
    const Facts& facts = Get(scope);
    StrAppend(&out, scope == UniformityScope::kWarp ? "warp" : "cta", ":\n  divergent registers:");
    const uint32_t num_virtual = function_.reg_info().num_virtual_registers();
    for (size_t i = 0; i < facts.divergent_registers.size(); ++i) {
      if (!facts.divergent_registers[i]) continue;
      if (i < num_virtual) {
        StrAppend(&out, " %", i);
      } else {
        StrAppend(&out, " $", function_.target().phys_regs[i - num_virtual].name);
      }
    }
    const auto list_blocks = [&](std::string_view title, const std::vector<bool>& blocks) {
      StrAppend(&out, "\n  ", title, ":");
      for (const MachineBasicBlock& block : function_) {
        if (blocks[block.number()]) StrAppend(&out, " %bb.", block.number());
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
  return StrCat("the facts differ:\n", kept, "computed anew:\n", computed);
}

}  // namespace ptxmir
