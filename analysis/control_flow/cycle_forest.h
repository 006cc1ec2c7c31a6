// SPDX-License-Identifier: Apache-2.0

// CycleForest: a forest of control flow cycles. Two cycles are either nested or disjoint. It is the common base of
// machine-loops and machine-cycles.
//
// A cycle has entries (the first is its header), blocks, and inner cycles. Ids are dense and follow the preorder
// of the nesting: the ids of a cycle's descendants directly follow its own, so containment is a comparison. Only
// the innermost cycle of each block is stored. The lists of blocks are built when first asked for; a cycle shares
// one array with all cycles inside it.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_CYCLE_FOREST_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_CYCLE_FOREST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/control_flow/block_order.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

using CycleId = uint32_t;

class CycleForest {
 public:
  static constexpr CycleId kNoCycle = ~CycleId{0};

  struct Cycle {
    CycleId parent = kNoCycle;
    CycleId last_descendant = 0;  // the largest id of a cycle inside it, or its own id
    uint32_t depth = 0;           // 1 for outermost cycles
    uint32_t first_entry = 0;     // an index into entries_
    uint32_t num_entries = 0;
  };

  virtual ~CycleForest() = default;

  // Cycles. Parents come before children.
  CycleId num_cycles() const { return static_cast<CycleId>(cycles_.size()); }
  CycleId Parent(CycleId cycle) const { return cycles_[cycle].parent; }
  uint32_t Depth(CycleId cycle) const { return cycles_[cycle].depth; }
  MachineBasicBlock* Header(CycleId cycle) const { return entries_[cycles_[cycle].first_entry]; }
  // Returns the blocks of the cycle that have predecessors outside it. The header comes first.
  absl::Span<MachineBasicBlock* const> Entries(CycleId cycle) const {
    return absl::MakeConstSpan(entries_).subspan(cycles_[cycle].first_entry, cycles_[cycle].num_entries);
  }
  bool IsReducible(CycleId cycle) const { return cycles_[cycle].num_entries == 1; }
  // Returns true if `inner` is `outer` or is inside it.
  bool Contains(CycleId outer, CycleId inner) const {
    return inner >= outer && inner <= cycles_[outer].last_descendant;
  }
  // Returns the innermost cycle that contains both, or kNoCycle if there is none.
  CycleId CommonCycle(CycleId a, CycleId b) const;
  bool IsInnermost(CycleId cycle) const { return cycles_[cycle].last_descendant == cycle; }

  // Blocks.
  CycleId InnermostCycle(const MachineBasicBlock& block) const {
    return block.number() < innermost_.size() ? innermost_[block.number()] : kNoCycle;
  }
  // Returns 0 for a block outside all cycles.
  uint32_t Depth(const MachineBasicBlock& block) const {
    const CycleId cycle = InnermostCycle(block);
    return cycle == kNoCycle ? 0 : cycles_[cycle].depth;
  }
  bool Contains(CycleId cycle, const MachineBasicBlock& block) const {
    const CycleId inner = InnermostCycle(block);
    return inner != kNoCycle && Contains(cycle, inner);
  }
  // Returns the blocks of the cycle. The header comes first; every block comes before its successors, except along
  // edges that close a cycle. (The order is a reverse postorder of the whole function that keeps the blocks of
  // each cycle together.)
  absl::Span<MachineBasicBlock* const> Blocks(CycleId cycle) const;
  // Returns the blocks of the cycle with edges to the header.
  std::vector<MachineBasicBlock*> Latches(CycleId cycle) const;
  // Returns the blocks of the cycle with edges out of it.
  std::vector<MachineBasicBlock*> ExitingBlocks(CycleId cycle) const;
  // Returns the targets of those edges, each once.
  std::vector<MachineBasicBlock*> ExitBlocks(CycleId cycle) const;
  // Returns the only latch, or null if there are several.
  MachineBasicBlock* UniqueLatch(CycleId cycle) const;
  // Returns the only block outside the cycle with an edge into it, or null if there are several. Null for
  // irreducible cycles, too.
  MachineBasicBlock* UniquePredecessor(CycleId cycle) const;
  // Returns the unique predecessor if the header is its only successor, or null. Code at its end is executed once
  // before the cycle.
  MachineBasicBlock* Preheader(CycleId cycle) const;

  // Adds a new block, such as a preheader or the middle of a split edge. Its innermost cycle is `cycle` (kNoCycle:
  // none).
  void AddBlock(const MachineBasicBlock& block, CycleId cycle);
  // Removes a block that is not an entry of a cycle. Call it before or after the block is erased.
  void RemoveBlock(BlockNumber block);

 protected:
  // A cycle as it was found: its entries, header first, and its parent, which is an index in order of discovery.
  struct FoundCycle {
    std::vector<MachineBasicBlock*> entries;
    CycleId parent = kNoCycle;
  };

  explicit CycleForest(const MachineFunction& function) : function_(function) {}
  // `innermost` is indexed by block number and holds indexes in order of discovery.
  void Build(const DepthFirstOrder& order, const std::vector<FoundCycle>& found, std::vector<CycleId> innermost);
  std::string ForestDifferenceFrom(const CycleForest& fresh, std::string_view word) const;
  const MachineFunction& function() const { return function_; }

 private:
  void ListBlocks() const;

  const MachineFunction& function_;
  std::vector<Cycle> cycles_;
  std::vector<MachineBasicBlock*> entries_;
  std::vector<CycleId> innermost_;  // indexed by block number
  // The blocks that are in cycles, and for each cycle the start of its range and the number of its blocks.
  mutable bool blocks_valid_ = false;
  mutable std::vector<MachineBasicBlock*> blocks_;
  mutable std::vector<uint32_t> first_block_, num_blocks_;  // indexed by cycle
};

// The nesting of the cycles found so far, while they are found from the inside out. Finds the outermost cycle
// around a block by path halving.
class OutermostCycles {
 public:
  explicit OutermostCycles(size_t num_blocks) : innermost_(num_blocks, CycleForest::kNoCycle) {}
  CycleId Add() {
    parents_.push_back(CycleForest::kNoCycle);
    outer_.push_back(static_cast<CycleId>(outer_.size()));
    return outer_.back();
  }
  void Put(BlockNumber block, CycleId cycle) { innermost_[block] = cycle; }
  CycleId Outermost(BlockNumber block) {
    CycleId cycle = innermost_[block];
    if (cycle == CycleForest::kNoCycle) return cycle;
    while (outer_[cycle] != cycle) cycle = outer_[cycle] = outer_[outer_[cycle]];
    return cycle;
  }
  void PutCycle(CycleId inner, CycleId outer) { parents_[inner] = outer_[inner] = outer; }
  CycleId Parent(CycleId cycle) const { return parents_[cycle]; }
  std::vector<CycleId> TakeInnermost() { return std::move(innermost_); }

 private:
  std::vector<CycleId> innermost_;  // indexed by block number
  std::vector<CycleId> parents_, outer_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_CYCLE_FOREST_H_
