// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/register_coalescer.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_intervals.h"
#include "passes/out_of_ssa/congruence_classes.h"
#include "passes/out_of_ssa/copies.h"
#include "passes/out_of_ssa/recomputed_constants.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Numbers the values of all registers, and follows copies to the place where a value was computed.
class CopiedValues {
 public:
  CopiedValues(const MachineFunction& function, const LiveIntervals& intervals)
      : reg_info_(function.reg_info()), intervals_(intervals) {
    first_value_.reserve(reg_info_.num_virtual_registers() + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < reg_info_.num_virtual_registers(); ++i) {
      first_value_.push_back(count);
      count += intervals.Interval(Register::Virtual(i)).num_values();
    }
    first_value_.push_back(count);
    origin_.assign(count, kNoValue);
  }

  ValueId OriginOf(Register reg, ValueId value) {
    chain_.clear();
    ValueId origin = kNoValue;
    for (;;) {
      const ValueId id = first_value_[reg.virtual_index()] + value;
      if (origin_[id] != kNoValue) {
        origin = origin_[id];
        break;
      }
      // The value is its own origin until another one is found: in unreachable code, copies may form cycles.
      origin_[id] = origin = id;
      chain_.push_back(id);
      const MachineInstr* def = intervals_.DefiningInstr(intervals_.Interval(reg), value);
      if (def == nullptr || !IsCoalescableCopy(*def, reg_info_) || def->operand(0).reg() != reg) break;
      const Register source = def->operand(1).reg();
      const ValueId copied = ValueReadBy(*def, source);
      if (copied == kNoValue) break;
      reg = source;
      value = copied;
    }
    for (const ValueId id : chain_) origin_[id] = origin;
    return origin;
  }

  // Returns the origin of the source of a COPY, or kNoValue if it has none.
  ValueId OriginOfSource(const MachineInstr& copy) {
    const Register source = copy.operand(1).reg();
    const ValueId value = ValueReadBy(copy, source);
    return value == kNoValue ? kNoValue : OriginOf(source, value);
  }

  // Returns the instruction that computes a value, or null if it is a PHI-def.
  MachineInstr* DefiningInstr(ValueId origin) const {
    const auto next = std::upper_bound(first_value_.begin(), first_value_.end(), origin);
    const Register reg = Register::Virtual(static_cast<uint32_t>(next - first_value_.begin()) - 1);
    return intervals_.DefiningInstr(intervals_.Interval(reg), origin - first_value_[reg.virtual_index()]);
  }

 private:
  ValueId ValueReadBy(const MachineInstr& instr, Register reg) const {
    const LiveInterval& interval = intervals_.Interval(reg);
    return interval.Query(intervals_.indexes().InstrIndex(instr)).value_in;
  }

  const MachineRegisterInfo& reg_info_;
  const LiveIntervals& intervals_;
  std::vector<ValueId> first_value_;  // by register, with one additional entry
  std::vector<ValueId> origin_;       // by value; kNoValue if not known yet
  std::vector<ValueId> chain_;
};

class RegisterCoalescer {
 public:
  RegisterCoalescer(MachineFunction& function, PassContext& context)
      : function_(function),
        reg_info_(function.reg_info()),
        context_(context),
        intervals_(context.analyses.Get<LiveIntervals>()),
        indexes_(intervals_.indexes()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()) {}

  bool Run() {
    CollectCopies();
    if (copies_.empty() && num_erased_ == 0) return false;
    is_stale_.resize(reg_info_.num_virtual_registers());
    for (const Register reg : read_by_dead_copies_) Refresh(reg);
    read_by_dead_copies_.clear();
    RecomputeIntervals();
    values_.emplace(function_, intervals_);
    classes_.emplace(reg_info_.num_virtual_registers());
    JoinCopies();
    if (function_.MayContain(generic::kDbgValue) || function_.MayContain(generic::kDbgValueList))
      DropDebugUsesOfOtherValues();
    DecideCopies();
    RenameClasses();
    EraseUnusedConstants();
    RecomputeIntervals();
    Report();
    return num_erased_ + num_rematerialized_ > 0;
  }

 private:
  struct Copy {
    MachineInstr* instr;
    uint64_t frequency;
  };

  static uint32_t TargetNode(const MachineInstr& copy) { return copy.operand(0).reg().virtual_index(); }
  static uint32_t SourceNode(const MachineInstr& copy) { return copy.operand(1).reg().virtual_index(); }

  void CollectCopies() {
    for (MachineBasicBlock& block : function_) {
      const uint64_t frequency = frequencies_.Frequency(block);
      for (MachineInstr* instr = block.front(); instr != nullptr;) {
        MachineInstr* const copy = instr;
        instr = instr->next();
        if (!IsCoalescableCopy(*copy, reg_info_)) continue;
        const Register target = copy->operand(0).reg();
        if (intervals_.Interval(target).Query(indexes_.InstrIndex(*copy)).is_dead_def()) {
          read_by_dead_copies_.push_back(target);
          read_by_dead_copies_.push_back(copy->operand(1).reg());
          EraseCopy(*copy);
          if (reg_info_.Defs(target).empty()) DropDebugUses(reg_info_, target);
        } else {
          copies_.push_back({copy, frequency});
        }
      }
    }
  }

  void EraseCopy(MachineInstr& copy) {
    intervals_.RemoveInstr(copy);
    copy.EraseFromParent();
    ++num_erased_;
  }

  void SetSegments(Register reg) {
    if (classes_->HasSegments(reg.virtual_index())) return;
    segments_.clear();
    for (const LiveSegment& segment : intervals_.Interval(reg).segments()) {
      segments_.push_back({segment.start, segment.end, values_->OriginOf(reg, segment.value)});
    }
    classes_->SetSegments(reg.virtual_index(), segments_);
    joined_.push_back(reg);
  }

  void JoinCopies() {
    std::vector<Copy> by_frequency = copies_;
    std::stable_sort(by_frequency.begin(), by_frequency.end(),
                     [](const Copy& a, const Copy& b) { return a.frequency > b.frequency; });
    RecomputedConstants constants(function_, context_, intervals_, frequencies_);
    for (const auto& [copy, frequency] : by_frequency) {
      SetSegments(copy->operand(0).reg());
      SetSegments(copy->operand(1).reg());
      if (constants.IsBetterRecomputed(copy->operand(1).reg(), frequency)) continue;
      classes_->TryJoin(TargetNode(*copy), SourceNode(*copy));
    }
  }

  void DropDebugUsesOfOtherValues() {
    for (const Register reg : joined_) DropStaleDebugUses(reg, kNoValue, intervals_, *classes_, reg_info_);
  }

  // Decides what to do with each copy, while registers still have their old names and ranges.
  void DecideCopies() {
    for (const auto& [copy, frequency] : copies_) {
      const ValueId origin = values_->OriginOfSource(*copy);
      const SlotIndex before = indexes_.InstrIndex(*copy);
      const ValueId held = classes_->ValueAt(TargetNode(*copy), before);
      MachineInstr* def = nullptr;
      if (classes_->AreJoined(TargetNode(*copy), SourceNode(*copy)) || (held != kNoValue && held == origin)) {
        Refresh(copy->operand(0).reg());
        Refresh(copy->operand(1).reg());
        erased_.push_back(copy);
      } else if (origin != kNoValue && (def = values_->DefiningInstr(origin)) != nullptr && IsConstantMove(*def)) {
        rematerialized_.push_back({copy, def});
      } else {
        ++num_left_;
      }
    }
    for (MachineInstr* const copy : erased_) EraseCopy(*copy);
    for (const auto& [copy, def] : rematerialized_) Rematerialize(*copy, *def);
  }

  void Rematerialize(MachineInstr& copy, const MachineInstr& def) {
    MachineInstr* const clone = function_.CloneInstr(def);
    const Register source = copy.operand(1).reg();
    clone->operand(0).SetReg(copy.operand(0).reg());
    clone->operand(0).set_reg_flag(MachineOperand::kDead, false);
    clone->set_debug_loc(copy.debug_loc());
    copy.parent()->Insert(&copy, clone);
    intervals_.ReplaceInstr(copy, *clone);
    copy.EraseFromParent();
    ++num_rematerialized_;
    Refresh(source);
    maybe_unused_.push_back(source);
  }

  Register RegisterOf(Register reg) const { return Register::Virtual(classes_->Leader(reg.virtual_index())); }

  // Marks the interval of the register that this one becomes as stale, to be recomputed.
  void Refresh(Register reg) {
    if (classes_.has_value()) reg = RegisterOf(reg);
    if (is_stale_[reg.virtual_index()]) return;
    is_stale_[reg.virtual_index()] = true;
    stale_.push_back(reg);
  }

  void RenameClasses() {
    for (const Register reg : joined_) {
      const Register name = RegisterOf(reg);
      if (name == reg) continue;
      reg_info_.ReplaceRegister(reg, name);
      intervals_.RemoveInterval(reg);
      Refresh(name);
    }
  }

  void EraseUnusedConstants() {
    for (const Register copied : maybe_unused_) {
      const Register reg = RegisterOf(copied);
      MachineInstr* const def = reg_info_.UniqueDef(reg);
      if (def == nullptr || !IsConstantMove(*def) || !reg_info_.NonDebugUses(reg).empty()) continue;
      DropDebugUses(reg_info_, reg);
      intervals_.RemoveInstr(*def);
      def->EraseFromParent();
    }
  }

  void RecomputeIntervals() {
    for (const Register reg : stale_) {
      reg_info_.ClearKillFlags(reg);
      intervals_.ComputeInterval(reg);
      is_stale_[reg.virtual_index()] = false;
    }
    stale_.clear();
  }

  void Report() {
    context_.AddStatistic("copies erased", num_erased_);
    context_.AddStatistic("copies of constants recomputed", num_rematerialized_);
    context_.AddStatistic("copies left", num_left_);
    if (num_left_ == 0) return;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context_.pass_name, "CopiesLeft", function_)
             << RemarkArg("NumLeft", num_left_) << " copies are left, whose registers are live at once with different "
             << "values; " << RemarkArg("NumErased", num_erased_) << " are gone, "
             << RemarkArg("NumRematerialized", num_rematerialized_) << " became constants";
    });
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  PassContext& context_;
  LiveIntervals& intervals_;
  SlotIndexes& indexes_;
  const MachineBlockFrequencies& frequencies_;
  std::optional<CopiedValues> values_;
  std::optional<CongruenceClasses> classes_;  // nodes: virtual registers
  std::vector<Copy> copies_;                  // in program order
  std::vector<Register> read_by_dead_copies_;
  std::vector<LiveSegment> segments_;
  std::vector<Register> joined_;  // the registers that have segments
  std::vector<MachineInstr*> erased_;
  std::vector<std::pair<MachineInstr*, MachineInstr*>> rematerialized_;  // pairs of a copy and the instruction that
                                                                         // computes its value
  std::vector<Register> maybe_unused_;
  std::vector<bool> is_stale_;
  std::vector<Register> stale_;
  uint64_t num_erased_ = 0;
  uint64_t num_rematerialized_ = 0;
  uint64_t num_left_ = 0;
};

}  // namespace

PassResult RunRegisterCoalescer(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(generic::kCopy)) return {};
  const bool changed = RegisterCoalescer(function, context).Run();
  return {
      .changed = changed,
      .preserved =
          PreservedAnalyses::ControlFlow().Preserve(AnalysisKind::kSlotIndexes).Preserve(AnalysisKind::kLiveIntervals)};
}

}  // namespace ptxmir
