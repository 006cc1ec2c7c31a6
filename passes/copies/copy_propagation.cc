// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/copy_propagation.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "mir/code/operand_ranges.h"
#include "passes/copies/register_moves.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

// Returns true if the operand can name another register instead.
bool CanRename(const MachineOperand& operand) {
  return !operand.is_tied() && !operand.is_implicit() && !operand.is_internal_read() &&
         (operand.is_debug() || !operand.parent()->is_inline_asm());
}

// Edits of both directions, and the flags and debug instructions to correct at the end.
class CopyEditor {
 public:
  explicit CopyEditor(MachineFunction& function)
      : reg_info_(function.reg_info()),
        has_debug_(function.MayContain(generic::kDbgValue) || function.MayContain(generic::kDbgValueList)) {}

  // Erases a copy. Debug instructions may name its result although nothing reads it.
  void Erase(MachineInstr& copy) {
    if (has_debug_) lost_.push_back(copy.operand(0).reg());
    copy.EraseFromParent();
  }
  // Notes that a register is read later than its flags say.
  void DidExtend(Register reg) { extended_.push_back(reg); }
  // Notes that a register has lost a definition, for debug instructions.
  void DidLoseDef(Register reg) {
    if (has_debug_) lost_.push_back(reg);
  }

  void Finish() {
    SortOut(extended_);
    for (const Register reg : extended_) {
      reg_info_.ClearKillFlags(reg);
      for (MachineOperand& def : reg_info_.Defs(reg)) def.set_reg_flag(MachineOperand::kDead, false);
    }
    SortOut(lost_);
    // Debug uses that were renamed with their copy name another register already.
    for (const Register reg : lost_) DropDebugUses(reg_info_, reg);
  }

 private:
  static void SortOut(std::vector<Register>& registers) {
    std::sort(registers.begin(), registers.end());
    registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
  }

  MachineRegisterInfo& reg_info_;
  const bool has_debug_;
  std::vector<Register> extended_;
  std::vector<Register> lost_;
};

// A list of operands. Lists of all copies share one array.
class OperandLists {
 public:
  struct Entry {
    MachineOperand* operand;
    bool is_undefined;  // no register has the value that a debug instruction would show
    uint32_t next;
  };

  void Clear() { entries_.clear(); }
  void Add(MachineOperand& operand, bool is_undefined, uint32_t& head) {
    entries_.push_back({&operand, is_undefined, head});
    head = static_cast<uint32_t>(entries_.size() - 1);
  }
  // Makes all operands of the list name the register.
  void Rename(uint32_t head, Register reg) const {
    for (; head != kNone; head = entries_[head].next) {
      entries_[head].operand->SetReg(entries_[head].is_undefined ? Register() : reg);
    }
  }

 private:
  std::vector<Entry> entries_;
};

// Walks up the blocks: computes values where they are copied to, and erases copies that are never read.
class BackwardPropagation {
 public:
  BackwardPropagation(MachineFunction& function, const LiveVariables& liveness, CopyEditor& editor)
      : liveness_(liveness),
        editor_(editor),
        live_in_(function.reg_info().num_virtual_registers()),
        of_source_(function.reg_info().num_virtual_registers(), kNone),
        of_result_(function.reg_info().num_virtual_registers(), kNone) {}

  void Visit(MachineBasicBlock& block) {
    ++walk_;
    for (const Register reg : liveness_.LiveOut(block)) live_in_[reg.virtual_index()] = walk_;
    for (MachineInstr *instr = block.back(), *previous; instr != nullptr; instr = previous) {
      previous = instr->previous();
      Visit(*instr);
    }
    for (uint32_t i = 0; i < candidates_.size(); ++i) Drop(i);
    candidates_.clear();
    lists_.Clear();
  }

  uint64_t num_propagated() const { return num_propagated_; }
  uint64_t num_dead() const { return num_dead_; }

 private:
  // A copy whose source is not read behind it.
  struct Candidate {
    MachineInstr* copy;
    Register result;
    Register source;
    uint32_t list;  // the operands between that name the source, or, in debug instructions, the result
  };

  bool IsLive(Register reg) const { return live_in_[reg.virtual_index()] == walk_; }
  void SetLive(Register reg, bool is_live) { live_in_[reg.virtual_index()] = is_live ? walk_ : 0; }

  void Visit(MachineInstr& instr) {
    if (IsRegisterMove(instr) && !IsLive(instr.operand(0).reg())) {
      // Nothing reads what the copy makes of the register, so no candidate is about it.
      Drop(of_result_[instr.operand(0).reg().virtual_index()]);
      editor_.Erase(instr);
      ++num_dead_;
      return;
    }
    for (MachineOperand& def : VirtualDefs(instr)) VisitDef(instr, def);
    const MachineOperand* source = nullptr;  // of a new candidate
    if (IsRegisterMove(instr) && instr.operand(0).reg() != instr.operand(1).reg() && !IsLive(instr.operand(1).reg())) {
      source = &instr.operand(1);
      Drop(of_source_[source->reg().virtual_index()]);
    }
    if (!instr.is_phi()) {
      for (MachineOperand& use : VirtualUses(instr)) VisitUse(use, source);
    }
    if (source != nullptr) AddCandidate(instr);
  }

  void VisitDef(MachineInstr& instr, MachineOperand& def) {
    const Register reg = def.reg();
    SetLive(reg, false);
    Drop(of_result_[reg.virtual_index()]);
    const uint32_t number = of_source_[reg.virtual_index()];
    if (number == kNone) return;
    const Candidate& candidate = candidates_[number];
    if (IsOnlyDefOf(instr, def, candidate.result)) {
      lists_.Rename(candidate.list, candidate.result);
      def.SetReg(candidate.result);
      editor_.DidLoseDef(reg);
      editor_.DidExtend(candidate.result);
      candidate.copy->EraseFromParent();
      SetLive(candidate.result, false);
      ++num_propagated_;
    }
    Drop(number);
  }

  // Returns true if the operand may name `result` instead, which the instruction does not define yet.
  static bool IsOnlyDefOf(const MachineInstr& instr, const MachineOperand& def, Register result) {
    if (!CanRename(def) || def.is_early_clobber() || instr.is_phi() || instr.is_inline_asm() ||
        instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) {
      return false;
    }
    return std::none_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& other) {
      return other.is_def() && (other.reg() == result || (&other != &def && other.reg() == def.reg()));
    });
  }

  void VisitUse(MachineOperand& use, const MachineOperand* candidate_source) {
    const Register reg = use.reg();
    if (const uint32_t number = of_result_[reg.virtual_index()]; number != kNone) {
      if (use.is_debug()) {
        lists_.Add(use, /*is_undefined=*/true, candidates_[number].list);
      } else {
        Drop(number);
      }
    }
    if (const uint32_t number = of_source_[reg.virtual_index()]; number != kNone) {
      if (CanRename(use)) {
        lists_.Add(use, /*is_undefined=*/false, candidates_[number].list);
      } else {
        Drop(number);
      }
    }
    if (use.reads_reg() && !use.is_debug() && &use != candidate_source) SetLive(reg, true);
  }

  void AddCandidate(MachineInstr& copy) {
    const Register result = copy.operand(0).reg(), source = copy.operand(1).reg();
    SetLive(source, true);
    Drop(of_result_[result.virtual_index()]);
    of_result_[result.virtual_index()] = of_source_[source.virtual_index()] = static_cast<uint32_t>(candidates_.size());
    candidates_.push_back({&copy, result, source, kNone});
  }

  void Drop(uint32_t number) {
    if (number == kNone) return;
    const Candidate& candidate = candidates_[number];
    uint32_t& of_source = of_source_[candidate.source.virtual_index()];
    uint32_t& of_result = of_result_[candidate.result.virtual_index()];
    if (of_source == number) of_source = kNone;
    if (of_result == number) of_result = kNone;
  }

  const LiveVariables& liveness_;
  CopyEditor& editor_;
  // Indexed by virtual register: the last walk in which it was live at the current place, and the candidates.
  std::vector<uint32_t> live_in_, of_source_, of_result_;
  uint32_t walk_ = 0;
  std::vector<Candidate> candidates_;
  OperandLists lists_;
  uint64_t num_propagated_ = 0;
  uint64_t num_dead_ = 0;
};

// Walks down the blocks: erases copies between equal registers, and copies whose source can be read instead.
class ForwardPropagation {
 public:
  ForwardPropagation(MachineFunction& function, const LiveVariables& liveness, CopyEditor& editor)
      : liveness_(liveness), editor_(editor), registers_(function.reg_info().num_virtual_registers()) {}

  void Visit(MachineBasicBlock& block) {
    const bool continues = block.predecessors().size() == 1 && block.predecessors()[0] == block.previous();
    if (!continues) first_value_ = next_value_;
    for (MachineInstr *instr = block.front(), *next; instr != nullptr; instr = next) {
      next = instr->next();
      Visit(*instr);
    }
    for (const Copy& copy : copies_) {
      if (registers_[copy.result.virtual_index()].copy == kNone) continue;
      const bool is_read_later = liveness_.IsLiveOut(copy.result, block);
      if (!is_read_later) {
        registers_[copy.result.virtual_index()].value = next_value_++;
        EndCopy(copy.result);
      } else {
        registers_[copy.result.virtual_index()].copy = kNone;
      }
    }
    copies_.clear();
    lists_.Clear();
  }

  uint64_t num_propagated() const { return num_propagated_; }
  uint64_t num_repeated() const { return num_repeated_; }
  uint64_t num_blocked() const { return num_blocked_; }
  uint64_t num_looked_through() const { return num_looked_through_; }

 private:
  // A copy whose result has not been written since.
  struct Copy {
    MachineInstr* instr;
    Register result;
    Register source;
    uint32_t source_writes;  // num_writes of the source
    bool is_blocked;         // something reads the result that cannot read the source
    uint32_t list;           // the operands that name the result
  };
  // The knowledge about a register at the current place.
  struct State {
    uint64_t value = 0;     // registers with the same value hold the same; nothing is known below first_value_
    uint32_t copy = kNone;  // the copy that wrote it
    uint32_t num_writes = 0;
  };

  State& Of(Register reg) { return registers_[reg.virtual_index()]; }

  uint64_t ValueOf(Register reg) {
    State& state = Of(reg);
    if (state.value < first_value_) state.value = next_value_++;
    return state.value;
  }

  // Returns true if the source of the copy still holds what was copied.
  bool HoldsSource(const Copy& copy) { return Of(copy.source).num_writes == copy.source_writes; }

  void Visit(MachineInstr& instr) {
    const bool is_move = IsRegisterMove(instr);
    if (is_move) {
      if (LookThrough(instr.operand(1)); ValueOf(instr.operand(0).reg()) == ValueOf(instr.operand(1).reg())) {
        editor_.DidExtend(instr.operand(0).reg());
        editor_.DidExtend(instr.operand(1).reg());
        instr.EraseFromParent();
        ++num_repeated_;
        return;
      }
    }
    if (!instr.is_phi()) {
      for (MachineOperand& use : VirtualUses(instr)) VisitUse(use);
    }
    const uint64_t source_value = is_move ? ValueOf(instr.operand(1).reg()) : 0;
    for (const MachineOperand& def : VirtualDefs(instr)) {
      EndCopy(def.reg());
      State& state = Of(def.reg());
      state.value = next_value_++;
      ++state.num_writes;
    }
    if (!is_move) return;
    const Register result = instr.operand(0).reg();
    State& state = Of(result);
    state.value = source_value;
    state.copy = static_cast<uint32_t>(copies_.size());
    copies_.push_back({.instr = &instr,
                       .result = result,
                       .source = instr.operand(1).reg(),
                       .source_writes = Of(instr.operand(1).reg()).num_writes,
                       .is_blocked = false,
                       .list = kNone});
  }

  // Makes the source of a copy, if it is a copy itself, that copy's source. So no copy depends on another one.
  void LookThrough(MachineOperand& source) {
    const uint32_t number = Of(source.reg()).copy;
    if (number == kNone || copies_[number].is_blocked || !HoldsSource(copies_[number])) return;
    source.SetReg(copies_[number].source);
    editor_.DidExtend(copies_[number].source);
    ++num_looked_through_;
  }

  void VisitUse(MachineOperand& use) {
    const uint32_t number = Of(use.reg()).copy;
    if (number == kNone) return;
    Copy& copy = copies_[number];
    const bool can_read_source = HoldsSource(copy) && CanRename(use);
    if (use.is_debug()) {
      lists_.Add(use, !can_read_source, copy.list);
    } else if (can_read_source) {
      lists_.Add(use, /*is_undefined=*/false, copy.list);
    } else {
      copy.is_blocked = true;
    }
  }

  // Ends the copy that wrote the register. From here on nothing reads what it wrote.
  void EndCopy(Register reg) {
    const uint32_t number = std::exchange(Of(reg).copy, kNone);
    if (number == kNone) return;
    const Copy& copy = copies_[number];
    if (copy.is_blocked) {
      ++num_blocked_;
      return;
    }
    lists_.Rename(copy.list, copy.source);
    editor_.DidExtend(copy.source);
    editor_.Erase(*copy.instr);
    ++num_propagated_;
  }

  const LiveVariables& liveness_;
  CopyEditor& editor_;
  std::vector<State> registers_;  // by virtual register
  uint64_t next_value_ = 1;
  uint64_t first_value_ = 1;
  std::vector<Copy> copies_;  // of the current block
  OperandLists lists_;
  uint64_t num_propagated_ = 0;
  uint64_t num_repeated_ = 0;
  uint64_t num_blocked_ = 0;
  uint64_t num_looked_through_ = 0;
};

bool HasMoves(const MachineFunction& function) {
  if (!MayContainMoves(function)) return false;
  for (const MachineBasicBlock& block : function) {
    if (std::any_of(block.begin(), block.end(), [](const MachineInstr& instr) { return IsRegisterMove(instr); })) {
      return true;
    }
  }
  return false;
}

void MakeRemarks(MachineFunction& function, PassContext& context, uint64_t num_gone, uint64_t num_blocked) {
  auto& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  if (num_gone != 0) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context.pass_name, "CopiesRemoved", function)
             << RemarkArg("NumRemoved", num_gone) << " copies removed";
    });
  }
  if (num_blocked != 0) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "CopiesLeft", function)
             << RemarkArg("NumLeft", num_blocked)
             << " copies stay, because their source is written before the last read of their result";
    });
  }
}

}  // namespace

PassResult RunMachineCopyPropagation(MachineFunction& function, PassContext& context) {
  if (!HasMoves(function)) return {};
  if (function.HasProperty(FunctionProperty::kIsSsa)) {
    const uint64_t num_gone = RemoveMovesInSsa(function);
    context.AddStatistic("copies propagated forward", num_gone);
    MakeRemarks(function, context, num_gone, 0);
    return {.changed = num_gone != 0, .preserved = PreservedAnalyses::ControlFlow()};
  }
  // The walk up first: it does not change what is live at the ends of blocks.
  const auto& liveness = context.analyses.Get<LiveVariables>();
  CopyEditor editor(function);
  BackwardPropagation backward(function, liveness, editor);
  for (MachineBasicBlock& block : function) backward.Visit(block);
  ForwardPropagation forward(function, liveness, editor);
  for (MachineBasicBlock& block : function) forward.Visit(block);
  editor.Finish();
  context.AddStatistic("copies propagated forward", forward.num_propagated());
  context.AddStatistic("copies propagated backward", backward.num_propagated());
  context.AddStatistic("copies of equal registers removed", forward.num_repeated());
  context.AddStatistic("copies without readers removed", backward.num_dead());
  const uint64_t num_gone =
      forward.num_propagated() + backward.num_propagated() + forward.num_repeated() + backward.num_dead();
  MakeRemarks(function, context, num_gone, forward.num_blocked());
  return {.changed = num_gone + forward.num_looked_through() != 0, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
