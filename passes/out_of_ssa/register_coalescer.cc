// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/register_coalescer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/types/span.h"
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

struct Copy {
  MachineInstr* instr;
  uint64_t frequency;
};
Register Target(const MachineInstr& copy) { return copy.operand(0).reg(); }
Register Source(const MachineInstr& copy) { return copy.operand(1).reg(); }

struct CopyCounts {
  uint64_t num_erased = 0;
  uint64_t num_recomputed = 0;
  uint64_t num_left = 0;
};

// The registers whose intervals no longer hold.
class StaleIntervals {
 public:
  StaleIntervals(MachineRegisterInfo& reg_info, LiveIntervals& intervals)
      : reg_info_(reg_info), intervals_(intervals), is_stale_(reg_info.num_virtual_registers()) {}

  void Add(Register reg) {
    if (is_stale_[reg.virtual_index()]) return;
    is_stale_[reg.virtual_index()] = true;
    stale_.push_back(reg);
  }
  void Recompute() {
    for (const Register reg : stale_) {
      reg_info_.ClearKillFlags(reg);
      intervals_.ComputeInterval(reg);
      is_stale_[reg.virtual_index()] = false;
    }
    stale_.clear();
  }

 private:
  MachineRegisterInfo& reg_info_;
  LiveIntervals& intervals_;
  std::vector<bool> is_stale_;  // by register
  std::vector<Register> stale_;
};

void EraseCopy(MachineInstr& copy, LiveIntervals& intervals, CopyCounts& counts) {
  intervals.RemoveInstr(copy);
  copy.EraseFromParent();
  ++counts.num_erased;
}

// Returns the copies in program order.
std::vector<Copy> CollectCopies(MachineFunction& function, AnalysisManager& analyses) {
  const MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<Copy> copies;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      if (!instr.is_copy() || !IsCoalescableCopy(instr, reg_info)) continue;
      copies.push_back({&instr, analyses.Get<MachineBlockFrequencies>().Frequency(block)});
    }
  }
  return copies;
}

std::vector<Register> RegistersOf(absl::Span<const Copy> copies) {
  std::vector<Register> registers;
  for (const Copy& copy : copies) {
    registers.push_back(Target(*copy.instr));
    registers.push_back(Source(*copy.instr));
  }
  return registers;
}

// Erases the copies whose result nothing reads.
void EraseDeadCopies(std::vector<Copy>& copies, MachineRegisterInfo& reg_info, LiveIntervals& intervals,
                     StaleIntervals& stale, CopyCounts& counts) {
  std::erase_if(copies, [&](const Copy& copy) {
    const Register target = Target(*copy.instr);
    if (!intervals.Interval(target).Query(intervals.indexes().InstrIndex(*copy.instr)).is_dead_def()) return false;
    stale.Add(target);
    stale.Add(Source(*copy.instr));
    EraseCopy(*copy.instr, intervals, counts);
    if (reg_info.Defs(target).empty()) DropDebugUses(reg_info, target);
    return true;
  });
}

// The registers that copies connect, in classes that become one register each.
struct JoinedRegisters {
  explicit JoinedRegisters(uint32_t num_registers) : classes(num_registers) {}

  Register NameOf(Register reg) const { return Register::Virtual(classes.Leader(reg.virtual_index())); }
  bool AreJoined(Register a, Register b) const { return classes.AreJoined(a.virtual_index(), b.virtual_index()); }

  CongruenceClasses classes;        // nodes: virtual registers
  std::vector<Register> connected;  // the registers that have segments
};

// Joins the target and the source of each copy, the most frequently executed first, unless they interfere.
void JoinCopies(absl::Span<const Copy> copies, const LiveIntervals& intervals, CopiedValues& values,
                RecomputedConstants& constants, JoinedRegisters& joined) {
  std::vector<Copy> by_frequency(copies.begin(), copies.end());
  std::stable_sort(by_frequency.begin(), by_frequency.end(),
                   [](const Copy& a, const Copy& b) { return a.frequency > b.frequency; });
  std::vector<LiveSegment> segments;
  const auto set_segments = [&](Register reg) {
    if (joined.classes.HasSegments(reg.virtual_index())) return;
    segments.clear();
    for (const LiveSegment& segment : intervals.Interval(reg).segments()) {
      segments.push_back({segment.start, segment.end, values.OriginOf(reg, segment.value)});
    }
    joined.classes.SetSegments(reg.virtual_index(), segments);
    joined.connected.push_back(reg);
  };
  for (const auto& [copy, frequency] : by_frequency) {
    set_segments(Target(*copy));
    set_segments(Source(*copy));
    if (constants.IsBetterRecomputed(Source(*copy), frequency)) continue;
    joined.classes.TryJoin(Target(*copy).virtual_index(), Source(*copy).virtual_index());
  }
}

struct CopyPlan {
  struct Recomputed {
    MachineInstr* copy;
    const MachineInstr* def;  // computes the value
  };
  std::vector<MachineInstr*> erased;
  std::vector<Recomputed> recomputed;
  uint64_t num_left = 0;
};

// Decides what to do with each copy, while registers still have their old names and ranges.
CopyPlan JudgeCopies(absl::Span<const Copy> copies, const LiveIntervals& intervals, const JoinedRegisters& joined,
                     CopiedValues& values) {
  CopyPlan plan;
  for (const auto& [copy, frequency] : copies) {
    const ValueId origin = values.OriginOfSource(*copy);
    const SlotIndex before = intervals.indexes().InstrIndex(*copy);
    const ValueId held = joined.classes.ValueAt(Target(*copy).virtual_index(), before);
    MachineInstr* def = nullptr;
    if (joined.AreJoined(Target(*copy), Source(*copy)) || (held != kNoValue && held == origin)) {
      plan.erased.push_back(copy);
    } else if (origin != kNoValue && (def = values.DefiningInstr(origin)) != nullptr && IsConstantMove(*def)) {
      plan.recomputed.push_back({copy, def});
    } else {
      ++plan.num_left;
    }
  }
  return plan;
}

void Recompute(MachineInstr& copy, const MachineInstr& def, LiveIntervals& intervals) {
  MachineInstr* const clone = copy.function().CloneInstr(def);
  clone->operand(0).SetReg(Target(copy));
  clone->operand(0).set_reg_flag(MachineOperand::kDead, false);
  clone->set_debug_loc(copy.debug_loc());
  copy.parent()->Insert(&copy, clone);
  intervals.ReplaceInstr(copy, *clone);
  copy.EraseFromParent();
}

// Carries out the plan. Returns the registers that recomputed copies no longer read.
std::vector<Register> ChangeCopies(const CopyPlan& plan, const JoinedRegisters& joined, LiveIntervals& intervals,
                                   StaleIntervals& stale, CopyCounts& counts) {
  for (MachineInstr* const copy : plan.erased) {
    stale.Add(joined.NameOf(Target(*copy)));
    stale.Add(joined.NameOf(Source(*copy)));
    EraseCopy(*copy, intervals, counts);
  }
  std::vector<Register> maybe_unused;
  for (const auto& [copy, def] : plan.recomputed) {
    const Register source = Source(*copy);
    Recompute(*copy, *def, intervals);
    stale.Add(joined.NameOf(source));
    maybe_unused.push_back(source);
  }
  counts.num_recomputed = plan.recomputed.size();
  counts.num_left = plan.num_left;
  return maybe_unused;
}

void RenameClasses(const JoinedRegisters& joined, MachineRegisterInfo& reg_info, LiveIntervals& intervals,
                   StaleIntervals& stale) {
  for (const Register reg : joined.connected) {
    const Register name = joined.NameOf(reg);
    if (name == reg) continue;
    reg_info.ReplaceRegister(reg, name);
    intervals.RemoveInterval(reg);
    stale.Add(name);
  }
}

void EraseUnusedConstants(absl::Span<const Register> maybe_unused, const JoinedRegisters& joined,
                          MachineRegisterInfo& reg_info, LiveIntervals& intervals) {
  for (const Register copied : maybe_unused) {
    const Register reg = joined.NameOf(copied);
    MachineInstr* const def = reg_info.UniqueDef(reg);
    if (def == nullptr || !IsConstantMove(*def) || !reg_info.NonDebugUses(reg).empty()) continue;
    DropDebugUses(reg_info, reg);
    intervals.RemoveInstr(*def);
    def->EraseFromParent();
  }
}

void Report(const MachineFunction& function, const CopyCounts& counts, PassContext& context) {
  context.AddStatistic("copies erased", counts.num_erased);
  context.AddStatistic("copies of constants recomputed", counts.num_recomputed);
  context.AddStatistic("copies left", counts.num_left);
  if (counts.num_left == 0) return;
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kMissed, context.pass_name, "CopiesLeft", function)
           << RemarkArg("NumLeft", counts.num_left)
           << " copies are left, whose registers are live at once with different values; "
           << RemarkArg("NumErased", counts.num_erased) << " are gone, "
           << RemarkArg("NumRematerialized", counts.num_recomputed) << " became constants";
  });
}

// Returns true if the function changed.
bool CoalesceCopies(MachineFunction& function, PassContext& context) {
  std::vector<Copy> copies = CollectCopies(function, context.analyses);
  if (copies.empty()) return false;
  // Without a limit on registers, no later pass needs the intervals of all registers.
  std::optional<LiveIntervals> of_copies;
  LiveIntervals* const of_all = context.analyses.GetCached<LiveIntervals>();
  if (of_all == nullptr) of_copies.emplace(function, context.analyses, RegistersOf(copies));
  LiveIntervals& intervals = of_all != nullptr ? *of_all : *of_copies;
  const auto& frequencies = context.analyses.Get<MachineBlockFrequencies>();
  MachineRegisterInfo& reg_info = function.reg_info();
  StaleIntervals stale(reg_info, intervals);
  CopyCounts counts;
  EraseDeadCopies(copies, reg_info, intervals, stale, counts);
  stale.Recompute();
  CopiedValues values(function, intervals);
  JoinedRegisters joined(reg_info.num_virtual_registers());
  RecomputedConstants constants(function, context, intervals, frequencies);
  JoinCopies(copies, intervals, values, constants, joined);
  if (function.MayContain(generic::kDbgValue) || function.MayContain(generic::kDbgValueList)) {
    for (const Register reg : joined.connected) {
      DropStaleDebugUses(reg, kNoValue, intervals, joined.classes, reg_info);
    }
  }
  const CopyPlan plan = JudgeCopies(copies, intervals, joined, values);
  const std::vector<Register> maybe_unused = ChangeCopies(plan, joined, intervals, stale, counts);
  RenameClasses(joined, reg_info, intervals, stale);
  EraseUnusedConstants(maybe_unused, joined, reg_info, intervals);
  stale.Recompute();
  Report(function, counts, context);
  return counts.num_erased + counts.num_recomputed > 0;
}

}  // namespace

PassResult RunRegisterCoalescer(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(generic::kCopy)) return {};
  const bool changed = CoalesceCopies(function, context);
  return {
      .changed = changed,
      .preserved =
          PreservedAnalyses::ControlFlow().Preserve(AnalysisKind::kSlotIndexes).Preserve(AnalysisKind::kLiveIntervals)};
}

}  // namespace ptxmir
