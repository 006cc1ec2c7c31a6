// SPDX-License-Identifier: Apache-2.0

// live-intervals: the live range of every virtual register, and of the physical registers that the function names.
//
// It follows LLVM's LiveIntervals and its conventions of what is live where (live_range.h). LiveRangeCalc computes
// it. Three parts of LLVM's analysis have no use in NVPTX and are missing: register units (every physical register
// of PTX is its own unit), register masks (calls clobber nothing), and sub-ranges (no class has sub-registers).
//
// A pass that edits code keeps the analysis up to date through the members below. SlotIndexes may renumber when an
// instruction is inserted. The ranges follow, at a cost in proportion to the registers of the instructions that
// moved. For that to be correct, a range may begin or end inside a block only at an instruction that names its
// register, or at one that was removed through RemoveInstr. So after MachineOperand::SetReg, update the ranges of
// both registers before you insert anything else.
//
// Cost: O(instructions + blocks that registers live through); 48 bytes per register, 12 per segment and 4 per
// value.

#ifndef PTXMIR_ANALYSIS_LIVENESS_LIVE_INTERVALS_H_
#define PTXMIR_ANALYSIS_LIVENESS_LIVE_INTERVALS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/liveness/live_range.h"
#include "analysis/liveness/live_range_calc.h"
#include "analysis/liveness/slot_indexes.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class LiveIntervals : public Analysis, private SlotRenumberingListener {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kLiveIntervals;

  LiveIntervals(MachineFunction& function, AnalysisManager& analyses);
  // Computes the intervals of `registers`, in which registers may be repeated. Those of other registers may be empty.
  // For a pass that asks about some registers, when no later pass asks about all.
  LiveIntervals(MachineFunction& function, AnalysisManager& analyses, absl::Span<const Register> registers);
  ~LiveIntervals() override { indexes_.RemoveListener(*this); }

  SlotIndexes& indexes() { return indexes_; }
  const SlotIndexes& indexes() const { return indexes_; }

  // Intervals of virtual registers. References stay valid when other intervals are created.
  uint32_t num_intervals() const { return num_intervals_; }
  bool HasInterval(Register reg) const { return reg.is_virtual() && reg.virtual_index() < num_intervals_; }
  LiveInterval& Interval(Register reg) { return *IntervalAt(reg.virtual_index()); }
  const LiveInterval& Interval(Register reg) const { return *IntervalAt(reg.virtual_index()); }
  // Returns the range of a physical register, or null if the function does not name it.
  const LiveRange* PhysicalRange(Register reg) const;

  // Queries that need the layout.
  bool IsLiveIntoBlock(const LiveRange& range, const MachineBasicBlock& block) const {
    return range.LiveAt(indexes_.BlockStart(block));
  }
  bool IsLiveOutOfBlock(const LiveRange& range, const MachineBasicBlock& block) const {
    return range.LiveAt(indexes_.LastIndexOf(block));
  }
  // Returns the block that contains the whole range, or null if there is none.
  MachineBasicBlock* OnlyBlock(const LiveRange& range) const;
  // Returns the instruction that defines a value, or null for PHI-defs and for instructions that are gone.
  MachineInstr* DefiningInstr(const LiveRange& range, ValueId value) const {
    return range.IsPhiDef(value) ? nullptr : indexes_.InstrAt(range.ValueDef(value));
  }

  // New registers. Creates the empty interval of a register that the code does not name yet.
  LiveInterval& CreateEmptyInterval(Register reg);
  // Creates a register of the same class, and an empty interval for it.
  LiveInterval& CreateIntervalLike(Register reg);
  // Computes or recomputes the interval of a register from the code.
  LiveInterval& ComputeInterval(Register reg);
  void RemoveInterval(Register reg) { Interval(reg).Clear(); }

  // Inserted and removed instructions. The caller updates the ranges.
  SlotIndex InsertInstr(MachineInstr& instr) { return indexes_.InsertInstr(instr); }
  void RemoveInstr(const MachineInstr& instr);
  void ReplaceInstr(const MachineInstr& old_instr, MachineInstr& new_instr) {
    indexes_.ReplaceInstr(old_instr, new_instr);
  }
  // Gives `instr` a new index and updates the ranges of its registers. `instr` has been moved within its block,
  // across nothing that it depends on or that depends on it, and the maps still hold its old place.
  void HandleMove(MachineInstr& instr);

  // Extends the range to all of `uses`, from the values that it has, with PHI-defs where values meet. A use at the
  // end of a block is its BlockEnd.
  void ExtendToIndices(LiveRange& range, absl::Span<const SlotIndex> uses) { calc_.Extend(range, uses); }
  // Removes everything that the value live at `kill` reaches from there on. Appends the points where it ended to
  // `end_points`, for ExtendToIndices with another value.
  void PruneValue(LiveRange& range, SlotIndex kill, std::vector<SlotIndex>* end_points);
  // Shrinks the interval to what its uses need, after uses were removed. Marks definitions that are never read as
  // dead, and appends instructions whose definitions are all dead to `dead`. Returns true if the interval may now
  // have several components.
  bool ShrinkToUses(LiveInterval& interval, std::vector<MachineInstr*>* dead = nullptr);
  // Gives each connected component of values except the first its own register, renames the operands, and appends
  // the new intervals to `added`. Values are connected where they meet in a PHI-def, and where the definition of
  // an instruction is tied to its use.
  void SplitSeparateComponents(LiveInterval& interval, std::vector<LiveInterval*>& added);
  // Computes the component of each value, numbered from 0, without changing anything. Returns the number of
  // components.
  uint32_t ClassifyComponents(const LiveRange& range, std::vector<uint32_t>& component_of_value) const;
  // Adds the segment from the definition in `instr` to the end of its block.
  LiveSegment AddSegmentToEndOfBlock(Register reg, const MachineInstr& instr);

  // Appends ranges and code in LLVM's form, as print<live-intervals>.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;
  // Returns an empty string, or a description of what is wrong within a range.
  std::string Check() const;

  size_t bytes_reserved() const { return pool_.bytes_reserved() + chunks_.size() * kChunk * sizeof(LiveInterval); }

 private:
  void ComputeAll();

  // Intervals are allocated in chunks, so that creating one moves no other. They are never destroyed: their memory
  // is in the pool and is freed with it.
  static constexpr uint32_t kChunk = 256;
  struct Chunk {
    alignas(LiveInterval) std::byte storage[kChunk * sizeof(LiveInterval)];
  };

  LiveInterval* IntervalAt(uint32_t index) const {
    return reinterpret_cast<LiveInterval*>(chunks_[index / kChunk]->storage) + index % kChunk;
  }
  void CreateIntervals(uint32_t count);

  void OnRenumbering(const SlotRenumbering& renumbering) override;
  void RenumberRegister(Register reg, const SlotRenumbering& renumbering);

  // A point to which a value is needed.
  struct Use {
    SlotIndex index;
    ValueId value;
  };
  std::vector<Use> CollectUses(const LiveInterval& interval) const;
  // Returns the segments that the uses need, sorted and joined.
  std::vector<LiveSegment> SegmentsForUses(const LiveRange& range, std::vector<Use> uses);
  void RemoveDeadValues(LiveInterval& interval, std::vector<MachineInstr*>* dead);
  void MarkDead(Register reg, MachineInstr& instr, std::vector<MachineInstr*>* dead);
  // Returns the value that an operand of the register reads or defines.
  ValueId ValueOfOperand(const LiveRange& range, const MachineOperand& operand) const;
  void RenameOperands(const LiveInterval& interval, const std::vector<uint32_t>& component_of_value,
                      absl::Span<const Register> register_of_component);
  LiveRange* RangeOf(Register reg);
  void MoveRegister(Register reg, LiveRange& range, SlotIndex from, const MachineInstr& instr);
  // BeginSearch starts a search over blocks. IsFirstVisit returns true if the search has not visited the block
  // yet.
  void BeginSearch();
  bool IsFirstVisit(std::vector<uint32_t>& visits, BlockNumber block) const {
    return std::exchange(visits[block], num_searches_) != num_searches_;
  }
  std::string RangeDifference(Register reg, const LiveRange& range, const LiveRange& fresh_range,
                              const SlotIndexes& fresh_indexes) const;

  MachineFunction& function_;
  SlotIndexes& indexes_;
  LiveRangePool pool_;
  LiveRangeCalc calc_;
  std::vector<Chunk*> chunks_;
  std::vector<LargeArray<Chunk>> chunk_memory_;
  uint32_t num_intervals_ = 0;
  std::vector<std::unique_ptr<LiveRange>> physical_;  // by number; null: not named
  // The registers of removed instructions. Their ranges may still end there.
  std::vector<Register> stale_;
  // By virtual register: the last renumbering that updated it.
  std::vector<uint32_t> renumbered_;
  uint32_t num_renumberings_ = 0;
  // By block: the last search that visited it, from its end and from inside.
  std::vector<uint32_t> left_;
  std::vector<uint32_t> entered_;
  uint32_t num_searches_ = 0;
  // The old index of the instruction that HandleMove is moving.
  SlotIndex moved_from_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_LIVE_INTERVALS_H_
