// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/cse_within_pressure.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "passes/ssa/predicate_room.h"
#include "passes/ssa/sharing_effect.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// The pressure that may be reached where it rises.
struct Limits {
  uint32_t units;
  uint32_t predicates;
};

Limits LimitsFor(const MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
  return {.units = knobs.mcse_raise_pressure() ? std::min(budget.registers, budget.full) : 0,
          .predicates = knobs.pred_aware_mcse() ? budget.predicates : std::numeric_limits<uint32_t>::max()};
}

class CseWithinPressure : public CsePolicy {
 public:
  CseWithinPressure(MachineFunction& function, PassContext& context, CseEditor& editor)
      : CsePolicy(
            {.source_order = SourceOrder::kEither,
             .copies = context.knobs.copy_prop_mcse() ? CopyLookThrough::kBeforeSearch : CopyLookThrough::kNever}),
        function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        limits_(LimitsFor(function, context)),
        editor_(editor),
        effect_(function, dominators_),
        room_(function, limits_.predicates) {}

  std::vector<BlockNumber> Order() const override { return dominators_.Preorder(); }

  // The results must also be used.
  bool IsCandidate(const MachineInstr& instr) const override {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.is_pure() && !info.is_rematerializable_load()) return false;
    if (!info.is_deletable_if_unused() || info.is_collective() || ptx::IsOrderedAccess(instr)) return false;
    if (!HasFormOfExpression(reg_info_, instr)) return false;
    const bool is_used =
        std::any_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
          return operand.is_def() && operand.reg().is_virtual() && !reg_info_.NonDebugUses(operand.reg()).empty();
        });
    if (!is_used) return false;
    if (info.is_move() && instr.num_operands() == 2 && (instr.operand(1).is_imm() || instr.operand(1).is_fp_imm())) {
      return false;
    }
    return info.is_pure() || memory_.ReadsConstantMemory(instr);
  }

  MachineInstr* HoistForCandidate(const MachineInstr& instr, size_t hash) override {
    if (!CouldHoist(instr)) return nullptr;
    const auto found = elsewhere_.find(hash);
    if (found == elsewhere_.end() || !IsSameExpression(*found->second, instr, SourceOrder::kEither)) return nullptr;
    MachineInstr& other = *found->second;
    if (dominators_.Dominates(*other.parent(), *instr.parent())) return &other;
    MachineBasicBlock* const block = dominators_.NearestCommonDominator(*other.parent(), *instr.parent());
    if (block == nullptr || !MayHoist(instr, other, *block)) return nullptr;
    MachineInstr& hoisted = editor_.InsertClone(other, *block);
    if (!Pays(other, hoisted) || !Pays(instr, hoisted)) {
      editor_.Withdraw(hoisted);
      ++num_kept_;
      return nullptr;
    }
    editor_.Keep(hoisted);
    editor_.Replace(other, hoisted);
    found->second = &hoisted;
    return &hoisted;
  }

  bool MayReplace(const MachineInstr& instr, const MachineInstr& earlier) override {
    const bool pays = Pays(instr, earlier);
    num_kept_ += !pays;
    return pays;
  }

  void DidKeep(MachineInstr& instr, size_t hash) override {
    if (CouldHoist(instr)) elsewhere_[hash] = &instr;
  }

  void Report() const override {
    context_.AddStatistic("common subexpressions kept for the pressure", num_kept_);
    if (num_kept_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      MachineRemark remark(RemarkKind::kMissed, context_.pass_name, "PressureTooHigh", function_);
      remark << RemarkArg("NumKept", num_kept_) << " common subexpressions are kept: sharing their values would ";
      if (limits_.units == 0) return remark << "keep more registers busy";
      return remark << "take more than " << RemarkArg("Target", static_cast<uint64_t>(limits_.units)) << " registers";
    });
  }

 private:
  // Returns true if the instruction may run on paths on which it did not. A load may not, because it could fault,
  // unless it is one of a kernel parameter by its name.
  static bool IsSafeAnywhere(const MachineInstr& instr) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (info.is_pure()) return true;
    return info.address < instr.num_operands() && instr.operand(info.address).is_symbol() &&
           ptx::MemorySpaceOf(instr) == ptx::MemorySpace::kParam;
  }

  // Returns true if the instruction may move to a block above. There its result is live beside its operands, so it must
  // be a predicate unless the pressure may rise.
  bool CouldHoist(const MachineInstr& instr) const {
    return instr.num_explicit_defs() == 1 && PressureUnitsOf(function_, instr.operand(0).reg()) <= limits_.units &&
           IsSafeAnywhere(instr);
  }

  bool MayHoist(const MachineInstr& instr, const MachineInstr& other, MachineBasicBlock& block) const {
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

  // Returns true if reading the earlier results keeps the pressure within the limits where it rises.
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
    if (num_used == 0) return true;
    if (num_used == 1 && units == 0) return PaysForPredicate(from, to, instr);
    if (units == 0 || limits_.units != 0) {
      const PeakPressure max = editor_.Pressure().MaxPressure();
      // The most that it can raise the pressure to.
      const RaisedPressure most = {.units = units == 0 ? 0 : max.units + units,
                                   .predicates = predicates == 0 ? 0 : max.predicates() + predicates};
      if (IsWithinLimits(most)) return true;
    }
    if (num_used > 1) return false;  // machine-rpa does not say what several results at once would do
    // Otherwise the result would have to stay live across blocks in place of an operand. ptxas often keeps less of the
    // operand than machine-rpa says: of an extended value, the half that it extends.
    if (limits_.units == 0 && !SharingEffect::IsLiveAround(to, earlier, instr, editor_.Pressure())) return false;
    const std::optional<bool> raises = effect_.RaisesPressure(from, to, editor_.Pressure());
    if (raises.has_value() && (!*raises || limits_.units == 0)) return !*raises;
    return IsWithinLimits(editor_.Pressure().WhatIfReplaced(from, to));
  }

  bool PaysForPredicate(Register from, Register to, const MachineInstr& instr) {
    const std::optional<bool> raises = effect_.RaisesPressure(from, to, editor_.Pressure());
    return (raises.has_value() && !*raises) || room_.Keep(to, instr, editor_.Pressure());
  }

  bool IsWithinLimits(const RaisedPressure& raised) const {
    return raised.units <= limits_.units && raised.predicates <= limits_.predicates;
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MemoryDependence& memory_;
  const Limits limits_;
  CseEditor& editor_;
  SharingEffect effect_;
  PredicateRoom room_;
  absl::flat_hash_map<size_t, MachineInstr*> elsewhere_;  // by hash: the last expression that stayed, in any block
  uint64_t num_kept_ = 0;
};

}  // namespace

std::unique_ptr<CsePolicy> MakeCsePolicyWithinPressure(MachineFunction& function, PassContext& context,
                                                       CseEditor& editor) {
  return std::make_unique<CseWithinPressure>(function, context, editor);
}

}  // namespace ptxmir
