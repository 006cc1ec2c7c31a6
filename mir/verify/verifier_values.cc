// SPDX-License-Identifier: Apache-2.0

// Verifier: checks the definitions and uses of virtual registers.
//
// A walk over the code tracks for each register what the current block has done with it (defined, killed, defined
// dead). If a register has a single definition, dominance decides whether it reaches a use in another block. For
// registers with several definitions or with kill flags, the live range is walked upward from such uses. It must
// not reach the entry, and it must not contain a block that kills the register.

#include <algorithm>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "mir/verify/verifier_checks.h"
#include "mir/verify/verifier_dominance.h"

namespace ptxmir {
namespace {

class ValueChecker {
 public:
  ValueChecker(const MachineFunction& function, VerifierFacts& facts, VerifierReport& report)
      : function_(function),
        facts_(facts),
        values_(facts.values),
        report_(report),
        is_ssa_(function.HasProperty(FunctionProperty::kIsSsa)),
        tracks_liveness_(function.HasProperty(FunctionProperty::kTracksRegLiveness)),
        dominance_(function),
        states_(function.reg_info().num_virtual_registers(), 0),
        marks_(function.block_number_bound()) {}

  void Run();

 private:
  using Value = VerifierFacts::Value;
  // The last action of the current block on a register: states_ holds (stamp << 2 | State).
  enum State : uint32_t { kLive = 1, kKilled = 2, kDead = 3 };

  // A use that a definition in another block must reach: at the beginning of `block` or, for a PHI, at the end of
  // `block`.
  struct Exposure {
    uint32_t value;
    bool at_end;
    const MachineBasicBlock* block;
    const MachineInstr* instr;
    unsigned operand;
  };
  struct Kill {
    uint32_t value;
    const MachineBasicBlock* block;
  };
  // Per block, for the register whose range is being walked.
  struct Mark {
    uint32_t defined = 0;
    uint32_t live_in = 0;
    uint32_t live_out_to_phi = 0;
  };

  void CheckDefinitions();
  void CheckPhis(const MachineBasicBlock& block);
  void CheckPhi(const MachineBasicBlock& block, const MachineInstr& phi);
  void CheckPhiInput(const MachineInstr& phi, unsigned index, const MachineBasicBlock& predecessor);
  void WalkBlock(const MachineBasicBlock& block);
  uint8_t WalkReads(const MachineBasicBlock& block, const MachineInstr& instr);
  void ApplyEffects(absl::Span<const MachineInstr* const> instrs, uint8_t effects);
  void Read(const MachineBasicBlock& block, const MachineInstr& instr, unsigned index);
  // Handles a read of a register that the block has not defined before.
  void ReadFromOutside(const MachineBasicBlock& block, const MachineInstr& instr, unsigned index);
  // Reports each register only once.
  void ReportUse(std::string_view message, const MachineInstr& instr, unsigned index);
  bool NeedsRange(const Value& value) const { return tracks_liveness_ && (value.has_several_defs || value.is_killed); }
  void CheckRanges();
  void WalkRange(uint32_t value, absl::Span<const Exposure> uses, absl::Span<const Kill> kills);

  State StateOf(uint32_t value) const {
    return states_[value] >> 2 == stamp_ ? static_cast<State>(states_[value] & 3) : State{};
  }
  void SetState(uint32_t value, State state) { states_[value] = stamp_ << 2 | state; }

  const MachineFunction& function_;
  const VerifierFacts& facts_;
  std::vector<Value>& values_;
  VerifierReport& report_;
  const bool is_ssa_;
  const bool tracks_liveness_;
  const BlockDominance dominance_;
  std::vector<uint32_t> states_;
  uint32_t stamp_ = 0;
  // The kinds of effects that an instruction has on registers.
  enum Effect : uint8_t { kKills = 1, kDefinesDead = 2, kDefines = 4 };
  // The current bundle and its effects, which happen after all of its reads.
  std::vector<const MachineInstr*> bundle_;
  uint8_t bundle_effects_ = 0;
  std::vector<uint32_t> block_kills_;
  std::vector<Exposure> exposures_;
  std::vector<Kill> kills_;
  std::vector<Mark> marks_;
  uint32_t mark_stamp_ = 0;
  std::vector<const MachineBasicBlock*> worklist_;
  // For PHIs, by block number.
  std::vector<uint32_t> predecessor_stamps_, input_stamps_;
  std::vector<Register> inputs_;
  uint32_t predecessor_stamp_ = 0;
  uint32_t input_stamp_ = 0;
};

void ValueChecker::Run() {
  CheckDefinitions();
  predecessor_stamps_.resize(function_.block_number_bound());
  input_stamps_.resize(function_.block_number_bound());
  inputs_.resize(function_.block_number_bound());
  for (const MachineBasicBlock& block : function_) {
    if (block.front() != nullptr && block.front()->is_phi()) CheckPhis(block);
    WalkBlock(block);
  }
  CheckRanges();
}

void ValueChecker::CheckDefinitions() {
  for (const VerifierFacts::Operand& def : facts_.repeated_defs) {
    if (is_ssa_) report_.Operand("Multiple virtual register defs in SSA form", *def.instr, def.index);
  }
  if (facts_.has_virtual_operands && function_.HasProperty(FunctionProperty::kNoVRegs)) {
    report_.Function("Function has NoVRegs property but there are VReg operands");
  }
}

void ValueChecker::CheckPhis(const MachineBasicBlock& block) {
  ++predecessor_stamp_;
  for (const MachineBasicBlock* predecessor : block.predecessors()) {
    predecessor_stamps_[predecessor->number()] = predecessor_stamp_;
  }
  for (const MachineInstr& instr : block) {
    if (!instr.is_phi()) break;
    CheckPhi(block, instr);
  }
}

void ValueChecker::CheckPhi(const MachineBasicBlock& block, const MachineInstr& phi) {
  if (phi.num_operands() == 0 || !phi.operand(0).is_def()) {
    report_.Instr("Expected first PHI operand to be a register def", phi);
    return;
  }
  if (!phi.operand(0).reg().is_virtual()) {
    report_.Operand("Expected first PHI operand to be a virtual register", phi, 0);
  }
  if (phi.num_operands() % 2 == 0) {
    report_.Instr("PHI inputs are not pairs of register and basic block", phi);
    return;
  }
  ++input_stamp_;
  const bool is_reachable = dominance_.IsReachable(block);
  for (unsigned i = 1; i < phi.num_operands(); i += 2) {
    if (!phi.operand(i).is_reg()) {
      report_.Operand("Expected PHI operand to be a register", phi, i);
      continue;
    }
    if (phi.operand(i).is_implicit() || phi.operand(i).is_def() || phi.operand(i).is_tied()) {
      report_.Operand("Unexpected flag on PHI operand", phi, i);
    }
    if (!phi.operand(i + 1).is_block()) {
      report_.Operand("Expected PHI operand to be a basic block", phi, i + 1);
      continue;
    }
    const MachineBasicBlock* predecessor = function_.block(phi.operand(i + 1).block());
    if (predecessor == nullptr) continue;  // reported with the operand
    if (predecessor_stamps_[predecessor->number()] != predecessor_stamp_) {
      report_.Operand("PHI input is not a predecessor block", phi, i + 1);
      continue;
    }
    // If a predecessor is named twice, both entries must have the same value. (LLVM creates such PHIs for
    // switches.)
    const Register reg = phi.operand(i).reg();
    if (input_stamps_[predecessor->number()] == input_stamp_) {
      if (inputs_[predecessor->number()] != reg) {
        report_.Operand("PHI has different inputs for the same predecessor", phi, i + 1);
      }
      continue;
    }
    input_stamps_[predecessor->number()] = input_stamp_;
    inputs_[predecessor->number()] = reg;
    if (is_reachable) CheckPhiInput(phi, i, *predecessor);
  }
  if (!is_reachable) return;
  for (const MachineBasicBlock* predecessor : block.predecessors()) {
    if (input_stamps_[predecessor->number()] == input_stamp_) continue;
    report_.Instr("Missing PHI operand", phi);
    report_.Note(StrCat("%bb.", predecessor->number(), " is a predecessor according to the CFG."));
  }
}

void ValueChecker::CheckPhiInput(const MachineInstr& phi, unsigned index, const MachineBasicBlock& predecessor) {
  const MachineOperand& operand = phi.operand(index);
  if (!operand.reads_reg() || !operand.reg().is_virtual() || !dominance_.IsReachable(predecessor)) return;
  const uint32_t id = operand.reg().virtual_index();
  const Value& value = values_[id];
  if (!value.has_def) {
    ReportUse("Reading virtual register without a def", phi, index);
    return;
  }
  if (!value.has_several_defs) {
    if (!dominance_.IsReachable(*value.def_block) || !dominance_.Dominates(*value.def_block, predecessor)) {
      ReportUse("PHI operand is not live-out from predecessor", phi, index);
    } else if (value.is_dead) {
      ReportUse("Using a virtual register whose definition is dead", phi, index);
    }
  }
  if (NeedsRange(value)) exposures_.push_back({id, /*at_end=*/true, &predecessor, &phi, index});
}

void ValueChecker::WalkBlock(const MachineBasicBlock& block) {
  ++stamp_;
  block_kills_.clear();
  for (const MachineInstr& instr : block) {
    if (!instr.is_debug()) {
      bundle_.push_back(&instr);
      bundle_effects_ |= WalkReads(block, instr);
    }
    if (instr.has_flag(MachineInstr::kBundledSucc)) continue;
    ApplyEffects(bundle_, bundle_effects_);
    bundle_.clear();
    bundle_effects_ = 0;
  }
  if (!tracks_liveness_) return;
  for (const uint32_t id : block_kills_) {
    if (StateOf(id) != kKilled) continue;
    kills_.push_back({id, &block});
    SetState(id, kLive);  // record each kill once
  }
}

// Processes the reads of an instruction. Returns its effects.
uint8_t ValueChecker::WalkReads(const MachineBasicBlock& block, const MachineInstr& instr) {
  const bool is_phi = instr.is_phi();
  uint8_t effects = 0;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
    if (operand.is_def()) {
      effects |= operand.is_dead() ? kDefinesDead : kDefines;
      continue;
    }
    if (is_phi || operand.is_undef()) continue;
    // An internal read gets its value from an earlier instruction of the bundle.
    if (!operand.is_internal_read()) Read(block, instr, i);
    if (operand.is_kill()) effects |= kKills;
  }
  return effects;
}

// Applies kills first, then dead definitions, then the other definitions.
void ValueChecker::ApplyEffects(absl::Span<const MachineInstr* const> instrs, uint8_t effects) {
  const auto for_each = [&](Effect effect, auto&& matches, State state) {
    if ((effects & effect) == 0) return;
    for (const MachineInstr* instr : instrs) {
      for (const MachineOperand& operand : instr->operands()) {
        if (!operand.is_reg() || !operand.reg().is_virtual() || !matches(*instr, operand)) continue;
        const uint32_t id = operand.reg().virtual_index();
        SetState(id, state);
        if (effect == kKills) block_kills_.push_back(id);
      }
    }
  };
  for_each(
      kKills,
      [](const MachineInstr& instr, const MachineOperand& operand) {
        return operand.is_kill() && operand.reads_reg() && !instr.is_phi();
      },
      kKilled);
  for_each(
      kDefinesDead,
      [](const MachineInstr&, const MachineOperand& operand) { return operand.is_def() && operand.is_dead(); }, kDead);
  for_each(
      kDefines,
      [](const MachineInstr&, const MachineOperand& operand) { return operand.is_def() && !operand.is_dead(); }, kLive);
}

void ValueChecker::Read(const MachineBasicBlock& block, const MachineInstr& instr, unsigned index) {
  const uint32_t id = instr.operand(index).reg().virtual_index();
  switch (StateOf(id)) {
    case kLive:
      return;
    case kKilled:
      if (tracks_liveness_) ReportUse("Using a killed virtual register", instr, index);
      return;
    case kDead:
      if (tracks_liveness_) ReportUse("Using a virtual register whose definition is dead", instr, index);
      return;
    default:
      ReadFromOutside(block, instr, index);
      SetState(id, kLive);
  }
}

void ValueChecker::ReadFromOutside(const MachineBasicBlock& block, const MachineInstr& instr, unsigned index) {
  const uint32_t id = instr.operand(index).reg().virtual_index();
  const Value& value = values_[id];
  if (!value.has_def) {
    ReportUse("Reading virtual register without a def", instr, index);
    return;
  }
  if (!dominance_.IsReachable(block)) return;
  if (!value.has_several_defs && (is_ssa_ || tracks_liveness_)) {
    // A definition in this block would come after the use.
    if (value.def_block == &block || !dominance_.IsReachable(*value.def_block) ||
        !dominance_.Dominates(*value.def_block, block)) {
      ReportUse("Virtual register defs don't dominate all uses.", instr, index);
      return;
    }
    if (value.is_dead && tracks_liveness_) {
      ReportUse("Using a virtual register whose definition is dead", instr, index);
      return;
    }
  }
  if (NeedsRange(value)) exposures_.push_back({id, /*at_end=*/false, &block, &instr, index});
}

void ValueChecker::ReportUse(std::string_view message, const MachineInstr& instr, unsigned index) {
  Value& value = values_[instr.operand(index).reg().virtual_index()];
  if (value.is_reported) return;
  value.is_reported = true;
  report_.Operand(message, instr, index);
}

void ValueChecker::CheckRanges() {
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  std::stable_sort(exposures_.begin(), exposures_.end(), by_value);
  std::stable_sort(kills_.begin(), kills_.end(), by_value);
  size_t next_kill = 0;
  for (size_t i = 0; i < exposures_.size();) {
    const uint32_t value = exposures_[i].value;
    size_t end = i;
    while (end < exposures_.size() && exposures_[end].value == value) ++end;
    while (next_kill < kills_.size() && kills_[next_kill].value < value) ++next_kill;
    size_t kill_end = next_kill;
    while (kill_end < kills_.size() && kills_[kill_end].value == value) ++kill_end;
    WalkRange(value, absl::MakeConstSpan(exposures_).subspan(i, end - i),
              absl::MakeConstSpan(kills_).subspan(next_kill, kill_end - next_kill));
    i = end;
    next_kill = kill_end;
  }
}

void ValueChecker::WalkRange(uint32_t value, absl::Span<const Exposure> uses, absl::Span<const Kill> kills) {
  // With a single definition, dominance has decided everything except kills.
  if (kills.empty() && !values_[value].has_several_defs) return;
  const uint32_t stamp = ++mark_stamp_;
  const Register reg = Register::Virtual(value);
  for (MachineOperand& def : function_.reg_info().Defs(reg)) {
    // A definition in an instruction without a block has no effect.
    if (const MachineBasicBlock* block = def.parent()->parent()) marks_[block->number()].defined = stamp;
  }
  const auto reach = [&](const MachineBasicBlock* block) {
    Mark& mark = marks_[block->number()];
    if (mark.live_in == stamp) return;
    mark.live_in = stamp;
    worklist_.push_back(block);
  };
  const MachineBasicBlock* entry = function_.front();
  for (const Exposure& use : uses) {
    if (use.at_end) {
      marks_[use.block->number()].live_out_to_phi = stamp;
      if (marks_[use.block->number()].defined != stamp) reach(use.block);
    } else {
      reach(use.block);
    }
    while (!worklist_.empty()) {
      const MachineBasicBlock* block = worklist_.back();
      worklist_.pop_back();
      if (block == entry) ReportUse("Virtual register defs don't dominate all uses.", *use.instr, use.operand);
      for (const MachineBasicBlock* predecessor : block->predecessors()) {
        if (marks_[predecessor->number()].defined != stamp && dominance_.IsReachable(*predecessor)) {
          reach(predecessor);
        }
      }
    }
  }
  for (const Kill& kill : kills) {
    bool is_live_out = marks_[kill.block->number()].live_out_to_phi == stamp;
    for (const MachineBasicBlock* successor : kill.block->successors()) {
      is_live_out |= marks_[successor->number()].live_in == stamp;
    }
    if (!is_live_out) continue;
    report_.Block("Virtual register killed in block, but needed live out.", *kill.block);
    report_.Note(StrCat("Virtual register ", VerifierRegisterName(function_, reg), " is used after the block."));
  }
}

}  // namespace

void CheckValues(const MachineFunction& function, VerifierFacts& facts, VerifierReport& report) {
  if (!function.empty()) ValueChecker(function, facts, report).Run();
}

}  // namespace ptxmir
