// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/uniformity_computation.h"

#include <algorithm>
#include <string_view>

#include "mir/code/function_ir.h"
#include "mir/code/operand_ranges.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

using ptx::InstrInfo;
using ptx::MemorySpace;
using ptx::Property;

}  // namespace

UniformityComputation::UniformityComputation(const MachineFunction& function, const MachineCycles& cycles,
                                             const MachinePostDominatorTree& post_dominators, UniformityScope scope)
    : function_(function),
      cycles_(cycles),
      post_dominators_(post_dominators),
      scope_(scope),
      is_kernel_(IsKernelFunction(function)),
      order_(function, SuccessorOrder::kLastToFirst),
      joins_(function.block_number_bound()),
      regions_(function.block_number_bound()),
      labels_(function.block_number_bound()),
      label_marks_(function.block_number_bound()),
      is_queued_(function.block_number_bound()) {
  facts_.divergent_registers.resize(function.reg_info().num_virtual_registers() + function.target().phys_regs.size());
  facts_.divergent_branches.resize(function.block_number_bound());
  facts_.divergent_blocks.resize(function.block_number_bound());
  facts_.divergent_cycles.resize(cycles.num_cycles());
  // Steps of label propagation: enough for everything but nests hundreds deep to finish.
  constexpr uint64_t kStepsPerBlock = 64;
  constexpr uint64_t kAlwaysAffordable = 10'000'000;
  steps_left_ = std::max(kStepsPerBlock * function.num_blocks(),
                         std::min<uint64_t>(1000 * function.num_blocks(), kAlwaysAffordable));
}

Uniformity::Facts UniformityComputation::Run() {
  for (const MachineBasicBlock* block : order_.reverse_postorder) {
    for (const MachineInstr& instr : *block) {
      if (!instr.is_debug() && IsSource(instr)) MarkDefinitions(instr);
    }
  }
  while (!worklist_.empty() || !branches_.empty()) {
    while (!worklist_.empty()) {
      const MachineInstr* instr = worklist_.back();
      worklist_.pop_back();
      FollowDivergentUse(*instr);
    }
    if (branches_.empty()) break;
    const MachineBasicBlock* branch = branches_.back();
    branches_.pop_back();
    PropagateLabels(*branch);
    if (steps_left_ == 0) GiveUp();
  }
  MarkControlDependentBlocks();
  return std::move(facts_);
}

// ---- Values

bool UniformityComputation::IsDivergentLoad(const MachineInstr& instr) const {
  const ptx::PtxInstrInfo& info = InstrInfo(instr.opcode());
  switch (ptx::MemorySpaceOf(instr)) {
    case MemorySpace::kConst:
      return false;
    case MemorySpace::kTexture:
      return scope_ == UniformityScope::kCta && !info.Has(Property::kReadonly);
    case MemorySpace::kParam: {
      // Kernels get the same parameters in all threads. Results of calls are in this space, too.
      if (!is_kernel_ || info.address >= instr.num_operands()) return true;
      const MachineOperand& base = instr.operand(info.address);
      return base.is_symbol() && function_.symbol(base.symbol()).starts_with("retval");
    }
    case MemorySpace::kGlobal:
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      if (info.Has(Property::kReadonly)) return false;
      return scope_ == UniformityScope::kCta || ptx::IsOrderedAccess(instr);
    default:
      return true;
  }
}

bool UniformityComputation::IsSource(const MachineInstr& instr) const {
  if (instr.is_phi() || instr.is_copy()) return false;
  const ptx::PtxInstrInfo& info = InstrInfo(instr.opcode());
  if (info.Has(Property::kDivergent | Property::kAtomic | Property::kVolatile | Property::kCarryin | Property::kCall)) {
    return true;
  }
  if (info.Has(Property::kCollective)) return scope_ == UniformityScope::kCta || !info.Has(Property::kAgreed);
  if (info.Has(Property::kPure | Property::kQuery) || instr.is_meta()) return false;
  if (info.Has(Property::kRead) && !info.Has(Property::kWrite | Property::kSide)) return IsDivergentLoad(instr);
  return true;
}

void UniformityComputation::MarkRegister(Register reg) {
  if (!reg.is_valid() || IsDivergent(reg)) return;
  facts_.divergent_registers[RegisterIndex(function_, reg)] = true;
  for (const MachineOperand& use : function_.reg_info().NonDebugUses(reg)) {
    if (!use.is_undef()) worklist_.push_back(use.parent());
  }
}

void UniformityComputation::MarkDefinitions(const MachineInstr& instr) {
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_def()) MarkRegister(operand.reg());
  }
}

void UniformityComputation::FollowDivergentUse(const MachineInstr& instr) {
  const MachineBasicBlock* block = instr.parent();
  if (block == nullptr || !order_.IsReached(block->number())) return;
  if (instr.is_terminator()) MarkBranch(*block);
  if (InstrInfo(instr.opcode()).Has(Property::kAgreed)) {
    const MachineOperand& mask = instr.operand(instr.num_operands() - 1);
    if (!mask.is_reg() || !IsDivergent(mask.reg())) return;
  }
  MarkDefinitions(instr);
}

// ---- Control

void UniformityComputation::MarkBranch(const MachineBasicBlock& block) {
  if (block.successors().size() < 2 || facts_.divergent_branches[block.number()]) return;
  facts_.divergent_branches[block.number()] = true;
  branches_.push_back(&block);
}

void UniformityComputation::MarkJoin(const MachineBasicBlock& block) {
  if (joins_[block.number()]) return;
  joins_[block.number()] = true;
  for (const MachineInstr& phi : block) {
    if (!phi.is_phi()) break;
    // If all predecessors bring the same value, the PHI is a copy of it.
    const auto incomings = PhiIncomings(phi);
    const bool is_copy = std::all_of(incomings.begin(), incomings.end(), [&](const PhiIncoming& incoming) {
      return incoming.reg() == incomings[0].reg() || incoming.value().is_undef() ||
             incoming.reg() == phi.operand(0).reg();
    });
    if (!is_copy) MarkDefinitions(phi);
  }
}

void UniformityComputation::MarkRegion(const MachineBasicBlock& block) {
  if (regions_[block.number()]) return;
  regions_[block.number()] = true;
  if (function_.HasProperty(FunctionProperty::kIsSsa)) return;
  for (const MachineInstr& instr : block) {
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_def() && operand.reg().is_valid() && function_.reg_info().UniqueDef(operand.reg()) == nullptr) {
        MarkRegister(operand.reg());
      }
    }
  }
}

void UniformityComputation::MarkCycle(CycleId cycle) {
  if (facts_.divergent_cycles[cycle]) return;
  facts_.divergent_cycles[cycle] = true;
  for (const MachineBasicBlock* block : cycles_.Blocks(cycle)) {
    MarkRegion(*block);
    for (const MachineInstr& instr : *block) {
      for (const MachineOperand& def : instr.operands()) {
        if (!def.is_def() || !def.reg().is_valid()) continue;
        for (const MachineOperand& use : function_.reg_info().NonDebugUses(def.reg())) {
          const MachineBasicBlock* user = use.parent()->parent();
          if (user != nullptr && !cycles_.Contains(cycle, *user)) worklist_.push_back(use.parent());
        }
      }
    }
  }
}

void UniformityComputation::GiveUp() {
  steps_left_ = 0;
  worklist_.clear();
  branches_.clear();
  std::fill(facts_.divergent_cycles.begin(), facts_.divergent_cycles.end(), true);
  for (const MachineBasicBlock* block : order_.reverse_postorder) {
    facts_.divergent_branches[block->number()] = block->successors().size() > 1;
    for (const MachineInstr& instr : *block) {
      for (const MachineOperand& operand : instr.operands()) {
        if (operand.is_def() && operand.reg().is_valid()) {
          facts_.divergent_registers[RegisterIndex(function_, operand.reg())] = true;
        }
      }
    }
  }
}

void UniformityComputation::AddExits(CycleId cycle, bool with_own_labels, std::vector<Arrival>& exits) {
  Spend(cycles_.Blocks(cycle).size());
  for (const MachineBasicBlock* block : cycles_.Blocks(cycle)) {
    for (const MachineBasicBlock* successor : block->successors()) {
      if (cycles_.Contains(cycle, *successor)) continue;
      exits.emplace_back(successor->number(), with_own_labels ? block->number() : cycles_.Header(cycle)->number());
    }
  }
}

void UniformityComputation::PropagateLabels(const MachineBasicBlock& branch) {
  ++label_mark_;
  std::vector<Arrival> arrivals;
  for (const MachineBasicBlock* successor : branch.successors()) {
    arrivals.emplace_back(successor->number(), successor->number());
  }
  for (CycleId cycle = cycles_.InnermostCycle(branch);; cycle = cycles_.Parent(cycle)) {
    if (!PropagateWithin(cycle, arrivals) || cycle == CycleForest::kNoCycle) return;
  }
}

bool UniformityComputation::PropagateWithin(CycleId cycle, std::vector<Arrival>& arrivals) {
  std::vector<Arrival> exits;
  const bool is_function = cycle == CycleForest::kNoCycle;
  if (!is_function && !cycles_.IsReducible(cycle)) {
    MarkCycle(cycle);
    for (const MachineBasicBlock* block : cycles_.Blocks(cycle)) {
      if (block->predecessors().size() > 1) MarkJoin(*block);
    }
    AddExits(cycle, true, exits);
    arrivals = std::move(exits);
    return !arrivals.empty();
  }
  is_header_reached_ = false;
  header_label_ = kNoLabel;
  for (const auto& [block, label] : arrivals) Arrive(cycle, block, label, exits);
  while (!queue_.empty()) {
    const BlockNumber number = queue_.top().second;
    queue_.pop();
    is_queued_[number] = false;
    const MachineBasicBlock& block = *function_.block(number);
    // All remaining paths have met here, unless some of them come back to blocks that others passed through.
    if (queue_.empty() && exits.empty() && !is_header_reached_ && !IsInIrreducibleCycle(block, cycle)) return false;
    MarkRegion(block);
    for (const MachineBasicBlock* successor : block.successors()) {
      Spend(1);
      Arrive(cycle, successor->number(), labels_[number], exits);
    }
  }
  if (exits.empty()) return false;
  if (is_header_reached_) {
    // Some threads leave and others execute another iteration.
    MarkCycle(cycle);
    AddExits(cycle, false, exits);
  }
  arrivals = std::move(exits);
  return true;
}

bool UniformityComputation::IsInIrreducibleCycle(const MachineBasicBlock& block, CycleId within) const {
  for (CycleId cycle = cycles_.InnermostCycle(block); cycle != within; cycle = cycles_.Parent(cycle)) {
    if (!cycles_.IsReducible(cycle)) return true;
  }
  return false;
}

void UniformityComputation::Arrive(CycleId cycle, BlockNumber number, BlockNumber label, std::vector<Arrival>& exits) {
  const MachineBasicBlock& block = *function_.block(number);
  if (cycle != CycleForest::kNoCycle) {
    if (!cycles_.Contains(cycle, block)) return exits.emplace_back(number, label), void();
    if (&block == cycles_.Header(cycle)) {
      is_header_reached_ = true;
      if (header_label_ != kNoLabel && header_label_ != label) MarkJoin(block);
      header_label_ = label;
      return;
    }
  }
  if (label_marks_[number] != label_mark_) {
    label_marks_[number] = label_mark_;
    labels_[number] = label;
  } else if (labels_[number] == label) {
    return;
  } else {
    // From here on, all paths have the label of the join.
    MarkJoin(block);
    if (labels_[number] == number) return;
    labels_[number] = number;
  }
  if (is_queued_[number]) return;
  is_queued_[number] = true;
  queue_.emplace(order_.reverse_postorder_number[number], number);
}

void UniformityComputation::MarkControlDependentBlocks() {
  // For each successor of a divergent branch, walks up the post-dominator tree to what post-dominates the branch,
  // and marks the blocks. Path halving skips blocks that were marked before.
  std::vector<const MachineBasicBlock*> worklist;
  for (const MachineBasicBlock& block : function_) {
    if (facts_.divergent_branches[block.number()]) worklist.push_back(&block);
  }
  // By block: the block itself if it is not marked, otherwise one farther up. kNoLabel is above all.
  std::vector<BlockNumber> up(function_.block_number_bound());
  for (BlockNumber i = 0; i < up.size(); ++i) up[i] = i;
  const auto parent = [&](BlockNumber block) {
    const MachineBasicBlock* above = post_dominators_.ImmediateDominator(*function_.block(block));
    return above == nullptr ? kNoLabel : above->number();
  };
  const auto first_unmarked = [&](BlockNumber block) {
    while (block != kNoLabel && up[block] != block) {
      if (up[block] != kNoLabel) up[block] = up[up[block]];
      block = up[block];
    }
    return block;
  };
  while (!worklist.empty()) {
    const MachineBasicBlock& branch = *worklist.back();
    worklist.pop_back();
    const MachineBasicBlock* end = post_dominators_.ImmediateDominator(branch);
    const uint32_t end_level = end == nullptr ? 0 : post_dominators_.Level(*end);
    for (const MachineBasicBlock* successor : branch.successors()) {
      BlockNumber at = first_unmarked(successor->number());
      while (at != kNoLabel && post_dominators_.Level(*function_.block(at)) > end_level) {
        const MachineBasicBlock& block = *function_.block(at);
        facts_.divergent_blocks[at] = true;
        up[at] = parent(at);
        if (block.successors().size() > 1 && !facts_.divergent_branches[at]) worklist.push_back(&block);
        at = first_unmarked(at);
      }
    }
  }
}

}  // namespace ptxmir
