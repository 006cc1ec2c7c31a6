// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_loops.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "ir/ir_nvvm.h"

namespace ptxmir::ptx {
namespace {

// The innermost natural loop of every block. Dominators are computed by the iteration of Cooper, Harvey and Kennedy.
// Then comes one backward walk per loop, inner loops first, in which a finished inner loop counts as one block.
class InnermostLoops {
 public:
  explicit InnermostLoops(const MachineFunction& function)
      : function_(function),
        rank_(function.block_number_bound(), kNone),
        header_(function.block_number_bound(), kNone),
        outer_(function.block_number_bound(), kNone) {
    ComputeOrder();
    ComputeDominators();
    for (size_t i = order_.size(); i-- > 0;) DiscoverLoop(order_[i]);
  }

  static constexpr uint32_t kNone = ~uint32_t{0};

  // Returns the number of the header of the innermost loop around the block, or kNone.
  uint32_t HeaderOf(const MachineBasicBlock& block) const { return header_[block.number()]; }

 private:
  bool IsReachable(const MachineBasicBlock& block) const { return rank_[block.number()] != kNone; }

  // Computes the reverse postorder and the rank of each block in it.
  void ComputeOrder() {
    std::vector<std::pair<const MachineBasicBlock*, size_t>> stack;
    std::vector<bool> seen(rank_.size());
    std::vector<const MachineBasicBlock*> postorder;
    stack.emplace_back(function_.front(), 0);
    seen[function_.front()->number()] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == block->successors().size()) {
        postorder.push_back(block);
        stack.pop_back();
        continue;
      }
      const MachineBasicBlock* successor = block->successors()[next++];
      if (seen[successor->number()]) continue;
      seen[successor->number()] = true;
      stack.emplace_back(successor, 0);
    }
    order_.assign(postorder.rbegin(), postorder.rend());
    for (uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]->number()] = i;
  }

  // Computes dominator_[i]: the rank of the immediate dominator of the block with rank i.
  void ComputeDominators() {
    dominator_.assign(order_.size(), kNone);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 1; i < order_.size(); ++i) {
        uint32_t common = kNone;
        for (const MachineBasicBlock* predecessor : order_[i]->predecessors()) {
          const uint32_t rank = rank_[predecessor->number()];
          if (rank == kNone || dominator_[rank] == kNone) continue;
          common = common == kNone ? rank : Intersect(common, rank);
        }
        if (dominator_[i] != common) {
          dominator_[i] = common;
          changed = true;
        }
      }
    }
  }

  uint32_t Intersect(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (a > b) a = dominator_[a];
      while (b > a) b = dominator_[b];
    }
    return a;
  }

  bool Dominates(uint32_t a, uint32_t b) const {
    while (b > a) b = dominator_[b];
    return a == b;
  }

  uint32_t Outermost(uint32_t header) const {
    while (outer_[header] != kNone) header = outer_[header];
    return header;
  }

  void DiscoverLoop(const MachineBasicBlock* header) {
    const uint32_t number = header->number();
    worklist_.clear();
    for (const MachineBasicBlock* latch : header->predecessors()) {
      if (IsReachable(*latch) && Dominates(rank_[number], rank_[latch->number()])) {
        worklist_.push_back(latch);
      }
    }
    while (!worklist_.empty()) {
      const MachineBasicBlock* block = worklist_.back();
      worklist_.pop_back();
      uint32_t inner = header_[block->number()];
      if (inner == kNone) {
        header_[block->number()] = number;
        if (block == header) continue;
      } else {
        inner = Outermost(inner);
        if (inner == number) continue;
        outer_[inner] = number;
        block = function_.block(inner);
      }
      for (const MachineBasicBlock* predecessor : block->predecessors()) {
        if (IsReachable(*predecessor)) worklist_.push_back(predecessor);
      }
    }
  }

  const MachineFunction& function_;
  std::vector<const MachineBasicBlock*> order_;
  std::vector<uint32_t> rank_;       // by block number
  std::vector<uint32_t> dominator_;  // by rank
  std::vector<uint32_t> header_;     // by block number
  std::vector<uint32_t> outer_;      // by number of a header: the header of the next outer loop
  std::vector<const MachineBasicBlock*> worklist_;
};

// Returns true if the body names a loop that must not be unrolled. Finding the blocks of a body takes longer.
bool MayForbidUnrolling(const Module& module, const IrFunction& function) {
  bool forbids = false;
  ForEachLoopMetadata(function, [&](MetadataId loop) { forbids = forbids || ForbidsUnrolling(module, loop); });
  return forbids;
}

}  // namespace

std::vector<bool> FindNoUnrollHeaders(const Module& module, const IrFunction& ir_function,
                                      const MachineFunction& function) {
  if (function.empty() || !MayForbidUnrolling(module, ir_function)) return {};
  std::vector<const MachineBasicBlock*> latches;
  for (const MachineBasicBlock& block : function) {
    if (block.name.empty() && block.ir_block.empty()) continue;
    const IrBlock* ir_block = module.FindIrBlock(ir_function, block.name, block.ir_block);
    if (ir_block != nullptr && ir_block->loop.has_value() && ForbidsUnrolling(module, *ir_block->loop)) {
      latches.push_back(&block);
    }
  }
  if (latches.empty()) return {};
  const InnermostLoops loops(function);
  std::vector<bool> headers(function.block_number_bound());
  for (const MachineBasicBlock* latch : latches) {
    for (const MachineBasicBlock* successor : latch->successors()) {
      if (loops.HeaderOf(*latch) == successor->number()) headers[successor->number()] = true;
    }
  }
  return headers;
}

}  // namespace ptxmir::ptx
