// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/postra_sink.h"

#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

class PostRaSinker {
 public:
  PostRaSinker(MachineFunction& function, PassContext& context)
      : function_(function),
        reg_info_(function.reg_info()),
        liveness_(context.analyses.Get<LiveVariables>()),
        always_pays_(context.knobs.nvptx_enable_machine_sink()),
        has_debug_(function.MayContain(generic::kDbgValue) || function.MayContain(generic::kDbgValueList)),
        states_(reg_info_.num_virtual_registers()) {}

  void Run() {
    // From the last block to the first: what has moved down may make its operands movable in the block above.
    for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
      if (block->successors().size() > 1) SinkFrom(*block);
    }
    ClearKillFlags(reg_info_, std::move(extended_));
  }

  uint64_t num_sunk() const { return num_sunk_; }
  uint64_t num_kept() const { return num_kept_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct State {
    // The last walks over a block in which it was read, and written, at the current place or behind.
    uint32_t read_in = 0;
    uint32_t written_in = 0;
    // Blocks to whose beginning a reader has moved, so that the register is live there in addition to what liveness
    // says. `has_more` says that there are others.
    BlockNumber added_to = kNone;
    bool has_more = false;
  };

  State& Of(Register reg) { return states_[reg.virtual_index()]; }

  void SinkFrom(MachineBasicBlock& block) {
    ++walk_;
    for (MachineInstr *instr = block.back(), *previous; instr != nullptr; instr = previous) {
      previous = instr->previous();
      if (instr->is_debug()) continue;
      MachineBasicBlock* const target = MayMove(*instr) ? FindTarget(*instr, block) : nullptr;
      if (target != nullptr && !(always_pays_ || Pays(*instr, *target))) {
        ++num_kept_;
      } else if (target != nullptr) {
        Move(*instr, *target);
        continue;
      }
      for (const MachineOperand& use : VirtualUses(*instr)) Of(use.reg()).read_in = walk_;
      for (const MachineOperand& def : VirtualDefs(*instr)) Of(def.reg()).written_in = walk_;
    }
  }

  // Returns true if the instruction may move as far as its kind and what is behind it in its block allow.
  bool MayMove(const MachineInstr& instr) {
    if (instr.is_phi() || instr.is_terminator() || instr.extra() != nullptr ||
        instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) {
      return false;
    }
    if (!IsPlainComputation(instr)) return false;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_implicit() || operand.is_tied()) return false;
      if (!operand.reg().is_virtual()) {
        if (operand.is_def() || !reg_info_.Defs(operand.reg()).empty()) return false;
        continue;
      }
      const State& state = Of(operand.reg());
      if (state.written_in == walk_ || (operand.is_def() && state.read_in == walk_)) return false;
    }
    return true;
  }

  bool IsLiveIn(Register reg, const MachineBasicBlock& block) {
    const State& state = Of(reg);
    return state.added_to == block.number() || state.has_more || liveness_.IsLiveIn(reg, block);
  }

  // Returns the only successor into which the results are live, if that has no other predecessor.
  MachineBasicBlock* FindTarget(const MachineInstr& instr, const MachineBasicBlock& block) {
    MachineBasicBlock* target = nullptr;
    for (const MachineOperand& def : instr.explicit_defs()) {
      for (MachineBasicBlock* successor : block.successors()) {
        if (successor == target || !IsLiveIn(def.reg(), *successor)) continue;
        if (target != nullptr) return nullptr;
        target = successor;
      }
    }
    const bool can_take = target != nullptr && target->predecessors().size() == 1 && target != &block &&
                          !target->is_landing_pad && !target->is_inlineasm_br_indirect_target;
    return can_take ? target : nullptr;
  }

  // Returns true if the successor needs no more registers for the operands than for the results.
  bool Pays(const MachineInstr& instr, const MachineBasicBlock& target) {
    uint32_t saved = 0, added = 0;
    for (const MachineOperand& def : instr.explicit_defs()) saved += PressureUnitsOf(function_, def.reg());
    for (const MachineOperand& use : VirtualReads(instr)) {
      if (!IsLiveIn(use.reg(), target)) added += PressureUnitsOf(function_, use.reg());
    }
    return added <= saved;
  }

  void Move(MachineInstr& instr, MachineBasicBlock& target) {
    for (const MachineOperand& def : instr.explicit_defs()) DropDebugUsesOutside(def.reg(), target);
    instr.RemoveFromParent();
    target.Insert(target.FirstNonPhi(), &instr);
    for (const MachineOperand& use : VirtualReads(instr)) {
      State& state = Of(use.reg());
      extended_.push_back(use.reg());
      if (state.added_to != kNone && state.added_to != target.number()) state.has_more = true;
      state.added_to = target.number();
    }
    ++num_sunk_;
  }

  // Debug instructions of other blocks would show the value too early.
  void DropDebugUsesOutside(Register reg, const MachineBasicBlock& target) {
    if (!has_debug_) return;
    debug_uses_.clear();
    for (MachineOperand& use : reg_info_.Uses(reg)) {
      if (use.is_debug() && use.parent()->parent() != &target) debug_uses_.push_back(&use);
    }
    for (MachineOperand* const use : debug_uses_) use->SetReg(Register());
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const LiveVariables& liveness_;
  const bool always_pays_;
  const bool has_debug_;
  std::vector<State> states_;  // by virtual register
  uint32_t walk_ = 0;
  std::vector<Register> extended_;
  std::vector<MachineOperand*> debug_uses_;
  uint64_t num_sunk_ = 0;
  uint64_t num_kept_ = 0;
};

}  // namespace

PassResult RunPostRaMachineSink(MachineFunction& function, PassContext& context) {
  if (function.num_blocks() < 2) return {};
  PostRaSinker sinker(function, context);
  sinker.Run();
  context.AddStatistic("instructions sunk", sinker.num_sunk());
  auto& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  if (sinker.num_kept() != 0) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "OperandsCostMore", function)
             << RemarkArg("NumKept", sinker.num_kept())
             << " instructions stay, because their operands would take more registers along than their results";
    });
  }
  if (sinker.num_sunk() == 0) return {};
  remarks.Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "Sunk", function)
           << RemarkArg("NumSunk", sinker.num_sunk()) << " instructions sunk into the only successor that reads them";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
