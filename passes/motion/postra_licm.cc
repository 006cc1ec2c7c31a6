// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/postra_licm.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/operand_ranges.h"
#include "passes/motion/sink_into_loops.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

constexpr CycleId kNoLoop = CycleForest::kNoCycle;
// The most definitions of an operand that are looked at.
constexpr int kMaxDefs = 16;

class PostRaHoister {
 public:
  PostRaHoister(MachineFunction& function, PassContext& context, MachineRegisterPressure& pressure)
      : function_(function),
        reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        loops_(context.analyses.Get<MachineLoops>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(pressure),
        target_(ComputeRegisterBudget(function, context.analyses.inputs())),
        loop_infos_(loops_.num_cycles()) {
    for (CycleId loop = 0; loop < loops_.num_cycles(); ++loop) loop_infos_[loop].preheader = loops_.Preheader(loop);
    for (const MachineBasicBlock& block : function) {
      const PeakPressure& peak = pressure.Block(block).peak;
      const bool is_exiting = std::any_of(block.successors().begin(), block.successors().end(), [&](const auto* next) {
        return loops_.InnermostCycle(*next) != loops_.InnermostCycle(block);
      });
      for (CycleId loop = loops_.InnermostCycle(block); loop != kNoLoop; loop = loops_.Parent(loop)) {
        Loop& info = loop_infos_[loop];
        info.units = std::max(info.units, peak.units);
        info.predicates = std::max(info.predicates, peak.predicates());
        if (is_exiting) AddExiting(info, loop, block);
      }
    }
  }

  void Run() {
    const DepthFirstOrder order(function_);
    for (MachineBasicBlock* block : order.reverse_postorder) {
      if (loops_.InnermostCycle(*block) == kNoLoop) continue;
      for (MachineInstr *instr = block->front(), *next; instr != nullptr; instr = next) {
        next = instr->next();
        if (IsCandidate(*instr)) HoistFromLoops(*instr);
      }
    }
    ClearKillFlags(reg_info_, std::move(extended_));
  }

  uint64_t num_hoisted() const { return num_hoisted_; }
  uint64_t num_kept() const { return num_kept_; }

 private:
  struct Loop {
    MachineBasicBlock* preheader = nullptr;
    MachineBasicBlock* before_exit = nullptr;  // the lowest block that dominates all exiting ones
    uint32_t units = 0;                        // the peak
    uint32_t predicates = 0;
    uint32_t raised_units = 0;  // by what was hoisted; of outermost loops only, for all loops in them
    uint32_t raised_predicates = 0;
  };

  void AddExiting(Loop& info, CycleId loop, const MachineBasicBlock& block) {
    const bool leaves = std::any_of(block.successors().begin(), block.successors().end(),
                                    [&](const auto* next) { return !loops_.Contains(loop, *next); });
    if (!leaves) return;
    MachineBasicBlock* const same = function_.block(block.number());
    info.before_exit =
        info.before_exit == nullptr ? same : dominators_.NearestCommonDominator(*info.before_exit, *same);
  }

  // Returns true if the instruction may be hoisted from some loop, as far as it is known without its operands.
  bool IsCandidate(const MachineInstr& instr) const {
    if (instr.num_explicit_defs() != 1 || instr.extra() != nullptr || instr.is_copy() || instr.is_debug() ||
        instr.is_implicit_def() || instr.is_inline_asm() || instr.is_terminator() ||
        instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) {
      return false;
    }
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    // ptxas puts constants into instructions.
    if (info.is_move() && !instr.operand(1).is_reg()) return false;
    const Register result = instr.operand(0).reg();
    if (!result.is_virtual() || reg_info_.UniqueDef(result) != &instr || info.is_collective()) return false;
    const bool is_load = info.is_rematerializable_load() && !ptx::IsOrderedAccess(instr);
    return info.is_pure() || (is_load && memory_.ReadsConstantMemory(instr));
  }

  // Returns the innermost loop around the instruction that writes a register which it reads, or kNoLoop. Sets
  // `is_known` to false if that is not known.
  CycleId LoopOfOperands(const MachineInstr& instr, bool& is_known) const {
    CycleId varies_in = kNoLoop;
    const CycleId around = loops_.InnermostCycle(*instr.parent());
    for (const MachineOperand& operand : instr.operands().subspan(1)) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_def() || operand.is_undef() || operand.is_tied() || operand.is_implicit()) is_known = false;
      int num_defs = 0;
      for (const MachineOperand& def : reg_info_.Defs(operand.reg())) {
        if (++num_defs > kMaxDefs || !is_known) {
          is_known = false;
          return kNoLoop;
        }
        const CycleId common = loops_.CommonCycle(around, loops_.InnermostCycle(*def.parent()->parent()));
        if (common != kNoLoop && (varies_in == kNoLoop || loops_.Depth(common) > loops_.Depth(varies_in))) {
          varies_in = common;
        }
      }
    }
    return varies_in;
  }

  bool MustExecute(const MachineInstr& instr, CycleId loop) const {
    const MachineBasicBlock* const before_exit = loop_infos_[loop].before_exit;
    return instr.parent() == loops_.Header(loop) ||
           (before_exit != nullptr && dominators_.Dominates(*instr.parent(), *before_exit));
  }

  void HoistFromLoops(MachineInstr& instr) {
    bool is_known = true;
    const CycleId varies_in = LoopOfOperands(instr, is_known);
    if (!is_known) return;
    const bool is_load = ptx::InstrInfo(instr.opcode()).reads_memory();
    CycleId best = kNoLoop, outermost = kNoLoop;
    bool is_short = false;
    for (CycleId loop = loops_.InnermostCycle(*instr.parent()); loop != kNoLoop; loop = loops_.Parent(loop)) {
      outermost = loop;
      if (varies_in != kNoLoop && loops_.Contains(loop, varies_in)) continue;
      if (is_short || loop_infos_[loop].preheader == nullptr || (is_load && !MustExecute(instr, loop))) continue;
      is_short = !HasRoom(instr, loop);
      if (!is_short) best = loop;
    }
    if (best != kNoLoop) {
      Hoist(instr, best, outermost);
    } else {
      num_kept_ += is_short;
    }
  }

  bool IsPredicate(Register reg) const {
    return function_.target().reg_classes[reg_info_.reg_class(reg)].pressure_units == 0;
  }

  // Returns true if the loop has registers for the result of the instruction.
  bool HasRoom(const MachineInstr& instr, CycleId loop) const {
    const Register result = instr.operand(0).reg();
    CycleId outermost = loop;
    while (loops_.Parent(outermost) != kNoLoop) outermost = loops_.Parent(outermost);
    const Loop &info = loop_infos_[loop], &nest = loop_infos_[outermost];
    if (IsPredicate(result)) return info.predicates + nest.raised_predicates + 1 <= target_.predicates;
    const uint32_t units = info.units + nest.raised_units + PressureUnitsOf(function_, result);
    return units <= std::min(target_.registers, target_.full);
  }

  void Hoist(MachineInstr& instr, CycleId loop, CycleId outermost) {
    const Register result = instr.operand(0).reg();
    MachineBasicBlock& preheader = *loop_infos_[loop].preheader;
    pressure_.WillErase(instr);
    instr.RemoveFromParent();
    instr.set_debug_loc(MachineInstr::kNoDebugLoc);
    preheader.Insert(preheader.FirstTerminator(), &instr);
    pressure_.DidInsert(instr);
    extended_.push_back(result);
    for (const MachineOperand& use : VirtualReads(instr)) extended_.push_back(use.reg());
    if (IsPredicate(result)) {
      ++loop_infos_[outermost].raised_predicates;
    } else {
      loop_infos_[outermost].raised_units += PressureUnitsOf(function_, result);
    }
    ++num_hoisted_;
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachineLoops& loops_;
  const MemoryDependence& memory_;
  MachineRegisterPressure& pressure_;
  const RegisterBudget target_;
  std::vector<Loop> loop_infos_;
  std::vector<Register> extended_;
  uint64_t num_hoisted_ = 0;
  uint64_t num_kept_ = 0;
};

}  // namespace

PassResult RunPostRaMachineLicm(MachineFunction& function, PassContext& context) {
  if (function.num_blocks() < 2) return {};
  if (context.analyses.Get<MachineLoops>().num_cycles() == 0) return {};
  auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  PostRaHoister hoister(function, context, pressure);
  hoister.Run();
  const uint64_t num_hoisted = hoister.num_hoisted();
  const uint64_t num_sunk = context.knobs.sink_insts_to_avoid_spills() ? SinkIntoLoops(function, context, pressure) : 0;
  context.AddStatistic("computations hoisted", num_hoisted);
  context.AddStatistic("computations sunk into loops", num_sunk);
  auto& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  if (hoister.num_kept() != 0) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "PressureTooHigh", function)
             << RemarkArg("NumKept", hoister.num_kept())
             << " loop-invariant computations stay, because their loops have no registers left";
    });
  }
  if (num_hoisted + num_sunk == 0) return {};
  remarks.Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "Hoisted", function)
           << RemarkArg("NumHoisted", num_hoisted) << " computations hoisted out of loops, "
           << RemarkArg("NumSunk", num_sunk) << " sunk into loops";
  });
  return {.changed = true,
          .preserved = PreservedAnalyses::ControlFlow().Preserve(AnalysisKind::kMachineRegisterPressure)};
}

}  // namespace ptxmir
