// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/pressure_sink.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/operand_ranges.h"
#include "passes/motion/register_saving.h"
#include "passes/motion/sinking.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// The facts about a function that the moves depend on. The pressure follows the edits.
struct Facts {
  MachineFunction& function;
  const MachineRegisterInfo& reg_info;
  const MachineLoops& loops;
  const MachineDominatorTree& dominators;
  const MachineBlockFrequencies& frequencies;
  const MachineRegisterPressure& pressure;
  std::vector<CycleId> hot_loops;  // the loops with the highest pressure, highest first

  bool LivesThrough(CycleId loop, Register reg) const { return pressure.IsLiveIn(*loops.Header(loop), reg); }
};

// Returns the loops with at least this pressure outside inner loops: the few with the highest, highest first.
std::vector<CycleId> FindHotLoops(const MachineLoops& loops, const MachineRegisterPressure& pressure, uint32_t least) {
  constexpr size_t kMaxLoops = 8;
  std::vector<std::pair<uint32_t, CycleId>> found;
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) {
    uint32_t peak = 0;
    for (const MachineBasicBlock* block : loops.Blocks(loop)) {
      if (loops.InnermostCycle(*block) == loop) peak = std::max(peak, pressure.Block(*block).peak.units);
    }
    if (peak >= least) found.emplace_back(peak, loop);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > kMaxLoops) found.resize(kMaxLoops);
  std::vector<CycleId> hot;
  for (const auto& [peak, loop] : found) hot.push_back(loop);
  return hot;
}

// ---- Sinking past loops

class SinkPastLoops : public SinkPolicy {
 public:
  explicit SinkPastLoops(const Facts& facts) : facts_(facts) {}

  bool MayMove(const MachineInstr& instr) override {
    return IsPlainComputation(instr) && instr.num_explicit_defs() == 1;
  }

  MachineBasicBlock* FindTarget(const MachineInstr& instr) override {
    return FurthestSinkTarget(instr, facts_.loops, facts_.dominators, facts_.frequencies);
  }

  // Returns true if the move saves registers through a hot loop that it leaves behind.
  bool Pays(const MachineInstr& instr, const MachineBasicBlock& target) override {
    const MachineLoops& loops = facts_.loops;
    return std::any_of(facts_.hot_loops.begin(), facts_.hot_loops.end(), [&](CycleId loop) {
      return !loops.Contains(loop, *instr.parent()) && !loops.Contains(loop, target) &&
             facts_.LivesThrough(loop, instr.operand(0).reg()) &&
             RegistersSavedAt(*loops.Header(loop), instr, facts_.pressure) > 0;
    });
  }

  MachineInstr* FindPlace(const MachineInstr& instr, MachineBasicBlock& target) const override {
    return PlaceBeforeUses(instr, target);
  }

 private:
  const Facts& facts_;
};

// ---- PHIs of equal computations

// A PHI of equal computations.
struct EqualPhi {
  MachineInstr* phi;
  std::vector<Register> leaves;  // the registers that the computations read
};

// Where the computation goes that replaces a PHI.
struct Replacement {
  MachineInstr* phi;
  MachineInstr* place;  // the computation is placed before it; null: at the end of the block
  uint32_t order;       // the position of `place` in the block
};

// Returns true if the results of an instruction are available at the top of the block.
bool IsAvailable(const Facts& facts, const MachineInstr& def, const MachineBasicBlock& block) {
  return def.parent() != &block && facts.dominators.Dominates(*def.parent(), block);
}

// Returns true if two registers provably hold the same value, because they are computed in the same way from
// values that are available in the block. Appends these values to `leaves`.
bool IsSame(const Facts& facts, Register a, Register b, const MachineBasicBlock& block, int depth,
            std::vector<Register>& leaves) {
  constexpr int kMaxDepth = 4;
  if (!a.is_virtual() || !b.is_virtual()) return false;
  const MachineInstr* x = facts.reg_info.UniqueDef(a);
  const MachineInstr* y = facts.reg_info.UniqueDef(b);
  if (x == nullptr || y == nullptr) return false;
  if (a == b && IsAvailable(facts, *x, block)) {
    leaves.push_back(a);
    return true;
  }
  if (depth == kMaxDepth || x->opcode() != y->opcode() || x->num_operands() != y->num_operands()) return false;
  if (!IsPlainComputation(*x) || x->num_explicit_defs() != 1 || x->operand(0).reg() != a) return false;
  for (unsigned i = 1; i < x->num_operands(); ++i) {
    const MachineOperand& p = x->operand(i);
    const MachineOperand& q = y->operand(i);
    if (p.is_reg() && q.is_reg() && p.reads_reg() && q.reads_reg()) {
      if (!IsSame(facts, p.reg(), q.reg(), block, depth + 1, leaves)) return false;
    } else if (p.is_reg() || !p.IsIdenticalTo(q)) {
      return false;
    }
  }
  return true;
}

// Returns the PHIs of a block whose operands are the same computation, which executes no more often there than on the
// paths to the block.
std::vector<EqualPhi> FindEqualPhis(const Facts& facts, MachineBasicBlock& block) {
  if (block.front() == nullptr || !block.front()->is_phi() || facts.loops.IsHeader(block)) return {};
  std::vector<EqualPhi> phis;
  for (MachineInstr& phi : block) {
    if (!phi.is_phi()) break;
    EqualPhi candidate{.phi = &phi, .leaves = {}};
    const auto incomings = PhiIncomings(phi);
    bool is_same = incomings.size() >= 2;
    for (unsigned i = 1; is_same && i < incomings.size(); ++i) {
      const MachineOperand& first = incomings[0].value();
      const MachineOperand& operand = incomings[i].value();
      is_same = first.reads_reg() && operand.reads_reg() &&
                IsSame(facts, first.reg(), operand.reg(), block, 0, candidate.leaves);
    }
    if (!is_same || facts.reg_info.NonDebugUses(phi.operand(0).reg()).empty()) continue;
    double frequency = 0;
    for (const PhiIncoming incoming : incomings) {
      const MachineInstr* const def = facts.reg_info.UniqueDef(incoming.reg());
      frequency += static_cast<double>(facts.frequencies.Frequency(*def->parent()));
    }
    if (!facts.frequencies.IsMoreOften(block, frequency)) phis.push_back(std::move(candidate));
  }
  return phis;
}

// Returns the units of the registers that would additionally have to be live into the block as operands of the
// computations that replace the PHIs.
uint32_t UnitsOfLeaves(const Facts& facts, const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) {
  uint32_t units = 0;
  absl::flat_hash_set<Register> leaves;
  for (const EqualPhi& phi : phis) {
    for (const Register leaf : phi.leaves) {
      if (!facts.pressure.IsLiveIn(block, leaf) && !IsCostless(facts.reg_info, leaf) && leaves.insert(leaf).second)
        units += PressureUnitsOf(facts.function, leaf);
    }
  }
  return units;
}

// Returns true if replacing the PHIs saves registers on the paths to their block, which is in a loop.
bool SavesRegistersWithin(const Facts& facts, const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) {
  uint32_t saved = 0;
  for (const EqualPhi& phi : phis) {
    const Register result = phi.phi->operand(0).reg();
    if (!IsCostless(facts.reg_info, result)) saved += PressureUnitsOf(facts.function, result);
  }
  return saved > UnitsOfLeaves(facts, phis, block);
}

// Returns true if replacing the PHIs saves registers through a loop that does not contain them.
bool SavesRegistersThrough(const Facts& facts, CycleId loop, const std::vector<EqualPhi>& phis) {
  uint32_t saved = 0;
  absl::flat_hash_set<Register> results;
  for (const EqualPhi& phi : phis) {
    for (unsigned i = 1; i + 1 < phi.phi->num_operands(); i += 2) {
      const Register source = phi.phi->operand(i).reg();
      if (!facts.LivesThrough(loop, source) || IsCostless(facts.reg_info, source) || !results.insert(source).second)
        continue;
      const bool has_other_use =
          std::any_of(facts.reg_info.NonDebugUses(source).begin(), facts.reg_info.NonDebugUses(source).end(),
                      [&](const MachineOperand& use) {
                        const MachineInstr& user = *use.parent();
                        const bool is_replaced = std::any_of(phis.begin(), phis.end(),
                                                             [&](const EqualPhi& other) { return other.phi == &user; });
                        return !is_replaced && user.parent() != facts.reg_info.UniqueDef(source)->parent();
                      });
      if (!has_other_use) saved += PressureUnitsOf(facts.function, source);
    }
  }
  return saved > UnitsOfLeaves(facts, phis, *facts.loops.Header(loop));
}

bool SavesRegisters(const Facts& facts, const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) {
  const auto is_around = [&](CycleId loop) { return facts.loops.Contains(loop, block); };
  if (std::any_of(facts.hot_loops.begin(), facts.hot_loops.end(), is_around) &&
      SavesRegistersWithin(facts, phis, block))
    return true;
  return std::any_of(facts.hot_loops.begin(), facts.hot_loops.end(),
                     [&](CycleId loop) { return !is_around(loop) && SavesRegistersThrough(facts, loop, phis); });
}

// Places each computation before the first use of its PHI in the block. Returns the replacements in the order of these
// places.
std::vector<Replacement> PlanReplacements(const Facts& facts, const std::vector<EqualPhi>& phis,
                                          MachineBasicBlock& block) {
  absl::flat_hash_map<const MachineInstr*, uint32_t> order;
  uint32_t number = 0;
  for (const MachineInstr& instr : block) order.emplace(&instr, ++number);
  std::vector<Replacement> plan;
  for (const EqualPhi& phi : phis) {
    Replacement replacement{.phi = phi.phi, .place = nullptr, .order = ~uint32_t{0}};
    for (MachineOperand& use : facts.function.reg_info().NonDebugUses(phi.phi->operand(0).reg())) {
      MachineInstr* user = use.parent();
      const bool is_here = user->parent() == &block && !user->is_phi();
      MachineInstr* place = is_here ? user : block.FirstTerminator();
      const uint32_t at = place == nullptr ? number + 1 : order.at(place);
      if (at >= replacement.order) continue;
      replacement.order = at;
      replacement.place = place;
    }
    plan.push_back(replacement);
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const Replacement& a, const Replacement& b) { return a.order < b.order; });
  return plan;
}

// Replaces PHIs by computations.
class PhiReplacer {
 public:
  PhiReplacer(const Facts& facts, MachineRegisterPressure& pressure, SinkEditor& editor)
      : facts_(facts),
        reg_info_(facts.function.reg_info()),
        pressure_(pressure),
        editor_(editor),
        unused_(facts.function) {}

  // Carries out the plan for a block.
  void Replace(const std::vector<Replacement>& plan, MachineBasicBlock& block) {
    repeated_.clear();
    for (const Replacement& replacement : plan) {
      MachineInstr& phi = *replacement.phi;
      const Register result = phi.operand(0).reg();
      const Register value = Repeat(phi.operand(1).reg(), phi.operand(3).reg(), block, replacement.place);
      for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) unused_.Add(phi.operand(i).reg());
      DropDebugUses(reg_info_, result);
      pressure_.WillErase(phi);
      phi.EraseFromParent();
      pressure_.WillReplaceRegister(result, value);
      reg_info_.ReplaceRegister(result, value);
      editor_.DidExtend(value);
      ++num_replaced_;
    }
  }

  // Erases the computations that only the PHIs used.
  void EraseUnused() { unused_.Erase(); }

  uint64_t num_replaced() const { return num_replaced_; }

 private:
  // Recomputes the value of `reg`, which is also that of `other`.
  Register Repeat(Register reg, Register other, MachineBasicBlock& block, MachineInstr* before) {
    const MachineInstr* def = reg_info_.UniqueDef(reg);
    if (reg == other && IsAvailable(facts_, *def, block)) return reg;
    if (const auto it = repeated_.find(reg); it != repeated_.end()) return it->second;
    const MachineInstr* other_def = reg_info_.UniqueDef(other);
    MachineInstr* copy = facts_.function.CloneInstr(*def);
    // A promise that only one of the two makes need not hold.
    copy->set_flags(def->flags() & other_def->flags());
    copy->set_debug_loc(MachineInstr::kNoDebugLoc);
    for (unsigned i = 1; i < copy->num_operands(); ++i) {
      MachineOperand& operand = copy->operand(i);
      if (!operand.reads_reg()) continue;
      const Register source = Repeat(operand.reg(), other_def->operand(i).reg(), block, before);
      operand.SetReg(source);
      operand.set_reg_flag(MachineOperand::kKill, false);
      editor_.DidExtend(source);
    }
    const Register result = reg_info_.CreateVirtualRegister(reg_info_.reg_class(reg));
    copy->operand(0).SetReg(result);
    block.Insert(before, copy);
    pressure_.DidInsert(*copy);
    repeated_.emplace(reg, result);
    return result;
  }

  const Facts& facts_;
  MachineRegisterInfo& reg_info_;
  MachineRegisterPressure& pressure_;
  SinkEditor& editor_;
  UnusedInstrs unused_;
  absl::flat_hash_map<Register, Register> repeated_;  // in the current block
  uint64_t num_replaced_ = 0;
};

}  // namespace

PassResult RunPressureSink(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  const auto& loops = context.analyses.Get<MachineLoops>();
  if (loops.num_cycles() == 0) return {.changed = false};
  const auto& dominators = context.analyses.Get<MachineDominatorTree>();
  auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  std::vector<CycleId> hot_loops =
      FindHotLoops(loops, pressure, static_cast<uint32_t>(context.knobs.pressure_sink_min_pressure()));
  if (hot_loops.empty()) return {.changed = false};
  const Facts facts{.function = function,
                    .reg_info = function.reg_info(),
                    .loops = loops,
                    .dominators = dominators,
                    .frequencies = context.analyses.Get<MachineBlockFrequencies>(),
                    .pressure = pressure,
                    .hot_loops = std::move(hot_loops)};
  SinkPastLoops policy(facts);
  SinkEditor editor(function, &pressure);
  PhiReplacer replacer(facts, pressure, editor);
  // Later blocks come first: a sunk computation may make its operands sinkable.
  for (MachineBasicBlock* block = function.back(); block != nullptr; block = block->previous()) {
    const std::vector<EqualPhi> phis = FindEqualPhis(facts, *block);
    if (!phis.empty() && SavesRegisters(facts, phis, *block)) {
      replacer.Replace(PlanReplacements(facts, phis, *block), *block);
    }
    SinkFrom(*block, policy, editor);
  }
  const uint64_t num_sunk = editor.num_changes(), num_phis = replacer.num_replaced();
  context.AddStatistic("computations sunk", num_sunk);
  context.AddStatistic("PHIs of equal computations replaced", num_phis);
  if (num_sunk + num_phis == 0) return {.changed = false, .preserved = PreservedAnalyses::ControlFlow()};
  editor.Finish();
  replacer.EraseUnused();
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "Sunk", function)
           << RemarkArg("NumSunk", num_sunk) << " computations sunk past loops, " << RemarkArg("NumPhis", num_phis)
           << " PHIs of equal computations replaced";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
