// SPDX-License-Identifier: Apache-2.0

#include "passes/combine/machine_combiner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/frequency/machine_trace_metrics.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "mir/code/operand_ranges.h"
#include "passes/combine/associative_ops.h"
#include "passes/support/debug_values.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Values with more uses than this are taken to live on.
constexpr int kMaxUses = 16;

// An instruction and the inner one of the same operation that only it reads.
struct Chain {
  MachineInstr* root = nullptr;
  MachineInstr* inner = nullptr;
  std::array<Register, 3> sources;  // two of the inner one, then the other one of the root
};

class MachineCombiner {
 public:
  MachineCombiner(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        metrics_(context.analyses.Get<MachineTraceMetrics>()),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        max_exact_instrs_(static_cast<size_t>(context.knobs.machine_combiner_inc_threshold())),
        depths_(function.arena().id_bound(), 0),
        positions_(function.arena().id_bound(), 0) {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    target_units_ = std::min(budget.registers, budget.full);
  }

  bool Run() {
    for (MachineBasicBlock& block : function_) RunOn(block);
    context_.AddStatistic("chains regrouped for latency", num_for_latency_);
    context_.AddStatistic("chains regrouped for pressure", num_for_pressure_);
    return num_for_latency_ + num_for_pressure_ != 0;
  }

 private:
  void RunOn(MachineBasicBlock& block) {
    if (std::none_of(block.begin(), block.end(), IsReassociable)) return;
    uint32_t num_instrs = 0;
    for (const MachineInstr& instr : block) SetPosition(instr, ++num_instrs);
    is_exact_ = num_instrs <= max_exact_instrs_;
    peak_units_ = pressure_.Block(block).peak.units;
    for (MachineInstr* instr = block.front(); instr != nullptr; instr = instr->next()) {
      NoteDepth(*instr);
      const Chain chain = ChainAt(*instr);
      if (chain.root == nullptr) continue;
      const uint32_t weight = PressureUnitsOf(function_, chain.root->operand(0).reg());
      const bool is_tight = peak_units_ > target_units_ && weight != 0;
      if (is_tight) {
        RegroupForPressure(chain);
      } else {
        RegroupForLatency(chain, weight);
      }
    }
  }

  template <typename T>
  static T& At(std::vector<T>& table, const MachineInstr& instr) {
    if (instr.id() >= table.size()) table.resize(instr.id() + 1, T());
    return table[instr.id()];
  }
  void SetPosition(const MachineInstr& instr, uint32_t position) { At(positions_, instr) = position; }

  // Returns the cycle at which the register can be read in `block`, as seen from the trace through it.
  uint32_t Ready(Register reg, const MachineBasicBlock& block) {
    const MachineInstr* const def = reg_info_.UniqueDef(reg);
    if (def == nullptr) return 0;
    if (def->parent() == &block) return At(depths_, *def) + TraceEnsemble::LatencyOf(*def);
    TraceEnsemble& traces = metrics_.ensemble();
    if (!traces.IsOnTrace(*def->parent(), block)) return 0;
    return traces.Cycles(*def).depth + TraceEnsemble::LatencyOf(*def);
  }

  void NoteDepth(const MachineInstr& instr) {
    uint32_t depth = 0;
    if (instr.is_phi()) {
      depth = metrics_.ensemble().Cycles(instr).depth;
    } else {
      for (const MachineOperand& use : VirtualReads(instr)) depth = std::max(depth, Ready(use.reg(), *instr.parent()));
    }
    At(depths_, instr) = depth;
  }

  Chain ChainAt(MachineInstr& root) {
    if (!IsReassociable(root)) return {};
    for (unsigned i = 1; i <= 2; ++i) {
      const Register result = root.operand(i).reg();
      MachineInstr* const inner = reg_info_.UniqueDef(result);
      if (inner == nullptr || inner->parent() != root.parent() || inner->opcode() != root.opcode() ||
          !IsReassociable(*inner) || !reg_info_.HasOneNonDebugUse(result) || !AgreeOnRest(root, *inner)) {
        continue;
      }
      return {&root, inner, {inner->operand(1).reg(), inner->operand(2).reg(), root.operand(3 - i).reg()}};
    }
    return {};
  }

  // Compares the operands that say how the operation is done.
  static bool AgreeOnRest(const MachineInstr& a, const MachineInstr& b) {
    if (a.num_operands() != b.num_operands()) return false;
    for (unsigned i = 3; i < a.num_operands(); ++i) {
      if (!a.operand(i).IsIdenticalTo(b.operand(i))) return false;
    }
    return true;
  }

  void RegroupForLatency(const Chain& chain, uint32_t weight) {
    if (peak_units_ + weight > target_units_) return;
    if (is_exact_ && metrics_.ensemble().Slack(*chain.root) != 0) return;
    const MachineBasicBlock& block = *chain.root->parent();
    std::array<uint32_t, 3> ready;
    for (size_t i = 0; i < 3; ++i) ready[i] = Ready(chain.sources[i], block);
    const uint32_t latency = TraceEnsemble::LatencyOf(*chain.inner);
    const size_t latest = ready[1] > ready[0] ? 1 : 0;
    const uint32_t depth = std::max(std::max(ready[0], ready[1]) + latency, ready[2]);
    const uint32_t new_depth = std::max(ready[latest], std::max(ready[1 - latest], ready[2]) + latency);
    if (new_depth >= depth) return;
    Regroup(chain, latest, "latency");
    peak_units_ += weight;
    ++num_for_latency_;
  }

  void RegroupForPressure(const Chain& chain) {
    if (positions_[chain.inner->id()] + 1 >= positions_[chain.root->id()]) return;
    // The last operand must be there where the inner instruction is.
    const MachineInstr* const last_def = reg_info_.UniqueDef(chain.sources[2]);
    if (last_def == nullptr) return;
    if (last_def->parent() == chain.root->parent() && At(positions_, *last_def) > positions_[chain.inner->id()]) return;
    if (LivesOn(chain.sources[2], *chain.root)) return;
    for (size_t i = 0; i < 2; ++i) {
      if (chain.sources[i] == chain.sources[2] || !LivesOn(chain.sources[i], *chain.root)) continue;
      Regroup(chain, i, "pressure");
      ++num_for_pressure_;
      return;
    }
  }

  // Returns true if the register is read behind the instruction, or may be.
  bool LivesOn(Register reg, const MachineInstr& instr) {
    if (pressure_.IsLiveOut(*instr.parent(), reg)) return true;
    int num_uses = 0;
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      const MachineInstr& user = *use.parent();
      if (++num_uses > kMaxUses) return true;
      if (user.parent() == instr.parent() && At(positions_, user) > positions_[instr.id()]) return true;
    }
    return false;
  }

  // Makes `last` (0 or 1, a source of the inner instruction) the operand that is added last. The inner instruction
  // moves before the root unless its new operand is there earlier.
  void Regroup(const Chain& chain, size_t last, std::string_view objective) {
    const Register result = chain.inner->operand(0).reg();
    Report(chain, objective);
    const std::array<Register, 2> first = {chain.sources[1 - last], chain.sources[2]};
    const bool is_for_pressure = objective == "pressure";
    const uint32_t flags = FlagsAfterReassociation(*chain.root, *chain.inner);
    pressure_.WillErase(*chain.inner);
    pressure_.WillErase(*chain.root);
    // The inner result is another value than before.
    DropDebugUses(reg_info_, result);
    chain.inner->operand(1).SetReg(first[0]);
    chain.inner->operand(2).SetReg(first[1]);
    chain.root->operand(1).SetReg(chain.sources[last]);
    chain.root->operand(2).SetReg(result);
    chain.inner->set_flags(flags);
    chain.root->set_flags(flags);
    if (!is_for_pressure) {
      chain.inner->RemoveFromParent();
      chain.root->parent()->Insert(chain.root, chain.inner);
      SetPosition(*chain.inner, positions_[chain.root->id()]);
    }
    pressure_.DidInsert(*chain.inner);
    pressure_.DidInsert(*chain.root);
    ClearKillFlags(reg_info_, {chain.sources.begin(), chain.sources.end()});
    NoteDepth(*chain.inner);
    NoteDepth(*chain.root);
    if (is_exact_) metrics_.Invalidate(*chain.root->parent());
  }

  void Report(const Chain& chain, std::string_view objective) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Regrouped", *chain.root)
             << "operands regrouped for " << RemarkArg("Objective", objective);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  MachineTraceMetrics& metrics_;
  MachineRegisterPressure& pressure_;
  const size_t max_exact_instrs_;
  std::vector<uint32_t> depths_;     // by id: in the current block, up to the current instruction
  std::vector<uint32_t> positions_;  // by id: in the current block
  bool is_exact_ = false;
  uint32_t peak_units_ = 0;
  uint32_t target_units_ = 0;
  uint64_t num_for_latency_ = 0;
  uint64_t num_for_pressure_ = 0;
};

}  // namespace

PassResult RunMachineCombiner(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  const bool changed = MachineCombiner(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
