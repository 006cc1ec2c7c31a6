// SPDX-License-Identifier: Apache-2.0

// Finishes a function. First everything is checked, then the missing parts are made. Incoming values of PHIs are
// copied to registers at the end of their predecessors, terminators get chains to everything that has an effect,
// unreachable blocks are removed, and the others are put into order.

#include <algorithm>
#include <utility>

#include "base/semi_nca.h"
#include "base/str_cat.h"
#include "sdag/builder/function_state.h"

namespace ptxmir::builder {

using sdag::MVT;
using sdag::SDValue;
namespace isd = sdag::isd;

// The blocks as a graph, indexed by number - 1, and its dominator tree with intervals of preorder numbers.
class FunctionState::Dominance {
 public:
  explicit Dominance(const FunctionState& function)
      : function_(function), nca_(static_cast<uint32_t>(function.blocks_.size())) {
    nca_.Visit(*this, 0);
    nca_.ComputeDominators(*this);
    const uint32_t count = nca_.num_visited();
    std::vector<uint32_t> sizes(count, 1);
    for (uint32_t i = count; i-- > 1;) sizes[nca_.dominator(i)] += sizes[i];
    begin_.resize(count);
    end_.resize(count);
    std::vector<uint32_t> next(count, 0);
    for (uint32_t i = 0; i < count; ++i) {
      begin_[i] = i == 0 ? 0 : next[nca_.dominator(i)];
      if (i != 0) next[nca_.dominator(i)] += sizes[i];
      next[i] = begin_[i] + 1;
      end_[i] = begin_[i] + sizes[i];
    }
  }

  // Returns true if `a` dominates `b`. Both must be reachable. A block dominates itself.
  bool Dominates(uint32_t a, uint32_t b) const {
    const uint32_t first = nca_.number(a - 1), second = nca_.number(b - 1);
    return first != SemiNca::kUnreached && begin_[first] <= begin_[second] && begin_[second] < end_[first];
  }

  uint32_t num_successors(uint32_t vertex) const {
    return static_cast<uint32_t>(function_.blocks_[vertex + 1].targets.size());
  }
  uint32_t successor(uint32_t vertex, uint32_t i) const { return function_.blocks_[vertex + 1].targets[i] - 1; }
  uint32_t num_predecessors(uint32_t vertex) const {
    return static_cast<uint32_t>(function_.blocks_[vertex + 1].predecessors.size());
  }
  uint32_t predecessor(uint32_t vertex, uint32_t i) const { return function_.blocks_[vertex + 1].predecessors[i] - 1; }

 private:
  const FunctionState& function_;
  SemiNca nca_;
  std::vector<uint32_t> begin_, end_;
};

bool FunctionState::Finish() {
  if (is_finished_ || !module_.ok()) return module_.ok();
  call_ = "Compile";
  ClearLocation();
  FindReachable();
  if (!CheckEnds()) return false;
  const Dominance dominance(*this);
  if (!CheckPhis(dominance) || !CheckCrossings(dominance)) return false;
  is_finished_ = true;
  MakeIncoming();
  LayOut();
  MakePhis();
  MakeTerminators();
  return true;
}

void FunctionState::FindReachable() {
  std::vector<uint32_t> work = {1};
  blocks_[1].is_reachable = true;
  while (!work.empty()) {
    const uint32_t index = work.back();
    work.pop_back();
    for (const uint32_t next : blocks_[index].targets) {
      BlockInfo& target = blocks_[next];
      target.predecessors.push_back(index);
      if (target.is_reachable) continue;
      target.is_reachable = true;
      work.push_back(next);
    }
  }
}

bool FunctionState::CheckEnds() {
  for (uint32_t i = 1; i < blocks_.size(); ++i) {
    if (blocks_[i].is_reachable && blocks_[i].end == End::kOpen) {
      return Fail(StrCat(BlockName(i), " does not end: it needs Branch, BranchIf, Switch, Return or Unreachable"));
    }
  }
  return true;
}

bool FunctionState::CheckPhis(const Dominance& dominance) {
  for (const PhiInfo& phi : phis_) {
    const uint32_t block = values_[phi.value].block;
    if (!blocks_[block].is_reachable) continue;
    call_ = "Phi(type)";
    for (const uint32_t predecessor : blocks_[block].predecessors) {
      const uint32_t owner = blocks_[predecessor].owner;
      const auto from = std::find_if(phi.incoming.begin(), phi.incoming.end(),
                                     [&](const PhiInfo::Incoming& incoming) { return incoming.block == owner; });
      if (from == phi.incoming.end()) {
        return Fail(StrCat("in ", BlockName(block), ": no value from its predecessor, ", BlockName(owner)));
      }
      const ValueInfo& info = values_[from->value];
      const bool is_computed = info.kind == Kind::kComputed || info.kind == Kind::kPhi;
      if (is_computed && !dominance.Dominates(info.block, predecessor)) {
        return Fail(StrCat("the value from ", BlockName(owner), " was made in ", BlockName(info.block),
                           ", which does not dominate it"));
      }
    }
    for (const PhiInfo::Incoming& incoming : phi.incoming) {
      const std::vector<uint32_t>& predecessors = blocks_[block].predecessors;
      const bool is_predecessor = std::any_of(predecessors.begin(), predecessors.end(), [&](uint32_t predecessor) {
        return blocks_[predecessor].owner == incoming.block;
      });
      if (!is_predecessor && blocks_[incoming.block].is_reachable) {
        return Fail(
            StrCat("in ", BlockName(block), ": a value from ", BlockName(incoming.block), ", which is no predecessor"));
      }
    }
  }
  return true;
}

bool FunctionState::CheckCrossings(const Dominance& dominance) {
  for (const Crossing& crossing : crossings_) {
    const uint32_t block = values_[crossing.value].block;
    if (!blocks_[crossing.block].is_reachable || dominance.Dominates(block, crossing.block)) continue;
    call_ = crossing.call;
    return Fail(StrCat("a value made in ", BlockName(block), ", which does not dominate ", BlockName(crossing.block)));
  }
  return true;
}

// Makes the registers of incoming values of PHIs. A computed value has its own registers; a constant gets some for
// each block that it comes from.
void FunctionState::MakeIncoming() {
  for (size_t i = 0; i < phis_.size(); ++i) {
    const uint32_t block = values_[phis_[i].value].block;
    for (const uint32_t predecessor : blocks_[block].predecessors) {
      for (const PhiInfo::Incoming& incoming : phis_[i].incoming) {
        if (incoming.block != blocks_[predecessor].owner) continue;
        ValueInfo& info = values_[incoming.value];
        if (info.kind == Kind::kPhi) continue;
        if (info.kind == Kind::kComputed) {
          Export(incoming.value);
          continue;
        }
        const auto [it, is_new] =
            outgoing_.try_emplace(uint64_t{incoming.value} << 32 | predecessor, static_cast<uint32_t>(values_.size()));
        if (!is_new) continue;
        ValueInfo copy = info;
        copy.kind = Kind::kComputed;
        copy.block = current_ = predecessor;
        copy.node = MakeLeaf(info);
        NewValue(copy);
        Export(it->second);
      }
    }
  }
}

void FunctionState::LayOut() {
  for (const uint32_t index : placed_) {
    BlockInfo& info = blocks_[index];
    if (info.is_reachable) function_.InsertBlock(nullptr, info.block);
  }
  for (BlockInfo& info : blocks_) {
    if (info.block == nullptr) continue;
    if (!info.is_reachable) {
      dags_->EraseDag(info.block->number());
      function_.InsertBlock(nullptr, info.block);
      function_.EraseBlock(info.block);
      continue;
    }
    const auto count = static_cast<uint32_t>(info.targets.size());
    for (const uint32_t target : info.targets) {
      info.block->AddSuccessor(blocks_[target].block, BranchProbability(BranchProbability::kDenominator / count));
    }
  }
}

void FunctionState::MakePhis() {
  for (const PhiInfo& phi : phis_) {
    const ValueInfo& info = values_[phi.value];
    const BlockInfo& block = blocks_[info.block];
    if (!block.is_reachable) continue;
    for (uint32_t part = 0; part < info.num_parts; ++part) {
      MachineInstrBuilder builder = BuildMI(*block.block, nullptr, generic::kPhi);
      builder.AddDef(PartsOf(info)[part]);
      for (const uint32_t predecessor : block.predecessors) {
        const auto from = std::find_if(
            phi.incoming.begin(), phi.incoming.end(),
            [&](const PhiInfo::Incoming& incoming) { return incoming.block == blocks_[predecessor].owner; });
        const auto copy = outgoing_.find(uint64_t{from->value} << 32 | predecessor);
        const ValueInfo& value = values_[copy == outgoing_.end() ? from->value : copy->second];
        builder.AddUse(PartsOf(value)[part]).AddBlock(*blocks_[predecessor].block);
      }
      builder.Insert();
    }
  }
}

void FunctionState::MakeTerminators() {
  for (uint32_t index = 1; index < blocks_.size(); ++index) {
    BlockInfo& block = blocks_[index];
    if (!block.is_reachable) continue;
    current_ = index;
    std::vector<SDValue> chains = block.exports;
    const SDValue root = Root();
    if (root != dag().EntryToken() || chains.empty()) chains.push_back(root);
    const SDValue chain = dag().GetTokenFactor({}, chains);
    debug_loc_ = block.end_location;
    dag().SetRoot(MakeTerminator(block, chain));
  }
  ClearLocation();
}

// Makes the terminator after everything else in the block, and returns its chain.
SDValue FunctionState::MakeTerminator(const BlockInfo& block, SDValue chain) {
  sdag::SelectionDAG& dag = *block.dag;
  const auto is_next = [&](uint32_t target) { return block.block->IsLayoutSuccessor(blocks_[target].block); };
  const auto block_of = [&](uint32_t target) { return dag.GetBasicBlock(blocks_[target].block->number()); };
  const auto branch_to = [&](uint32_t target) {
    return is_next(target) ? chain : dag.GetNode(isd::kBr, NextLoc(), MVT::kOther, {chain, block_of(target)});
  };
  switch (block.end) {
    case End::kOpen:
      break;
    case End::kBranch:
      return branch_to(block.targets[0]);
    case End::kBranchIf: {
      uint32_t taken = block.targets[0], other = block.targets[1];
      SDValue condition = block.condition;
      if (is_next(taken)) {
        // Invert the condition so that its true target is the fallthrough.
        condition = dag.GetNode(isd::kXor, NextLoc(), MVT::kI1, {condition, dag.GetConstant(1, MVT::kI1)});
        std::swap(taken, other);
      }
      chain = dag.GetNode(isd::kBrCond, NextLoc(), MVT::kOther, {chain, condition, block_of(taken)});
      return branch_to(other);
    }
    case End::kTable: {
      JumpTable table;
      for (const uint32_t target : block.table) table.blocks.push_back(blocks_[target].block->number());
      const auto number = static_cast<uint32_t>(function_.jump_tables().size());
      function_.jump_tables().push_back(std::move(table));
      return dag.GetNode(isd::kBrJT, NextLoc(), MVT::kOther,
                         {chain, dag.GetJumpTable(number, MVT::kI64, true), block.condition});
    }
    case End::kReturn:
      return dag.GetNode(isd::kNvRetGlue, NextLoc(), MVT::kOther, {chain});
    case End::kUnreachable:
      chain = dag.GetNode(isd::kTrap, NextLoc(), MVT::kOther, {chain});
      // Without a return, control would run off the end.
      return dag.GetNode(isd::kNvRetGlue, NextLoc(), MVT::kOther, {chain});
  }
  return chain;
}

}  // namespace ptxmir::builder
