// SPDX-License-Identifier: Apache-2.0

// slot-indexes: numbers the program points of a function, in layout order.
//
// As in LLVM's SlotIndexes, the beginning of a block has an index, and so does each instruction except debug
// instructions and pseudo probes. Instructions inside a bundle share the index of its head. LLVM's index is a
// pointer to a list node, so that renumbering changes no index, but every comparison follows two pointers. Here an
// index is the number itself. Numbers are far apart, and farther apart in smaller functions, so that instructions
// can be inserted:
//
// - An insertion takes the middle of the gap.
// - If there is no gap, the smallest window of instructions around it that is sparse enough is spread evenly,
//   within the block. This is order maintenance after Bender, Cole, Demaine, Farach-Colton and Zito, "Two
//   Simplified Algorithms for Maintaining Order in a List", ESA 2002: the larger the window, the sparser it must
//   be, which makes the amortized cost of an insertion O(log^2).
// - If a block is full, the whole function is renumbered. That takes hundreds of insertions into one block.
//
// Owners of stored indexes (LiveIntervals, LiveRegMatrix) listen to renumberings and translate their indexes. A
// window never contains the beginning of a block, so inside a block only indexes of instructions change.
//
// Cost: O(instructions) to compute; four bytes for each id of the function's arena (function_arena.h) and eight
// for each instruction. InstrIndex, BlockStart and BlockEnd are one load each. InstrAt and BlockAt are O(1) too,
// unless much has been inserted in one place.

#ifndef PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEXES_H_
#define PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEXES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/liveness/slot_index.h"
#include "base/large_vector.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The effect of a renumbering on the indexes in [begin, end): the listed ones have changed.
class SlotRenumbering {
 public:
  struct Change {
    SlotIndex from;  // base indexes; both `from` and `to` ascend
    SlotIndex to;
  };
  SlotRenumbering(SlotIndex begin, SlotIndex end, absl::Span<const Change> changes)
      : begin_(begin), end_(end), changes_(changes) {}

  SlotIndex begin() const { return begin_; }
  SlotIndex end() const { return end_; }
  absl::Span<const Change> changes() const { return changes_; }
  bool Affects(SlotIndex index) const { return begin_ <= index && index < end_; }
  // Returns the new index of the same point. The index of a removed instruction stays between its neighbors.
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
  // The distance between instructions in printed indexes, as in LLVM.
  static constexpr uint32_t kPrintedDistance = 16;

  SlotIndexes(MachineFunction& function, AnalysisManager& analyses);

  // Returns true if the instruction has an index of its own.
  static bool IsIndexed(const MachineInstr& instr) {
    return !instr.is_debug() && instr.opcode() != generic::kPseudoProbe && !instr.has_flag(MachineInstr::kBundledPred);
  }

  // Returns the base index of an instruction that is in the maps.
  SlotIndex InstrIndex(const MachineInstr& instr) const { return SlotIndex::FromBits(index_of_id_[instr.id()]); }
  bool HasIndex(const MachineInstr& instr) const {
    return instr.id() < index_of_id_.size() && index_of_id_[instr.id()] != kNoIndex;
  }
  // Returns the instruction (or head of a bundle) with the index, or null if there is none.
  MachineInstr* InstrAt(SlotIndex index) const;

  SlotIndex BlockStart(BlockNumber block) const { return ranges_[block].first; }
  SlotIndex BlockStart(const MachineBasicBlock& block) const { return BlockStart(block.number()); }
  SlotIndex BlockEnd(BlockNumber block) const { return ranges_[block].second; }
  SlotIndex BlockEnd(const MachineBasicBlock& block) const { return BlockEnd(block.number()); }
  // Returns the last point that belongs to the block.
  SlotIndex LastIndexOf(const MachineBasicBlock& block) const { return BlockEnd(block).Previous(); }
  // Returns the block with BlockStart <= index < BlockEnd.
  MachineBasicBlock* BlockAt(SlotIndex index) const;
  SlotIndex begin() const { return SlotIndex::FromBits(0); }
  SlotIndex end() const { return end_; }

  // For an instruction without an index (a debug instruction): return the index of the nearest instruction before
  // or after it in the block, or else the beginning or end of the block.
  SlotIndex IndexBefore(const MachineInstr& instr) const;
  SlotIndex IndexAfter(const MachineInstr& instr) const;

  // Returns about how many instructions fit into a distance of `points`, at the initial spacing.
  uint64_t ApproximateInstrs(uint64_t points) const { return points / distance(); }

  // Assigns an index to an instruction (or head of a bundle) that was inserted into a block. May renumber others;
  // see above.
  SlotIndex InsertInstr(MachineInstr& instr);
  // Removes an instruction that is about to leave its block or to be deleted. Its index stays unused.
  void RemoveInstr(const MachineInstr& instr);
  // Assigns a new index to an instruction that was moved.
  SlotIndex MoveInstr(MachineInstr& instr);
  // Gives the index of `old_instr` to `new_instr`, which replaces it. `old_instr` may already be out of the block,
  // but must not be deleted.
  void ReplaceInstr(const MachineInstr& old_instr, MachineInstr& new_instr);
  // Adds a block that was inserted into the layout: a new empty block, or the second part of a block that was
  // split (MachineFunction::SplitBlock), whose instructions keep their indexes.
  void InsertBlock(MachineBasicBlock& block);

  void AddListener(SlotRenumberingListener& listener) { listeners_.push_back(&listener); }
  void RemoveListener(SlotRenumberingListener& listener) { std::erase(listeners_, &listener); }

  // Appends "16r", as LLVM does. If the index does not fall on LLVM's grid, as for inserted instructions, the
  // remainder follows after a point.
  void Print(SlotIndex index, std::string& out) const;
  std::string ToString(SlotIndex index) const {
    std::string text;
    Print(index, text);
    return text;
  }

  void Print(std::string& out) const override;
  // Compares the order and the maps. The numbers may differ.
  std::string DifferenceFrom(const Analysis& fresh) const override;
  // Returns an empty string if the maps agree with the function, or a description of what is wrong.
  std::string Check() const;

  // Returns how many indexes were changed by renumberings, for tests and statistics.
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
  // Returns the first indexed instruction of the block or of the blocks after it.
  const MachineInstr* FirstIndexedFrom(const MachineBasicBlock* block) const;
  // Makes room around `instr`, which has no index yet, by spreading a window of its block. Returns false if the
  // block is full.
  bool SpreadWindow(const MachineInstr& instr);
  void Spread(absl::Span<const MachineInstr* const> window, const MachineInstr& added, uint32_t low, uint32_t high);
  void RenumberAll();
  // Returns the middle between the neighbors of `instr`, or kNoIndex.
  uint32_t FindGap(const MachineInstr& instr) const;

  MachineFunction& function_;
  uint32_t scale_ = 0;
  SlotIndex end_;
  LargeVector<uint32_t> index_of_id_;                    // indexed by arena id; kNoIndex: none
  std::vector<std::pair<SlotIndex, SlotIndex>> ranges_;  // indexed by block number
  // By index / distance: the first instruction with an index in that bucket (0: none), and the block in which the
  // bucket begins.
  LargeVector<ArenaId> bucket_instrs_;
  LargeVector<BlockNumber> bucket_blocks_;
  std::vector<SlotRenumberingListener*> listeners_;
  uint64_t num_renumbered_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_SLOT_INDEXES_H_
