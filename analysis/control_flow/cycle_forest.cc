// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/cycle_forest.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"

namespace ptxmir {

void CycleForest::Build(const DepthFirstOrder& order, const std::vector<FoundCycle>& found,
                        std::vector<CycleId> innermost) {
  innermost_ = std::move(innermost);
  const CycleId num_cycles = static_cast<CycleId>(found.size());
  // Lists of children in depth-first order of their headers. [num_cycles] holds the outermost cycles.
  std::vector<CycleId> by_header(num_cycles);
  for (CycleId i = 0; i < num_cycles; ++i) by_header[i] = i;
  const auto number = [&](CycleId i) { return order.reverse_postorder_number[found[i].entries.front()->number()]; };
  std::sort(by_header.begin(), by_header.end(), [&](CycleId a, CycleId b) { return number(a) < number(b); });
  std::vector<CycleId> first_child(num_cycles + 1, kNoCycle);
  std::vector<CycleId> next_sibling(num_cycles, kNoCycle);
  for (size_t i = by_header.size(); i-- > 0;) {
    const CycleId cycle = by_header[i];
    CycleId& first = first_child[found[cycle].parent == kNoCycle ? num_cycles : found[cycle].parent];
    next_sibling[cycle] = std::exchange(first, cycle);
  }
  // Assigns ids in preorder.
  std::vector<CycleId> ids(num_cycles);
  CycleId at = first_child[num_cycles];
  while (at != kNoCycle) {
    const CycleId id = ids[at] = static_cast<CycleId>(cycles_.size());
    const CycleId parent = found[at].parent == kNoCycle ? kNoCycle : ids[found[at].parent];
    cycles_.push_back({.parent = parent,
                       .last_descendant = id,
                       .depth = parent == kNoCycle ? 1 : cycles_[parent].depth + 1,
                       .first_entry = static_cast<uint32_t>(entries_.size()),
                       .num_entries = static_cast<uint32_t>(found[at].entries.size())});
    entries_.insert(entries_.end(), found[at].entries.begin(), found[at].entries.end());
    if (first_child[at] != kNoCycle) {
      at = first_child[at];
      continue;
    }
    while (at != kNoCycle && next_sibling[at] == kNoCycle) {
      at = found[at].parent;
      if (at != kNoCycle) cycles_[ids[at]].last_descendant = static_cast<CycleId>(cycles_.size() - 1);
    }
    if (at != kNoCycle) at = next_sibling[at];
  }
  for (CycleId& cycle : innermost_) {
    if (cycle != kNoCycle) cycle = ids[cycle];
  }
}

CycleId CycleForest::CommonCycle(CycleId a, CycleId b) const {
  if (a == kNoCycle || b == kNoCycle) return kNoCycle;
  while (a != kNoCycle && !Contains(a, b)) a = cycles_[a].parent;
  return a;
}

void CycleForest::ListBlocks() const {
  // Builds for each cycle a list of its blocks and inner cycles in reverse postorder, in which a cycle stands at
  // the place of its header. Then lays the lists out from the outermost cycle in.
  const DepthFirstOrder order(function_, SuccessorOrder::kLastToFirst);
  constexpr uint32_t kEnd = ~uint32_t{0};
  struct Item {
    uint32_t next;
    MachineBasicBlock* block;  // null: a cycle
    CycleId cycle;
  };
  std::vector<Item> items;
  std::vector<uint32_t> first(cycles_.size() + 1, kEnd);  // by cycle; the last entry is for the outermost items
  const auto push = [&](CycleId cycle, MachineBasicBlock* block, CycleId inner) {
    uint32_t& head = first[cycle == kNoCycle ? cycles_.size() : cycle];
    items.push_back({head, block, inner});
    head = static_cast<uint32_t>(items.size() - 1);
  };
  for (size_t i = order.reverse_postorder.size(); i-- > 0;) {
    MachineBasicBlock* block = order.reverse_postorder[i];
    const CycleId cycle = InnermostCycle(*block);
    if (cycle == kNoCycle) continue;
    if (block == Header(cycle)) {
      push(cycles_[cycle].parent, nullptr, cycle);
    } else {
      push(cycle, block, kNoCycle);
    }
  }
  // Headers are pushed last, so that they come first even if edits have changed which block of an irreducible
  // cycle the search reaches first.
  for (CycleId cycle = 0; cycle < num_cycles(); ++cycle) push(cycle, Header(cycle), kNoCycle);
  blocks_.clear();
  first_block_.assign(cycles_.size(), 0);
  num_blocks_.assign(cycles_.size(), 0);
  uint32_t item = first[cycles_.size()];
  CycleId inside = kNoCycle;
  std::vector<uint32_t> after;  // where to continue after a cycle
  while (true) {
    if (item == kEnd) {
      if (inside == kNoCycle) break;
      num_blocks_[inside] = static_cast<uint32_t>(blocks_.size()) - first_block_[inside];
      inside = cycles_[inside].parent;
      item = after.back();
      after.pop_back();
    } else if (items[item].block != nullptr) {
      blocks_.push_back(items[item].block);
      item = items[item].next;
    } else {
      inside = items[item].cycle;
      first_block_[inside] = static_cast<uint32_t>(blocks_.size());
      after.push_back(items[item].next);
      item = first[inside];
    }
  }
  blocks_valid_ = true;
}

absl::Span<MachineBasicBlock* const> CycleForest::Blocks(CycleId cycle) const {
  if (!blocks_valid_) ListBlocks();
  return absl::MakeConstSpan(blocks_).subspan(first_block_[cycle], num_blocks_[cycle]);
}

std::vector<MachineBasicBlock*> CycleForest::Latches(CycleId cycle) const {
  std::vector<MachineBasicBlock*> latches;
  for (MachineBasicBlock* block : Header(cycle)->predecessors()) {
    if (Contains(cycle, *block)) latches.push_back(block);
  }
  return latches;
}

std::vector<MachineBasicBlock*> CycleForest::ExitingBlocks(CycleId cycle) const {
  std::vector<MachineBasicBlock*> result;
  for (MachineBasicBlock* block : Blocks(cycle)) {
    const auto successors = block->successors();
    const bool leaves = std::any_of(successors.begin(), successors.end(),
                                    [&](const MachineBasicBlock* successor) { return !Contains(cycle, *successor); });
    if (leaves) result.push_back(block);
  }
  return result;
}

std::vector<MachineBasicBlock*> CycleForest::ExitBlocks(CycleId cycle) const {
  std::vector<MachineBasicBlock*> result;
  for (const MachineBasicBlock* block : Blocks(cycle)) {
    for (MachineBasicBlock* successor : block->successors()) {
      if (!Contains(cycle, *successor)) result.push_back(successor);
    }
  }
  const auto number = [](const MachineBasicBlock* block) { return block->number(); };
  std::sort(result.begin(), result.end(), [&](auto* a, auto* b) { return number(a) < number(b); });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

MachineBasicBlock* CycleForest::UniqueLatch(CycleId cycle) const {
  const std::vector<MachineBasicBlock*> latches = Latches(cycle);
  return latches.size() == 1 ? latches.front() : nullptr;
}

MachineBasicBlock* CycleForest::UniquePredecessor(CycleId cycle) const {
  if (!IsReducible(cycle)) return nullptr;
  MachineBasicBlock* result = nullptr;
  for (MachineBasicBlock* block : Header(cycle)->predecessors()) {
    if (Contains(cycle, *block)) continue;
    if (result != nullptr && result != block) return nullptr;
    result = block;
  }
  return result;
}

MachineBasicBlock* CycleForest::Preheader(CycleId cycle) const {
  MachineBasicBlock* predecessor = UniquePredecessor(cycle);
  return predecessor != nullptr && predecessor->successors().size() == 1 ? predecessor : nullptr;
}

void CycleForest::AddBlock(const MachineBasicBlock& block, CycleId cycle) {
  if (block.number() >= innermost_.size()) innermost_.resize(block.number() + 1, kNoCycle);
  innermost_[block.number()] = cycle;
  blocks_valid_ = false;
}

void CycleForest::RemoveBlock(BlockNumber block) {
  if (block < innermost_.size()) innermost_[block] = kNoCycle;
  blocks_valid_ = false;
}

std::string CycleForest::ForestDifferenceFrom(const CycleForest& fresh, std::string_view word) const {
  // Describes a cycle by properties that do not depend on its number: its entries, its depth and its parent's
  // header.
  const auto describe = [word](const CycleForest& forest, CycleId cycle) -> std::string {
    if (cycle == kNoCycle) return StrCat("no ", word);
    std::string text = StrCat("the ", word, " of");
    std::vector<BlockNumber> entries;
    for (const MachineBasicBlock* entry : forest.Entries(cycle)) entries.push_back(entry->number());
    std::sort(entries.begin() + 1, entries.end());
    for (const BlockNumber entry : entries) StrAppend(&text, " %bb.", entry);
    StrAppend(&text, " at depth ", forest.Depth(cycle));
    if (forest.Parent(cycle) != kNoCycle) {
      StrAppend(&text, " in that of %bb.", forest.Header(forest.Parent(cycle))->number());
    }
    return text;
  };
  for (const MachineBasicBlock& block : function_) {
    const std::string kept = describe(*this, InnermostCycle(block));
    const std::string computed = describe(fresh, fresh.InnermostCycle(block));
    if (kept != computed) {
      return StrCat("%bb.", block.number(), " is in ", kept, "; recomputed it is in ", computed);
    }
  }
  if (num_cycles() != fresh.num_cycles()) {
    return StrCat("there are ", num_cycles(), " of ", word, "; recomputed there are ", fresh.num_cycles());
  }
  return "";
}

}  // namespace ptxmir
