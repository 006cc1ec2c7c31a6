// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/pressure_sink.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "mir/code/operand_ranges.h"
#include "passes/motion/sinking.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

class PressureSinker {
 public:
  PressureSinker(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        loops_(context.analyses.Get<MachineLoops>()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        unused_(function) {}

  bool Run();

 private:
  // A PHI of equal computations, with their operands.
  struct EqualPhi {
    MachineInstr* phi;
    MachineInstr* place;  // the computation is placed before it; null: at the top of the block
    uint32_t order;       // the position of `place` in the block
    std::vector<Register> leaves;
  };

  void FindHotLoops();
  bool LivesThrough(CycleId loop, Register reg) const;

  void SinkFrom(MachineBasicBlock& block);
  bool SavesRegisters(const MachineInstr& instr, const MachineBasicBlock& target) const;
  void Sink(MachineInstr& instr, MachineBasicBlock& target);

  void ReplacePhisOf(MachineBasicBlock& block);
  bool IsSame(Register a, Register b, const MachineBasicBlock& block, int depth, std::vector<Register>& leaves) const;
  uint32_t UnitsOfLeaves(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const;
  bool SavesRegistersWithin(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const;
  bool SavesRegistersThrough(CycleId loop, const std::vector<EqualPhi>& phis) const;
  bool SavesRegisters(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const;
  void FindPlaces(MachineBasicBlock& block, std::vector<EqualPhi>& phis) const;
  Register Repeat(Register reg, Register other, MachineBasicBlock& block, MachineInstr* before);

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const MachineLoops& loops_;
  const MachineDominatorTree& dominators_;
  MachineRegisterPressure& pressure_;
  const MachineBlockFrequencies* frequencies_ = nullptr;
  UnusedInstrs unused_;
  std::vector<Register> extended_;                    // registers that are read at a new place
  std::vector<CycleId> hot_;                          // the loops with the highest pressure
  absl::flat_hash_map<Register, Register> repeated_;  // in the current block
  uint64_t num_sunk_ = 0;
  uint64_t num_phis_ = 0;
};

void PressureSinker::FindHotLoops() {
  constexpr size_t kMaxLoops = 8;
  const auto least = static_cast<uint32_t>(context_.knobs.pressure_sink_min_pressure());
  std::vector<std::pair<uint32_t, CycleId>> found;
  for (CycleId loop = 0; loop < loops_.num_cycles(); ++loop) {
    uint32_t peak = 0;
    for (const MachineBasicBlock* block : loops_.Blocks(loop)) {
      if (loops_.InnermostCycle(*block) == loop) peak = std::max(peak, pressure_.Block(*block).peak.units);
    }
    if (peak >= least) found.emplace_back(peak, loop);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > kMaxLoops) found.resize(kMaxLoops);
  for (const auto& [peak, loop] : found) hot_.push_back(loop);
}

bool PressureSinker::LivesThrough(CycleId loop, Register reg) const {
  const MachineBasicBlock& header = *loops_.Header(loop);
  return pressure_.IsLiveIn(header, reg);
}

// ---- Sinking past loops

bool PressureSinker::SavesRegisters(const MachineInstr& instr, const MachineBasicBlock& target) const {
  const Register result = instr.operand(0).reg();
  if (IsCostless(reg_info_, result)) return false;
  for (const CycleId loop : hot_) {
    if (loops_.Contains(loop, *instr.parent()) || loops_.Contains(loop, target) || !LivesThrough(loop, result))
      continue;
    if (UnitsOfOperands(instr, *loops_.Header(loop), pressure_) < PressureUnitsOf(function_, result)) return true;
  }
  return false;
}

void PressureSinker::Sink(MachineInstr& instr, MachineBasicBlock& target) {
  pressure_.WillErase(instr);
  SinkInto(instr, target, SinkPlace(instr, target), extended_);
  pressure_.DidInsert(instr);
  ++num_sunk_;
}

void PressureSinker::SinkFrom(MachineBasicBlock& block) {
  for (MachineInstr* instr = block.back(); instr != nullptr;) {
    MachineInstr* const candidate = instr;
    instr = instr->previous();
    if (!IsPlainComputation(*candidate) || candidate->num_explicit_defs() != 1) continue;
    MachineBasicBlock* target = FurthestSinkTarget(*candidate, loops_, dominators_);
    if (target == nullptr || frequencies_->IsMoreOften(*target, block) || !SavesRegisters(*candidate, *target))
      continue;
    Sink(*candidate, *target);
  }
}

// ---- PHIs of equal computations

// Returns true if two registers provably hold the same value, because they are computed in the same way from
// values that are available in the block. Appends these values to `leaves`.
bool PressureSinker::IsSame(Register a, Register b, const MachineBasicBlock& block, int depth,
                            std::vector<Register>& leaves) const {
  constexpr int kMaxDepth = 4;
  if (!a.is_virtual() || !b.is_virtual()) return false;
  const MachineInstr* x = reg_info_.UniqueDef(a);
  const MachineInstr* y = reg_info_.UniqueDef(b);
  if (x == nullptr || y == nullptr) return false;
  if (a == b && x->parent() != &block && dominators_.Dominates(*x->parent(), block)) {
    leaves.push_back(a);
    return true;
  }
  if (depth == kMaxDepth || x->opcode() != y->opcode() || x->num_operands() != y->num_operands()) return false;
  if (!IsPlainComputation(*x) || x->num_explicit_defs() != 1 || x->operand(0).reg() != a) return false;
  for (unsigned i = 1; i < x->num_operands(); ++i) {
    const MachineOperand& p = x->operand(i);
    const MachineOperand& q = y->operand(i);
    if (p.is_reg() && q.is_reg() && p.reads_reg() && q.reads_reg()) {
      if (!IsSame(p.reg(), q.reg(), block, depth + 1, leaves)) return false;
    } else if (p.is_reg() || !p.IsIdenticalTo(q)) {
      return false;
    }
  }
  return true;
}

// Returns the units of the registers that would additionally have to be live into the block as operands of the
// computations that replace the PHIs.
uint32_t PressureSinker::UnitsOfLeaves(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const {
  uint32_t units = 0;
  absl::flat_hash_set<Register> leaves;
  for (const EqualPhi& phi : phis) {
    for (const Register leaf : phi.leaves) {
      if (!pressure_.IsLiveIn(block, leaf) && !IsCostless(reg_info_, leaf) && leaves.insert(leaf).second)
        units += PressureUnitsOf(function_, leaf);
    }
  }
  return units;
}

// Returns true if replacing the PHIs saves registers on the paths to their block, which is in a loop.
bool PressureSinker::SavesRegistersWithin(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const {
  uint32_t saved = 0;
  for (const EqualPhi& phi : phis) {
    const Register result = phi.phi->operand(0).reg();
    if (!IsCostless(reg_info_, result)) saved += PressureUnitsOf(function_, result);
  }
  return saved > UnitsOfLeaves(phis, block);
}

// Returns true if replacing the PHIs saves registers through a loop that does not contain them.
bool PressureSinker::SavesRegistersThrough(CycleId loop, const std::vector<EqualPhi>& phis) const {
  uint32_t saved = 0;
  absl::flat_hash_set<Register> results;
  for (const EqualPhi& phi : phis) {
    for (const PhiIncoming incoming : PhiIncomings(*phi.phi)) {
      const Register source = incoming.reg();
      if (!LivesThrough(loop, source) || IsCostless(reg_info_, source) || !results.insert(source).second) continue;
      const bool has_other_use = std::any_of(
          reg_info_.NonDebugUses(source).begin(), reg_info_.NonDebugUses(source).end(), [&](const MachineOperand& use) {
            const MachineInstr& user = *use.parent();
            const bool is_replaced =
                std::any_of(phis.begin(), phis.end(), [&](const EqualPhi& other) { return other.phi == &user; });
            return !is_replaced && user.parent() != reg_info_.UniqueDef(source)->parent();
          });
      if (!has_other_use) saved += PressureUnitsOf(function_, source);
    }
  }
  return saved > UnitsOfLeaves(phis, *loops_.Header(loop));
}

bool PressureSinker::SavesRegisters(const std::vector<EqualPhi>& phis, const MachineBasicBlock& block) const {
  const auto is_around = [&](CycleId loop) { return loops_.Contains(loop, block); };
  if (std::any_of(hot_.begin(), hot_.end(), is_around) && SavesRegistersWithin(phis, block)) return true;
  return std::any_of(hot_.begin(), hot_.end(),
                     [&](CycleId loop) { return !is_around(loop) && SavesRegistersThrough(loop, phis); });
}

// Places each computation before its first use in the block, and sorts the PHIs in the order of these places.
void PressureSinker::FindPlaces(MachineBasicBlock& block, std::vector<EqualPhi>& phis) const {
  absl::flat_hash_map<const MachineInstr*, uint32_t> order;
  uint32_t number = 0;
  for (const MachineInstr& instr : block) order.emplace(&instr, ++number);
  for (EqualPhi& phi : phis) {
    phi.order = ~uint32_t{0};
    for (MachineOperand& use : reg_info_.NonDebugUses(phi.phi->operand(0).reg())) {
      MachineInstr* user = use.parent();
      const bool is_here = user->parent() == &block && !user->is_phi();
      MachineInstr* place = is_here ? user : block.FirstTerminator();
      const uint32_t at = place == nullptr ? number + 1 : order.at(place);
      if (at >= phi.order) continue;
      phi.order = at;
      phi.place = place;
    }
  }
  std::stable_sort(phis.begin(), phis.end(), [](const EqualPhi& a, const EqualPhi& b) { return a.order < b.order; });
}

// Recomputes the value of `reg`, which is also that of `other`.
Register PressureSinker::Repeat(Register reg, Register other, MachineBasicBlock& block, MachineInstr* before) {
  const MachineInstr* def = reg_info_.UniqueDef(reg);
  if (reg == other && def->parent() != &block && dominators_.Dominates(*def->parent(), block)) return reg;
  if (const auto it = repeated_.find(reg); it != repeated_.end()) return it->second;
  const MachineInstr* other_def = reg_info_.UniqueDef(other);
  MachineInstr* copy = function_.CloneInstr(*def);
  // A promise that only one of the two makes need not hold.
  copy->set_flags(def->flags() & other_def->flags());
  copy->set_debug_loc(MachineInstr::kNoDebugLoc);
  for (unsigned i = 1; i < copy->num_operands(); ++i) {
    MachineOperand& operand = copy->operand(i);
    if (!operand.reads_reg()) continue;
    const Register source = Repeat(operand.reg(), other_def->operand(i).reg(), block, before);
    operand.SetReg(source);
    operand.set_reg_flag(MachineOperand::kKill, false);
    extended_.push_back(source);
  }
  const Register result = reg_info_.CreateVirtualRegister(reg_info_.reg_class(reg));
  copy->operand(0).SetReg(result);
  block.Insert(before, copy);
  pressure_.DidInsert(*copy);
  repeated_.emplace(reg, result);
  return result;
}

void PressureSinker::ReplacePhisOf(MachineBasicBlock& block) {
  if (block.front() == nullptr || !block.front()->is_phi() || loops_.IsHeader(block)) return;
  std::vector<EqualPhi> phis;
  for (MachineInstr& phi : block) {
    if (!phi.is_phi()) break;
    EqualPhi candidate{.phi = &phi, .place = nullptr, .order = 0, .leaves = {}};
    const auto incomings = PhiIncomings(phi);
    bool is_same = incomings.size() >= 2;
    for (size_t i = 1; is_same && i < incomings.size(); ++i) {
      const MachineOperand& first = incomings[0].value();
      const MachineOperand& other = incomings[i].value();
      is_same = first.reads_reg() && other.reads_reg() && IsSame(first.reg(), other.reg(), block, 0, candidate.leaves);
    }
    if (!is_same || reg_info_.NonDebugUses(phi.operand(0).reg()).empty()) continue;
    double frequency = 0;
    for (const PhiIncoming incoming : incomings) {
      const MachineInstr* const def = reg_info_.UniqueDef(incoming.reg());
      frequency += static_cast<double>(frequencies_->Frequency(*def->parent()));
    }
    if (!frequencies_->IsMoreOften(block, frequency)) phis.push_back(std::move(candidate));
  }
  if (phis.empty() || !SavesRegisters(phis, block)) return;
  FindPlaces(block, phis);
  repeated_.clear();
  for (const EqualPhi& phi : phis) {
    const Register result = phi.phi->operand(0).reg();
    const auto incomings = PhiIncomings(*phi.phi);
    const Register value = Repeat(incomings[0].reg(), incomings[1].reg(), block, phi.place);
    for (const PhiIncoming incoming : incomings) unused_.Add(incoming.reg());
    DropDebugUses(reg_info_, result);
    pressure_.WillErase(*phi.phi);
    phi.phi->EraseFromParent();
    pressure_.WillReplaceRegister(result, value);
    reg_info_.ReplaceRegister(result, value);
    extended_.push_back(value);
    ++num_phis_;
  }
}

bool PressureSinker::Run() {
  FindHotLoops();
  if (hot_.empty()) return false;
  frequencies_ = &context_.analyses.Get<MachineBlockFrequencies>();
  // Later blocks come first: a sunk computation may make its operands sinkable.
  for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
    ReplacePhisOf(*block);
    SinkFrom(*block);
  }
  context_.AddStatistic("computations sunk", num_sunk_);
  context_.AddStatistic("PHIs of equal computations replaced", num_phis_);
  if (num_sunk_ + num_phis_ == 0) return false;
  ClearKillFlags(reg_info_, std::move(extended_));
  unused_.Erase();
  context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Sunk", function_)
           << RemarkArg("NumSunk", num_sunk_) << " computations sunk past loops, " << RemarkArg("NumPhis", num_phis_)
           << " PHIs of equal computations replaced";
  });
  return true;
}

}  // namespace

PassResult RunPressureSink(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  if (context.analyses.Get<MachineLoops>().num_cycles() == 0) return {.changed = false};
  const bool changed = PressureSinker(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
