// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/machine_cse.h"

#include <memory>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "passes/ssa/cse_editor.h"
#include "passes/ssa/cse_like_llvm.h"
#include "passes/ssa/cse_policy.h"
#include "passes/ssa/cse_within_pressure.h"
#include "passes/ssa/expression_table.h"

namespace ptxmir {
namespace {

// Replaces the candidates of a block. `table` contains the expressions that dominating blocks compute; those of the
// block are added.
void EliminateIn(MachineBasicBlock& block, CsePolicy& policy, CseEditor& editor, ExpressionTable& table) {
  const CopyLookThrough copies = policy.search().copies;
  for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
    next = instr->next();
    if (!policy.IsCandidate(*instr)) continue;
    if (copies == CopyLookThrough::kBeforeSearch) editor.LookThroughCopies(*instr);
    size_t hash = table.Hash(*instr);
    MachineInstr* earlier = table.Find(*instr, hash);
    if (earlier == nullptr && copies == CopyLookThrough::kIfNotFound && editor.LookThroughCopies(*instr)) {
      hash = table.Hash(*instr);
      earlier = table.Find(*instr, hash);
    }
    if (earlier == nullptr) earlier = policy.HoistForCandidate(*instr, hash);
    if (earlier != nullptr && policy.MayReplace(*instr, *earlier)) {
      editor.Replace(*instr, *earlier);
      continue;
    }
    table.Add(*instr, hash);
    policy.DidKeep(*instr, hash);
  }
}

void WalkDominatorTree(MachineFunction& function, const MachineDominatorTree& dominators, CsePolicy& policy,
                       CseEditor& editor) {
  struct Scope {
    const MachineBasicBlock* block;
    size_t num_expressions;  // in the table before the block
  };
  const std::vector<BlockNumber> order = policy.Order();
  policy.HoistBeforeWalk(order);
  ExpressionTable table(policy.search().source_order);
  std::vector<Scope> scopes;
  for (const BlockNumber number : order) {
    MachineBasicBlock& block = *function.block(number);
    while (!scopes.empty() && scopes.back().block != dominators.ImmediateDominator(block)) {
      table.ShrinkTo(scopes.back().num_expressions);
      scopes.pop_back();
    }
    scopes.push_back({&block, table.size()});
    EliminateIn(block, policy, editor, table);
  }
}

}  // namespace

PassResult RunMachineCse(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.empty()) return {.changed = false};
  const auto& dominators = context.analyses.Get<MachineDominatorTree>();
  const bool asks_for_pressure = context.knobs.rp_aware_mcse();
  CseEditor editor(function, context, asks_for_pressure);
  const std::unique_ptr<CsePolicy> policy = asks_for_pressure ? MakeCsePolicyWithinPressure(function, context, editor)
                                                              : like_llvm::MakeCsePolicy(function, context, editor);
  WalkDominatorTree(function, dominators, *policy, editor);
  context.AddStatistic("common subexpressions eliminated", editor.num_eliminated());
  context.AddStatistic("common subexpressions hoisted", editor.num_hoisted());
  policy->Report();
  context.AddStatistic("operands that were copies replaced", editor.num_copies());
  PreservedAnalyses preserved = PreservedAnalyses::ControlFlow();
  if (asks_for_pressure) preserved = preserved.Preserve(AnalysisKind::kMachineRegisterPressure);
  return {.changed = editor.has_changed(), .preserved = preserved};
}

}  // namespace ptxmir
