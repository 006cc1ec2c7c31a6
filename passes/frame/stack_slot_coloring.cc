// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/stack_slot_coloring.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/spill_slots.h"
#include "passes/frame/stack_accesses.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

constexpr size_t kMaxColorsTried = 256;

class SlotColoring {
 public:
  SlotColoring(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        frame_(function.frame_info()),
        list_(function),
        is_slot_(frame_.objects().size()) {}

  bool Run() {
    FindSlots();
    const StackCells cells(list_, is_slot_);
    const StackLiveness liveness(function_, list_, cells);
    is_erased_.resize(list_.accesses.size());
    EraseDeadStores(liveness);
    FindSegments(cells, liveness);
    if (!context_.knobs.no_stack_slot_sharing()) Color();
    Rewrite();
    RemoveRestores();
    RemoveUnusedSlots();
    context_.AddStatistic("spill slots that share another", num_shared_);
    context_.AddStatistic("stores to spill slots removed", num_stores_);
    context_.AddStatistic("loads from spill slots removed", num_loads_);
    return num_shared_ + num_stores_ + num_removed_ > 0;
  }

 private:
  using Kind = StackAccess::Kind;

  bool IsSlot(int index) const { return index >= 0 && is_slot_[static_cast<size_t>(index)]; }

  // Finds the spill slots for which every access is known.
  void FindSlots() {
    for (size_t i = 0; i < is_slot_.size(); ++i) {
      const StackObject& object = frame_.objects()[i];
      is_slot_[i] =
          object.type == StackObject::Type::kSpillSlot && !object.is_dead && !object.is_in_shared() && object.size > 0;
    }
    for (const StackAccess& access : list_.accesses) {
      if (!IsSlot(access.index)) continue;
      const uint64_t size = frame_.object(access.index).size;
      const bool is_outside =
          access.is_plain() && (access.offset < 0 || static_cast<uint64_t>(access.offset) + access.bytes > size);
      const bool is_known = access.is_plain() || access.kind == Kind::kDebug;
      if (!is_known || is_outside) is_slot_[static_cast<size_t>(access.index)] = false;
    }
  }

  void EraseDeadStores(const StackLiveness& liveness) {
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      if (!liveness.IsDeadStore(i)) continue;
      is_erased_[i] = true;
      ++num_stores_;
    }
  }

  // Computes the segments with which a slot interferes with others: those of all its cells together, ignoring the
  // stores that are erased.
  void FindSegments(const StackCells& cells, const StackLiveness& liveness) {
    segments_.resize(is_slot_.size());
    std::vector<bool> is_live_cell(cells.cells.size());
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      if (cells.cell_of_access[i] != StackCells::kNoCell && !is_erased_[i])
        is_live_cell[cells.cell_of_access[i]] = true;
    }
    for (uint32_t i = 0; i < cells.cells.size(); ++i) {
      if (is_live_cell[i]) MergeSegments(segments_[static_cast<size_t>(cells.cells[i].index)], liveness.Segments(i));
    }
  }

  struct SharedPlace {
    int index;  // the index of its first slot
    uint8_t align_log2;
    std::vector<StackSegment> segments;
  };

  // Returns the slots in the order in which they get colors.
  std::vector<int> SlotsInOrder() const {
    std::vector<uint64_t> weights(is_slot_.size());
    const MachineBlockFrequencies& frequencies = context_.analyses.Get<MachineBlockFrequencies>();
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      const StackAccess& access = list_.accesses[i];
      if (!IsSlot(access.index) || !access.is_plain()) continue;
      uint64_t& weight = weights[static_cast<size_t>(access.index)];
      const uint64_t sum = weight + frequencies.Frequency(*access.instr->parent());
      weight = sum < weight ? ~uint64_t{0} : sum;
    }
    std::vector<int> slots;
    for (size_t i = 0; i < is_slot_.size(); ++i) {
      if (is_slot_[i] && !segments_[i].empty()) slots.push_back(static_cast<int>(i));
    }
    const auto key = [&](int index) {
      const StackObject& object = frame_.object(index);
      const uint64_t weight = weights[static_cast<size_t>(index)];
      return std::make_tuple(~object.size, static_cast<int>(-object.align_log2), ~weight, index);
    };
    std::sort(slots.begin(), slots.end(), [&](int a, int b) { return key(a) < key(b); });
    return slots;
  }

  void Color() {
    if (std::count_if(segments_.begin(), segments_.end(), [](const auto& segments) { return !segments.empty(); }) < 2) {
      return;
    }
    std::vector<SharedPlace> colors;
    color_of_.resize(is_slot_.size(), kNoColor);
    for (const int index : SlotsInOrder()) {
      std::vector<StackSegment>& segments = segments_[static_cast<size_t>(index)];
      const size_t num_tried = std::min(colors.size(), kMaxColorsTried);
      const auto end = colors.begin() + static_cast<std::ptrdiff_t>(num_tried);
      const auto color = std::find_if(colors.begin(), end,
                                      [&](const SharedPlace& other) { return !Overlap(other.segments, segments); });
      const uint8_t align_log2 = frame_.object(index).align_log2;
      if (color == end) {
        colors.push_back({index, align_log2, segments});
        continue;
      }
      color->align_log2 = std::max(color->align_log2, align_log2);
      MergeSegments(color->segments, segments);
      color_of_[static_cast<size_t>(index)] = color->index;
      ++num_shared_;
      Remark(index, color->index);
    }
    is_shared_.resize(is_slot_.size());
    for (size_t i = 0; i < color_of_.size(); ++i) {
      if (color_of_[i] == kNoColor) continue;
      is_shared_[i] = is_shared_[static_cast<size_t>(color_of_[i])] = true;
    }
    for (const SharedPlace& color : colors) {
      frame_.object(color.index).align_log2 = color.align_log2;
    }
  }

  void Remark(int index, int color) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "SlotShared", function_)
             << "spill slot " << RemarkArg("Slot", index) << " shares the place of slot " << RemarkArg("Other", color);
    });
  }

  void Rewrite() {
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      StackAccess& access = list_.accesses[i];
      if (!IsSlot(access.index) || is_shared_.empty() || !is_shared_[static_cast<size_t>(access.index)]) continue;
      MachineInstr& instr = *access.instr;
      if (access.kind == Kind::kDebug && !HoldsItsValue(access)) {
        instr.operand(access.operand).ChangeTo(MachineOperand::CreateReg(Register()));
        continue;
      }
      const int color = color_of_[static_cast<size_t>(access.index)];
      if (color == kNoColor) continue;
      instr.operand(access.operand).ChangeTo(MachineOperand::CreateFrameIndex(color));
      RenameInMemOperands(instr, access.index, color);
      access.index = color;
    }
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      if (is_erased_[i]) list_.accesses[i].instr->EraseFromParent();
    }
  }

  bool HoldsItsValue(const StackAccess& access) const {
    const std::vector<StackSegment>& segments = segments_[static_cast<size_t>(access.index)];
    const uint32_t point = 2 * access.position;
    return std::any_of(segments.begin(), segments.end(),
                       [&](const StackSegment& segment) { return segment.begin <= point && point < segment.end; });
  }

  // Removes a store that immediately follows a load from the same place and stores the loaded value.
  void RemoveRestores() {
    for (uint32_t i = 1; i < list_.accesses.size(); ++i) {
      const StackAccess& store = list_.accesses[i];
      const StackAccess& load = list_.accesses[i - 1];
      if (is_erased_[i] || is_erased_[i - 1] || store.kind != Kind::kStore || load.kind != Kind::kLoad) continue;
      if (!IsSlot(store.index) || store.index != load.index || store.offset != load.offset ||
          store.bytes != load.bytes || store.position != load.position + 1 ||
          store.instr->parent() != load.instr->parent()) {
        continue;
      }
      if (!StoresWhatWasLoaded(*load.instr, *store.instr)) continue;
      const bool was_last_use = store.instr->operand(0).is_kill();
      store.instr->EraseFromParent();
      is_erased_[i] = true;
      ++num_stores_;
      if (!was_last_use) continue;
      ForgetInDebugValues(*load.instr);
      load.instr->EraseFromParent();
      is_erased_[i - 1] = true;
      ++num_loads_;
    }
  }

  static bool StoresWhatWasLoaded(const MachineInstr& load, const MachineInstr& store) {
    const ptx::PtxInstrInfo& from = ptx::InstrInfo(load.opcode());
    const ptx::PtxInstrInfo& to = ptx::InstrInfo(store.opcode());
    if (from.num_values != 1 || to.num_values != 1 || from.first_value != 0 || to.first_value != 0) return false;
    const MachineOperand& value = store.operand(0);
    return value.is_use() && !value.is_undef() && value.reg() == load.operand(0).reg();
  }

  // Makes the debug values after an erased load undefined.
  static void ForgetInDebugValues(const MachineInstr& load) {
    const Register reg = load.operand(0).reg();
    for (MachineInstr* instr = load.next(); instr != nullptr; instr = instr->next()) {
      for (MachineOperand& operand : instr->operands()) {
        if (operand.is_def() && operand.reg() == reg) return;
        if (instr->is_debug() && operand.is_use() && operand.reg() == reg) operand.SetReg(Register());
      }
    }
  }

  void RemoveUnusedSlots() {
    std::vector<bool> is_used(is_slot_.size());
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      const StackAccess& access = list_.accesses[i];
      if (IsSlot(access.index) && access.is_plain() && !is_erased_[i])
        is_used[static_cast<size_t>(access.index)] = true;
    }
    for (uint32_t i = 0; i < list_.accesses.size(); ++i) {
      const StackAccess& access = list_.accesses[i];
      if (access.kind != Kind::kDebug || !IsSlot(access.index) || is_used[static_cast<size_t>(access.index)]) continue;
      MachineOperand& operand = access.instr->operand(access.operand);
      if (operand.is_frame_index()) operand.ChangeTo(MachineOperand::CreateReg(Register()));
    }
    for (size_t i = 0; i < is_slot_.size(); ++i) {
      if (!is_slot_[i] || is_used[i]) continue;
      frame_.objects()[i].is_dead = true;
      ++num_removed_;
    }
  }

  static constexpr int kNoColor = -1;

  MachineFunction& function_;
  PassContext& context_;
  MachineFrameInfo& frame_;
  StackAccessList list_;
  std::vector<bool> is_slot_;
  std::vector<bool> is_erased_;  // by access
  std::vector<std::vector<StackSegment>> segments_;
  std::vector<int> color_of_;    // by slot: the slot whose place it shares, or kNoColor
  std::vector<bool> is_shared_;  // by slot
  uint64_t num_shared_ = 0;
  uint64_t num_stores_ = 0;
  uint64_t num_loads_ = 0;
  uint64_t num_removed_ = 0;
};

}  // namespace

PassResult RunStackSlotColoring(MachineFunction& function, PassContext& context) {
  const std::vector<StackObject>& objects = function.frame_info().objects();
  const bool has_slots = std::any_of(objects.begin(), objects.end(), [](const StackObject& object) {
    return object.type == StackObject::Type::kSpillSlot && !object.is_dead && !object.is_in_shared();
  });
  if (!has_slots || function.empty()) return {.changed = false};
  const bool changed = SlotColoring(function, context).Run();
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
