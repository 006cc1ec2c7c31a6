// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/machine_cse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/memory_dependence.h"
#include "analysis/register_budget.h"
#include "passes/ssa/expression_table.h"
#include "passes/ssa/llvm_cse.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

class CommonSubexpressionEliminator {
 public:
  CommonSubexpressionEliminator(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(context.analyses.Get<MachineRegisterPressure>()) {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    // Pressure up to this target costs nothing.
    units_ = std::min(budget.registers, budget.full);
    predicates_ = budget.predicates;
  }

  // Returns true if anything has changed.
  bool Run() {
    VisitInScopes(function_, dominators_, dominators_.Preorder(), table_,
                  [&](MachineBasicBlock& block) { VisitBlock(block); });
    Report();
    return num_eliminated_ + num_copies_ != 0;
  }

 private:
  void VisitBlock(MachineBasicBlock& block) {
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      if (!IsCandidate(*instr)) continue;
      if (context_.knobs.copy_prop_mcse()) LookThroughCopies(*instr);
      const size_t hash = table_.Hash(*instr);
      MachineInstr* earlier = table_.Find(*instr, hash);
      if (earlier == nullptr) earlier = FindElsewhere(*instr, hash);
      if (earlier != nullptr && Pays(*instr, *earlier)) {
        Replace(*instr, *earlier);
        continue;
      }
      if (earlier != nullptr) ++num_suppressed_;
      table_.Add(*instr, hash);
      elsewhere_[hash] = instr;
    }
  }

  // Finds the same expression in a block that does not dominate the instruction's block, and moves it to a block
  // that dominates both if possible. Returns null if that fails.
  MachineInstr* FindElsewhere(const MachineInstr& instr, size_t hash) {
    const auto found = elsewhere_.find(hash);
    if (found == elsewhere_.end() || !IsSameExpression(*found->second, instr, SourceOrder::kEither)) return nullptr;
    MachineInstr& other = *found->second;
    if (dominators_.Dominates(*other.parent(), *instr.parent())) return &other;
    MachineBasicBlock* const block = dominators_.NearestCommonDominator(*other.parent(), *instr.parent());
    if (block == nullptr || !MayHoist(instr, other, *block)) return nullptr;
    MachineInstr* const hoisted = function_.CloneInstr(other);
    hoisted->operand(0).SetReg(reg_info_.CreateVirtualRegister(reg_info_.reg_class(other.operand(0).reg())));
    block->Insert(block->FirstTerminator(), hoisted);
    pressure_.DidInsert(*hoisted);
    if (!Pays(other, *hoisted) || !Pays(instr, *hoisted)) {
      pressure_.WillErase(*hoisted);
      hoisted->EraseFromParent();
      ++num_suppressed_;
      return nullptr;
    }
    for (const MachineOperand& operand : hoisted->operands()) {
      if (operand.is_use() && operand.reg().is_virtual()) reg_info_.ClearKillFlags(operand.reg());
    }
    Replace(other, *hoisted);
    found->second = hoisted;
    ++num_hoisted_;
    return hoisted;
  }

  bool MayHoist(const MachineInstr& instr, const MachineInstr& other, MachineBasicBlock& block) {
    if (instr.num_explicit_defs() != 1 || !ptx::InstrInfo(instr.opcode()).is_pure()) return false;
    const MachineInstr* const terminator = block.FirstTerminator();
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_use() || !operand.reg().is_virtual()) continue;
      const MachineInstr* const def = reg_info_.UniqueDef(operand.reg());
      if (def == nullptr || !dominators_.Dominates(*def->parent(), block)) return false;
      if (def->parent() == &block && terminator != nullptr && dominators_.Dominates(*terminator, *def)) return false;
    }
    const auto& frequencies = context_.analyses.Get<MachineBlockFrequencies>();
    const double now = static_cast<double>(frequencies.Frequency(*instr.parent())) +
                       static_cast<double>(frequencies.Frequency(*other.parent()));
    return !frequencies.IsMoreOften(block, now);
  }

  // Returns true if the results depend only on the operands and are used.
  bool IsCandidate(const MachineInstr& instr) const {
    if (instr.is_phi() || instr.is_copy() || instr.is_debug() || instr.is_implicit_def() || instr.is_inline_asm() ||
        instr.extra() != nullptr) {
      return false;
    }
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.is_deletable_if_unused() || info.is_collective() || ptx::IsOrderedAccess(instr)) return false;
    bool is_used = false;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_implicit() || operand.is_tied() || operand.is_undef()) return false;
      if (!operand.reg().is_virtual()) {
        // Only registers whose value never changes qualify, such as the frame registers.
        if (operand.is_def() || !reg_info_.Defs(operand.reg()).empty()) return false;
      } else if (operand.is_def()) {
        is_used = is_used || !reg_info_.NonDebugUses(operand.reg()).empty();
      }
    }
    if (!is_used) return false;
    if (info.is_move() && instr.num_operands() == 2 && (instr.operand(1).is_imm() || instr.operand(1).is_fp_imm())) {
      return false;
    }
    return info.is_pure() || (info.is_rematerializable_load() && memory_.ReadsConstantMemory(instr));
  }

  void LookThroughCopies(MachineInstr& instr) {
    for (MachineOperand& operand : instr.operands()) {
      MachineInstr* const copy = CopyToLookThrough(reg_info_, operand);
      if (copy == nullptr) continue;
      const Register source = copy->operand(1).reg();
      pressure_.WillChange(instr);
      operand.SetReg(source);
      pressure_.DidChange(instr);
      reg_info_.ClearKillFlags(source);
      ++num_copies_;
      EraseIfUnused(*copy, source);
    }
  }

  void EraseIfUnused(MachineInstr& copy, Register source) {
    const Register result = copy.operand(0).reg();
    if (!reg_info_.NonDebugUses(result).empty()) return;
    pressure_.WillErase(copy);
    copy.EraseFromParent();
    reg_info_.ReplaceRegister(result, source);
  }

  // Returns true if reading the earlier results keeps the pressure within the target.
  bool Pays(const MachineInstr& instr, const MachineInstr& earlier) {
    Register from, to;
    unsigned num_used = 0;
    uint32_t units = 0;
    uint32_t predicates = 0;
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      if (reg_info_.NonDebugUses(instr.operand(i).reg()).empty()) continue;
      from = instr.operand(i).reg();
      to = earlier.operand(i).reg();
      units += PressureUnitsOf(function_, from);
      predicates += reg_info_.reg_class(from) == ptx::reg_class::kB1;
      ++num_used;
    }
    // Of several results at once machine-rpa does not say what they would do; at most this.
    const bool ignores_predicates = !context_.knobs.pred_aware_mcse();
    if (num_used != 1) {
      return num_used == 0 || (pressure_.MaxUnits() + units <= units_ &&
                               (pressure_.MaxPredicates() + predicates <= predicates_ || ignores_predicates));
    }
    const RaisedPressure raised = pressure_.WhatIfReplaced(from, to);
    return raised.units <= units_ && (raised.predicates <= predicates_ || ignores_predicates);
  }

  void Replace(MachineInstr& instr, MachineInstr& earlier) {
    KeepCommonPromises(earlier, instr);
    results_.clear();
    for (unsigned i = 0; i < instr.num_explicit_defs(); ++i) {
      results_.emplace_back(instr.operand(i).reg(), earlier.operand(i).reg());
    }
    pressure_.WillErase(instr);
    instr.EraseFromParent();
    for (const auto& [from, to] : results_) {
      pressure_.WillReplaceRegister(from, to);
      reg_info_.ReplaceRegister(from, to);
      reg_info_.ClearKillFlags(to);
    }
    ++num_eliminated_;
    if (!context_.knobs.incremental_update_mcse()) pressure_.Recompute();
    if (context_.knobs.verify_update_mcse()) {
      pressure_.VerifyUpdate(context_.knobs.print_verify(), context_.diagnostics);
    }
  }

  void Report() {
    context_.AddStatistic("common subexpressions eliminated", num_eliminated_);
    context_.AddStatistic("common subexpressions hoisted", num_hoisted_);
    context_.AddStatistic("common subexpressions kept for the pressure", num_suppressed_);
    context_.AddStatistic("operands that were copies replaced", num_copies_);
    if (num_suppressed_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context_.pass_name, "PressureTooHigh", function_)
             << RemarkArg("NumKept", num_suppressed_) << " common subexpressions are kept: sharing their values would "
             << "take more than " << RemarkArg("Target", static_cast<uint64_t>(units_)) << " registers";
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MemoryDependence& memory_;
  MachineRegisterPressure& pressure_;
  uint32_t units_ = 0;  // the target
  uint32_t predicates_ = kPredicateRegisters;
  ExpressionTable table_{SourceOrder::kEither};
  absl::flat_hash_map<size_t, MachineInstr*> elsewhere_;  // by hash: the last expression computed in any block
  std::vector<std::pair<Register, Register>> results_;    // the results of the current instruction, and their
                                                          // replacements
  uint64_t num_eliminated_ = 0;
  uint64_t num_hoisted_ = 0;
  uint64_t num_suppressed_ = 0;
  uint64_t num_copies_ = 0;
};

}  // namespace

PassResult RunMachineCse(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.empty()) return {.changed = false};
  if (!context.knobs.rp_aware_mcse()) {
    return {.changed = EliminateCommonSubexpressionsAsLlvm(function, context),
            .preserved = PreservedAnalyses::ControlFlow()};
  }
  const bool changed = CommonSubexpressionEliminator(function, context).Run();
  return {.changed = changed,
          .preserved = PreservedAnalyses::ControlFlow().Preserve(AnalysisKind::kMachineRegisterPressure)};
}

}  // namespace ptxmir
