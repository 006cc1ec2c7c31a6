// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/pressure_profile.h"

#include <algorithm>
#include <optional>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/register_name.h"
#include "base/sort.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "mir/code/spill_slots.h"
#include "mir/text/mir_writer.h"
#include "mir/text/source_place.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

std::string InstrText(const MachineInstr& instr) {
  std::string text;
  WriteInstr(instr, {}, text);
  return text;
}

std::string LocationText(const MachineFunction& function, const MachineInstr* instr) {
  if (instr == nullptr) return "";
  return SourcePlaceText(function, instr->debug_loc());
}

// Returns true if a load returns the same value everywhere in the function.
bool IsInvariantLoad(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.reads_memory() || info.writes_memory() || ptx::IsOrderedAccess(instr)) return false;
  const ptx::MemorySpace space = ptx::MemorySpaceOf(instr);
  if (space == ptx::MemorySpace::kParam || space == ptx::MemorySpace::kConst) return true;
  return instr.memoperands().size() == 1 && instr.memoperands()[0]->Has(MachineMemOperand::kInvariant);
}

// Determines the remedies for the values that are live at one point.
class Remedies {
 public:
  Remedies(MachineFunction& function, AnalysisManager& analyses, const MachineRegisterPressure::PeakPoint& peak,
           const MachineBasicBlock& peak_block, bool with_texts)
      : function_(function),
        reg_info_(function.reg_info()),
        loops_(analyses.Get<MachineLoops>()),
        load_cost_(static_cast<uint32_t>(analyses.knobs().nv_remat_block_load_cost())),
        peak_(peak),
        peak_block_(peak_block),
        with_texts_(with_texts),
        is_live_(reg_info_.num_virtual_registers()) {
    for (const Register reg : peak.live) is_live_[reg.virtual_index()] = true;
  }

  LiveValue Describe(Register reg) const {
    LiveValue value;
    value.reg = reg;
    value.name = RegisterName(function_, reg);
    const RegClassDesc& reg_class = function_.target().reg_classes[reg_info_.reg_class(reg)];
    value.class_name = reg_class.name;
    value.units = reg_class.pressure_units;
    const MachineInstr* definition = reg_info_.UniqueDef(reg);
    if (definition != nullptr && with_texts_) value.definition = InstrText(*definition);
    Decide(definition, value);
    return value;
  }

 private:
  // The longest chain of computations to look through. cicc's limit is 50, but no one would want to execute that
  // many again.
  static constexpr int kMaxDepth = 4;

  bool IsUsedAtPeak(Register reg) const {
    if (peak_.instr == nullptr) return false;
    for (const MachineOperand& operand : peak_.instr->operands()) {
      if (operand.is_reg() && operand.reg() == reg) return true;
    }
    return false;
  }

  void Decide(const MachineInstr* definition, LiveValue& value) const {
    value.is_used_at_peak = IsUsedAtPeak(value.reg);
    if (value.is_used_at_peak) return;
    const std::optional<uint32_t> cost =
        definition == nullptr ? std::nullopt : CostOfComputing(*definition, /*depth=*/0);
    if (definition != nullptr && IsReload(*definition)) {
      value.remedy = PressureRemedy::kReloaded;
    } else if (cost.has_value()) {
      value.cost = *cost;
      value.remedy = reg_info_.HasOneNonDebugUse(value.reg) ? PressureRemedy::kSink : PressureRemedy::kRematerialize;
    } else if (const MachineBasicBlock* header = LoopThatDoesNotUse(value.reg); header != nullptr) {
      value.remedy = PressureRemedy::kSpillAroundLoop;
      value.loop_header = header->number();
    }
  }

  // Returns the cost of rematerializing the instruction after the peak, together with the inputs that are not live
  // there.
  std::optional<uint32_t> CostOfComputing(const MachineInstr& instr, int depth) const {
    if (instr.is_phi() || instr.is_inline_asm() || depth > kMaxDepth) return std::nullopt;
    uint32_t cost = 1;
    if (IsInvariantLoad(instr)) {
      cost = load_cost_;
    } else if (!ptx::InstrInfo(instr.opcode()).is_rematerializable() && !instr.is_copy()) {
      return std::nullopt;
    }
    for (const MachineOperand& use : VirtualUses(instr)) {
      if (is_live_[use.reg().virtual_index()]) continue;
      const MachineInstr* definition = reg_info_.UniqueDef(use.reg());
      if (definition == nullptr) return std::nullopt;
      const std::optional<uint32_t> more = CostOfComputing(*definition, depth + 1);
      if (!more.has_value()) return std::nullopt;
      cost += *more;
    }
    return cost;
  }

  // Returns the header of the outermost loop around the peak that does not name the register, or null if there is
  // none.
  const MachineBasicBlock* LoopThatDoesNotUse(Register reg) const {
    const MachineBasicBlock* header = nullptr;
    for (CycleId loop = loops_.InnermostCycle(peak_block_); loop != CycleForest::kNoCycle; loop = loops_.Parent(loop)) {
      for (const MachineOperand& operand : reg_info_.Operands(reg)) {
        if (!operand.is_debug() && loops_.Contains(loop, *operand.parent()->parent())) return header;
      }
      header = loops_.Header(loop);
    }
    return header;
  }

  MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const MachineLoops& loops_;
  const uint32_t load_cost_;
  const MachineRegisterPressure::PeakPoint& peak_;
  const MachineBasicBlock& peak_block_;
  const bool with_texts_;
  std::vector<bool> is_live_;
};

// Adds the points of blocks to a profile, and remembers the first instruction with the most units.
class ProfileBlocks {
 public:
  ProfileBlocks(const MachineRegisterPressure& pressure, PressureProfile& profile)
      : pressure_(pressure), profile_(profile) {}

  void Add(const MachineBasicBlock& block) {
    const auto first = static_cast<uint32_t>(profile_.points.size());
    const uint32_t peak = pressure_.Block(block).peak.units;
    pressure_.UnitsAtInstrs(block, units_);
    const auto place = static_cast<size_t>(std::find(units_.begin(), units_.end(), peak) - units_.begin());
    const MachineInstr* at = nullptr;
    if (place < units_.size()) {
      at = InstrAt(block, place);
      if (peak > profile_.max_units || profile_.points.empty()) {
        profile_.peak_point = first + static_cast<uint32_t>(place);
        profile_.peak_block = block.number();
        peak_instr_ = at;
      }
    }
    profile_.points.insert(profile_.points.end(), units_.begin(), units_.end());
    profile_.max_units = std::max(profile_.max_units, peak);
    profile_.blocks.push_back({block.number(), first, peak, LocationText(block.function(), at)});
  }

  // Null if no block has an instruction at its peak.
  const MachineInstr* peak_instr() const { return peak_instr_; }

 private:
  static const MachineInstr* InstrAt(const MachineBasicBlock& block, size_t place) {
    const MachineInstr* instr = block.front();
    while (!IsPressurePoint(*instr) || place-- > 0) instr = instr->next();
    return instr;
  }

  const MachineRegisterPressure& pressure_;
  PressureProfile& profile_;
  const MachineInstr* peak_instr_ = nullptr;
  std::vector<uint32_t> units_;  // of the current block
};

}  // namespace

std::string RemedyText(const LiveValue& value) {
  switch (value.remedy) {
    case PressureRemedy::kSink:
      return StrCat("can be moved to its use, cost ", value.cost);
    case PressureRemedy::kRematerialize:
      return StrCat("can be rematerialized, cost ", value.cost);
    case PressureRemedy::kReloaded:
      return "spilled before, loaded back";
    case PressureRemedy::kSpillAroundLoop:
      return StrCat("live through the loop of %bb.", value.loop_header, ", which does not use it");
    case PressureRemedy::kNone:
      break;
  }
  return value.is_used_at_peak ? "used at the peak" : "used later";
}

PressureProfile ComputePressureProfile(MachineFunction& function, AnalysisManager& analyses, bool with_texts) {
  PressureProfile profile;
  const auto& pressure = analyses.Get<MachineRegisterPressure>();
  ProfileBlocks blocks(pressure, profile);
  for (const MachineBasicBlock& block : function) blocks.Add(block);
  profile.max_predicates = pressure.MaxPredicates();
  const MachineBasicBlock* block = function.block(profile.peak_block);
  if (block == nullptr) return profile;
  const MachineRegisterPressure::PeakPoint peak =
      blocks.peak_instr() != nullptr ? pressure.LiveAtPeakOf(*blocks.peak_instr()) : pressure.LiveAtPeak(*block);
  if (peak.instr != nullptr) {
    if (with_texts) profile.peak_instr = InstrText(*peak.instr);
    profile.peak_location = LocationText(function, peak.instr);
  }
  const Remedies remedies(function, analyses, peak, *block, with_texts);
  profile.live.reserve(peak.live.size());
  for (const Register reg : peak.live) profile.live.push_back(remedies.Describe(reg));
  StableSortByMovingOnce(profile.live, [](const LiveValue& a, const LiveValue& b) {
    return a.remedy != b.remedy ? a.remedy < b.remedy : a.units > b.units;
  });
  return profile;
}

}  // namespace ptxmir
