// SPDX-License-Identifier: Apache-2.0

// Cycles of the control flow that contain each other or nothing in common: what machine-loops and machine-cycles
// have in common.
//
// A cycle has entries, of which the first is its header, blocks, and cycles within. Ids are dense, in preorder of
// the nesting: a cycle's descendants have the ids that follow its own, so that containment is a comparison. Only the
// innermost cycle of each block is kept; the lists of blocks are made when first asked for, and those of a cycle and
// all within it share one array.

#ifndef PTXMIR_ANALYSIS_CYCLE_FOREST_H_
#define PTXMIR_ANALYSIS_CYCLE_FOREST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/block_order.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

using CycleId = uint32_t;

class CycleForest {
 public:
  static constexpr CycleId kNoCycle = ~CycleId{0};

  struct Cycle {
    CycleId parent = kNoCycle;
    CycleId last_descendant = 0;  // largest id of a cycle within, or its own
    uint32_t depth = 0;           // 1: outermost
    uint32_t first_entry = 0;     // into entries_
    uint32_t num_entries = 0;
  };

  virtual ~CycleForest() = default;

  // Cycles: parents before children.
  CycleId num_cycles() const { return static_cast<CycleId>(cycles_.size()); }
  CycleId Parent(CycleId cycle) const { return cycles_[cycle].parent; }
  uint32_t Depth(CycleId cycle) const { return cycles_[cycle].depth; }
  MachineBasicBlock* Header(CycleId cycle) const { return entries_[cycles_[cycle].first_entry]; }
  // Blocks of the cycle that are reached from outside of it; the header first.
  absl::Span<MachineBasicBlock* const> Entries(CycleId cycle) const {
    return absl::MakeConstSpan(entries_).subspan(cycles_[cycle].first_entry, cycles_[cycle].num_entries);
  }
  bool IsReducible(CycleId cycle) const { return cycles_[cycle].num_entries == 1; }
  // Whether `inner` is `outer` or within it.
  bool Contains(CycleId outer, CycleId inner) const {
    return inner >= outer && inner <= cycles_[outer].last_descendant;
  }
  // The innermost cycle that contains both; kNoCycle counts as what contains all.
  CycleId CommonCycle(CycleId a, CycleId b) const;
  bool IsInnermost(CycleId cycle) const { return cycles_[cycle].last_descendant == cycle; }

  // Blocks.
  CycleId InnermostCycle(const MachineBasicBlock& block) const {
    return block.number() < innermost_.size() ? innermost_[block.number()] : kNoCycle;
  }
  // 0 outside of all cycles.
  uint32_t Depth(const MachineBasicBlock& block) const {
    const CycleId cycle = InnermostCycle(block);
    return cycle == kNoCycle ? 0 : cycles_[cycle].depth;
  }
  bool Contains(CycleId cycle, const MachineBasicBlock& block) const {
    const CycleId inner = InnermostCycle(block);
    return inner != kNoCycle && Contains(cycle, inner);
  }
  // The header first; then each block before those that it leads to by edges that close no cycle (of an order of the
  // whole function that keeps the blocks of each cycle together).
  absl::Span<MachineBasicBlock* const> Blocks(CycleId cycle) const;
  // Blocks of the cycle with edges to the header.
  std::vector<MachineBasicBlock*> Latches(CycleId cycle) const;
  // Blocks of the cycle with edges out of it.
  std::vector<MachineBasicBlock*> ExitingBlocks(CycleId cycle) const;
  // Blocks outside that are reached by those, each once.
  std::vector<MachineBasicBlock*> ExitBlocks(CycleId cycle) const;
  // The only latch, or null.
  MachineBasicBlock* UniqueLatch(CycleId cycle) const;
  // The only block outside with an edge to the cycle, which leads to the header; null if there are several.
  MachineBasicBlock* UniquePredecessor(CycleId cycle) const;
  // That block, if the header is its only successor: code put at its end is executed once before the cycle.
  MachineBasicBlock* Preheader(CycleId cycle) const;

  // A new block that is in `cycle` (kNoCycle: none), and in no inner one, such as a preheader or the middle of a
  // split edge.
  void AddBlock(const MachineBasicBlock& block, CycleId cycle);
  // A block that is no entry of a cycle is about to go, or has gone.
  void RemoveBlock(BlockNumber block);

 protected:
  // A cycle as it was found: entries, header first, and the innermost cycle around it, by order of discovery.
  struct FoundCycle {
    std::vector<MachineBasicBlock*> entries;
    CycleId parent = kNoCycle;
  };

  explicit CycleForest(const MachineFunction& function) : function_(function) {}
  // `innermost`: by block number, by order of discovery.
  void Build(const DepthFirstOrder& order, const std::vector<FoundCycle>& found, std::vector<CycleId> innermost);
  std::string ForestDifferenceFrom(const CycleForest& fresh, std::string_view word) const;
  const MachineFunction& function() const { return function_; }

 private:
  void ListBlocks() const;

  const MachineFunction& function_;
  std::vector<Cycle> cycles_;
  std::vector<MachineBasicBlock*> entries_;
  std::vector<CycleId> innermost_;  // by block number
  // Blocks in cycles, and where in it a cycle's start; sizes are counted.
  mutable bool blocks_valid_ = false;
  mutable std::vector<MachineBasicBlock*> blocks_;
  mutable std::vector<uint32_t> first_block_, num_blocks_;  // by cycle
};

// Which cycle contains what, as cycles are found from the inside out: the outermost found so far, by path halving.
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
  std::vector<CycleId> innermost_;  // by block number
  std::vector<CycleId> parents_, outer_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CYCLE_FOREST_H_
