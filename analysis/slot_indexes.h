// SPDX-License-Identifier: Apache-2.0

// slot-indexes: numbers the program points of a function, in layout order.
//
// As LLVM's SlotIndexes: a block's beginning has an index, and so has each instruction but debug instructions,
// pseudo probes, and those inside a bundle, which share their head's. Where we differ: LLVM's index is a pointer
// to a list node, so that renumbering changes no index but every comparison follows two pointers. Here an index
// is the number. Numbers are far apart, the further the smaller the function, so that instructions can be put in:
//
// - An insertion takes the middle of the gap.
// - Where there is none, the smallest window of instructions around it that is sparse enough is spread evenly,
//   within the block (order maintenance after Bender, Cole, Demaine, Farach-Colton and Zito, "Two Simplified
//   Algorithms for Maintaining Order in a List", ESA 2002: the larger the window, the sparser it must be, which
//   makes the cost of an insertion O(log^2) amortised).
// - When a block is full, the whole function is numbered anew. That takes hundreds of insertions into one block.
//
// Who keeps indexes (LiveIntervals, LiveRegMatrix) listens to renumbering and translates them. A window never
// holds a block's beginning; so what changes within a block are only indexes of instructions.
//
// Cost: O(instructions) to compute; four bytes for each id of the function's arena (function_arena.h) and eight
// for each instruction. InstrIndex, BlockStart and BlockEnd are one load. InstrAt and BlockAt are O(1) too, until
// much has been inserted in one place.

#ifndef PTXMIR_ANALYSIS_SLOT_INDEXES_H_
#define PTXMIR_ANALYSIS_SLOT_INDEXES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/slot_index.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// What a renumbering did to the indexes from `begin` to `end`, exclusive: the listed ones changed.
class SlotRenumbering {
 public:
  struct Change {
    SlotIndex from;  // base indexes, in order of both
    SlotIndex to;
  };
  SlotRenumbering(SlotIndex begin, SlotIndex end, absl::Span<const Change> changes)
      : begin_(begin), end_(end), changes_(changes) {}

  SlotIndex begin() const { return begin_; }
  SlotIndex end() const { return end_; }
  absl::Span<const Change> changes() const { return changes_; }
  bool Affects(SlotIndex index) const { return begin_ <= index && index < end_; }
  // The new index of the same point. That of an instruction that was removed stays between its neighbours.
  SlotIndex Map(SlotIndex index) const;

 private:
  SlotIndex begin_;
  SlotIndex end_;
  absl::Span<const Change> changes_;
};

class SlotRenumberingListener {
 public:
  virtual void OnRenumbering(const SlotRenumbering& renumbering) = 0;

 protected:
  ~SlotRenumberingListener() = default;
};

class SlotIndexes : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kSlotIndexes;
  // LLVM's distance of instructions in printed indexes.
  static constexpr uint32_t kPrintedDistance = 16;

  SlotIndexes(MachineFunction& function, AnalysisManager& analyses);

  // Whether an instruction has an index of its own.
  static bool IsIndexed(const MachineInstr& instr) {
    return !instr.is_debug() && instr.opcode() != generic::kPseudoProbe && !instr.has_flag(MachineInstr::kBundledPred);
  }

  // The base index of an instruction that is in the maps.
  SlotIndex InstrIndex(const MachineInstr& instr) const { return SlotIndex::FromBits(index_of_id_[instr.id()]); }
  bool HasIndex(const MachineInstr& instr) const {
    return instr.id() < index_of_id_.size() && index_of_id_[instr.id()] != kNoIndex;
  }
  // The instruction (head of the bundle) with the index, null when there is none.
  MachineInstr* InstrAt(SlotIndex index) const;

  SlotIndex BlockStart(BlockNumber block) const { return ranges_[block].first; }
  SlotIndex BlockStart(const MachineBasicBlock& block) const { return BlockStart(block.number()); }
  SlotIndex BlockEnd(BlockNumber block) const { return ranges_[block].second; }
  SlotIndex BlockEnd(const MachineBasicBlock& block) const { return BlockEnd(block.number()); }
  // The last point that belongs to the block.
  SlotIndex LastIndexOf(const MachineBasicBlock& block) const { return BlockEnd(block).Previous(); }
  // The block with BlockStart <= index < BlockEnd.
  MachineBasicBlock* BlockAt(SlotIndex index) const;
  SlotIndex begin() const { return SlotIndex::FromBits(0); }
  SlotIndex end() const { return end_; }

  // The index of what comes before or after a place that has none itself (a debug instruction): that of the
  // nearest instruction in the block, else the block's beginning or end.
  SlotIndex IndexBefore(const MachineInstr& instr) const;
  SlotIndex IndexAfter(const MachineInstr& instr) const;

  // About how many instructions fit into a distance of that many points, as many as in the beginning.
  uint64_t ApproximateInstrs(uint64_t points) const { return points / distance(); }

  // An instruction (head of a bundle) that was put into a block. May renumber others; see above.
  SlotIndex InsertInstr(MachineInstr& instr);
  // An instruction that is about to leave its block or to be deleted. Its index stays unused.
  void RemoveInstr(const MachineInstr& instr);
  // An instruction that was moved elsewhere: gives it a new index.
  SlotIndex MoveInstr(MachineInstr& instr);
  // `new_instr` has taken the place of `old_instr`, which may be out of the block already, but not deleted.
  void ReplaceInstr(const MachineInstr& old_instr, MachineInstr& new_instr);
  // A block that was put into the layout: a new empty one, or the second part of one that was split
  // (MachineFunction::SplitBlock), whose instructions keep their indexes.
  void InsertBlock(MachineBasicBlock& block);

  void AddListener(SlotRenumberingListener& listener) { listeners_.push_back(&listener); }
  void RemoveListener(SlotRenumberingListener& listener) { std::erase(listeners_, &listener); }

  // "16r", as LLVM; behind a point what is left of it at LLVM's resolution, for instructions that were put in.
  void Print(SlotIndex index, std::string& out) const;
  std::string ToString(SlotIndex index) const {
    std::string text;
    Print(index, text);
    return text;
  }

  void Print(std::string& out) const override;
  // Numbers may differ; the order and the maps must be right.
  std::string DifferenceFrom(const Analysis& fresh) const override;
  // Empty when the maps agree with the function, else what is wrong.
  std::string Check() const;

  // How many indexes renumberings have changed, for tests and statistics.
  uint64_t num_renumbered() const { return num_renumbered_; }

 private:
  static constexpr uint32_t kNoIndex = ~uint32_t{0};

  uint32_t distance() const { return kPrintedDistance << scale_; }
  uint32_t BucketOf(uint32_t bits) const { return bits / kPrintedDistance >> scale_; }
  // Gives every block and instruction an index, `distance` apart.
  void NumberAll();
  void NumberBlock(MachineBasicBlock& block, uint32_t& next);
  // Sets the index of an instruction and of those that are bundled with it.
  void SetIndex(const MachineInstr& instr, uint32_t bits);
  void AddToBucket(const MachineInstr& instr, uint32_t bits);
  void RemoveFromBucket(const MachineInstr& instr, uint32_t bits);
  const MachineInstr* NextIndexed(const MachineInstr* instr) const;
  const MachineInstr* PreviousIndexed(const MachineInstr* instr) const;
  const MachineInstr* NextAcrossBlocks(const MachineInstr* instr) const;
  // The first of the block or of one that follows it.
  const MachineInstr* FirstIndexedFrom(const MachineBasicBlock* block) const;
  // Makes room around `instr`, which has no index yet, by spreading a window of its block; false: it is full.
  bool SpreadWindow(const MachineInstr& instr);
  void Spread(absl::Span<const MachineInstr* const> window, const MachineInstr& added, uint32_t low, uint32_t high);
  void RenumberAll();
  // The middle between the neighbours of `instr`, or kNoIndex.
  uint32_t FindGap(const MachineInstr& instr) const;

  MachineFunction& function_;
  uint32_t scale_ = 0;
  SlotIndex end_;
  LargeVector<uint32_t> index_of_id_;                    // by arena id; kNoIndex: none
  std::vector<std::pair<SlotIndex, SlotIndex>> ranges_;  // by block number
  // By index / distance: the first instruction with an index in there (0: none), and the block in which the
  // bucket begins.
  LargeVector<ArenaId> bucket_instrs_;
  LargeVector<BlockNumber> bucket_blocks_;
  std::vector<SlotRenumberingListener*> listeners_;
  uint64_t num_renumbered_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_SLOT_INDEXES_H_
