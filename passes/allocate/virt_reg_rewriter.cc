// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/virt_reg_rewriter.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "analysis/liveness/live_intervals.h"
#include "analysis/liveness/live_variables.h"
#include "passes/allocate/assignment/virt_reg_map.h"

namespace ptxmir {
namespace {

class Compactor {
 public:
  Compactor(MachineFunction& function, AnalysisManager& analyses)
      : function_(function),
        intervals_(analyses.Get<LiveIntervals>()),
        map_(analyses.Get<VirtRegMap>()),
        classes_(function.target().reg_classes.size()) {}

  void Color();
  void DropDeadDebugUses();
  // Renames the registers and returns the number of names that were saved.
  uint64_t Rename();
  uint64_t EraseIdentityCopies();

 private:
  struct ClassState {
    // The occupied colors, as pairs of the end of the interval and the color.
    std::priority_queue<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>, std::greater<>>
        occupied;
    std::set<uint32_t> free;
    uint32_t num_colors = 0;
    std::vector<Register> first_of_color;
  };

  uint32_t ChooseColor(Register reg, ClassState& state) const;
  SlotIndex BeginOf(Register reg) const;

  MachineFunction& function_;
  LiveIntervals& intervals_;
  VirtRegMap& map_;
  std::vector<ClassState> classes_;
  std::vector<Register> colored_;  // in the order of their beginnings
};

// Returns the color of the source if a copy begins the interval and the source ends there, otherwise the smallest
// free color.
uint32_t Compactor::ChooseColor(Register reg, ClassState& state) const {
  if (const MachineInstr* def = intervals_.DefiningInstr(intervals_.Interval(reg), 0);
      def != nullptr && def->is_copy() && def->operand(1).reg().is_virtual()) {
    const Register source = def->operand(1).reg();
    const bool same_class = function_.reg_info().reg_class(source) == function_.reg_info().reg_class(reg);
    if (same_class && map_.HasColor(source) && state.free.contains(map_.Color(source))) return map_.Color(source);
  }
  return state.free.empty() ? state.num_colors : *state.free.begin();
}

// Authors of inline assembly assume that its results share no register with its inputs, because no PTX compiler
// assigns them so. The results are therefore treated as early clobbers.
SlotIndex Compactor::BeginOf(Register reg) const {
  const SlotIndex begin = intervals_.Interval(reg).begin_index();
  if (begin.is_block()) return begin;
  const MachineInstr* def = intervals_.indexes().InstrAt(begin);
  return def != nullptr && def->is_inline_asm() ? begin.RegSlot(/*early_clobber=*/true) : begin;
}

void Compactor::Color() {
  for (uint32_t i = 0; i < intervals_.num_intervals(); ++i) {
    const Register reg = Register::Virtual(i);
    if (!intervals_.Interval(reg).empty() && function_.reg_info().reg_class(reg) < classes_.size()) {
      colored_.push_back(reg);
    }
  }
  std::stable_sort(colored_.begin(), colored_.end(),
                   [this](Register a, Register b) { return BeginOf(a) < BeginOf(b); });
  for (const Register reg : colored_) {
    const LiveInterval& interval = intervals_.Interval(reg);
    ClassState& state = classes_[function_.reg_info().reg_class(reg)];
    while (!state.occupied.empty() && state.occupied.top().first <= BeginOf(reg).bits()) {
      state.free.insert(state.occupied.top().second);
      state.occupied.pop();
    }
    const uint32_t color = ChooseColor(reg, state);
    if (color == state.num_colors) {
      ++state.num_colors;
      state.first_of_color.push_back(reg);
    } else {
      state.free.erase(color);
    }
    state.occupied.push({interval.end_index().bits(), color});
    map_.Assign(reg, color);
  }
}

void Compactor::DropDeadDebugUses() {
  if (!function_.MayContainAny(
          [](Opcode opcode) { return opcode >= generic::kDbgValue && opcode <= generic::kDbgLabel; })) {
    return;
  }
  for (const Register reg : colored_) {
    std::vector<MachineOperand*> dead;
    for (MachineOperand& operand : function_.reg_info().Uses(reg)) {
      if (!operand.is_debug()) continue;
      const SlotIndex at = intervals_.indexes().IndexBefore(*operand.parent());
      if (intervals_.Interval(reg).Query(at).value_out() == kNoValue) dead.push_back(&operand);
    }
    for (MachineOperand* operand : dead) operand->SetReg(Register());
  }
}

uint64_t Compactor::Rename() {
  uint64_t num_renamed = 0;
  for (const Register reg : colored_) {
    const Register first = classes_[function_.reg_info().reg_class(reg)].first_of_color[map_.Color(reg)];
    if (first == reg) continue;
    function_.reg_info().ReplaceRegister(reg, first);
    ++num_renamed;
  }
  return num_renamed;
}

uint64_t Compactor::EraseIdentityCopies() {
  uint64_t num_erased = 0;
  for (MachineBasicBlock& block : function_) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const copy = instr;
      instr = instr->next();
      if (!copy->is_copy() || copy->num_operands() != 2 || copy->operand(0).reg() != copy->operand(1).reg()) continue;
      copy->EraseFromParent();
      ++num_erased;
    }
  }
  return num_erased;
}

}  // namespace

PassResult RunVirtRegRewriter(MachineFunction& function, PassContext& context) {
  if (!context.knobs.compact_regs() || function.empty()) return {.changed = false};
  uint64_t num_renamed = 0;
  uint64_t num_erased = 0;
  {
    Compactor compactor(function, context.analyses);
    compactor.Color();
    compactor.DropDeadDebugUses();
    num_renamed = compactor.Rename();
    num_erased = function.MayContain(generic::kCopy) ? compactor.EraseIdentityCopies() : 0;
  }
  context.AddStatistic("registers renamed", num_renamed);
  context.AddStatistic("copies erased", num_erased);
  function.SetProperty(FunctionProperty::kIsSsa, false);
  context.analyses.Clear();
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
