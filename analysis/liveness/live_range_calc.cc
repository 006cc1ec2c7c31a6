// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_range_calc.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

// Visits the instruction and, if it is the head of a bundle, the instructions inside.
template <typename Visit>
void ForEachInBundle(const MachineInstr& head, Visit visit) {
  visit(head);
  for (const MachineInstr* instr = &head; instr->has_flag(MachineInstr::kBundledSucc);) {
    instr = instr->next();
    if (instr == nullptr || !instr->has_flag(MachineInstr::kBundledPred)) return;
    if (!instr->is_debug()) visit(*instr);
  }
}

}  // namespace

SlotIndex LiveRangeCalc::UseIndex(const MachineInstr& instr, unsigned operand, SlotIndex index) {
  // An operand that is tied to an early-clobber definition is read at that definition's slot.
  const bool early =
      instr.operand(operand).is_tied() && instr.operand(instr.FindTiedOperand(operand)).is_early_clobber();
  return index.RegSlot(early);
}

void LiveRangeCalc::ScanFunction() {
  num_virtual_ = function_.reg_info().num_virtual_registers();
  registers_.assign(num_virtual_ + function_.target().phys_regs.size(), RegisterState());
  nodes_.reserve(num_virtual_ + num_virtual_ / 2);
  for (const MachineBasicBlock& block : function_) {
    const SlotIndex block_start = indexes_.BlockStart(block);
    const BlockNumber number = block.number();
    for (const MachineInstr& instr : block) {
      // Instructions inside a bundle are handled with its head: all of them read before any of them writes.
      if (!SlotIndexes::IsIndexed(instr) || !indexes_.HasIndex(instr)) continue;
      const SlotIndex index = indexes_.InstrIndex(instr);
      if (instr.is_phi()) {
        ScanPhi(instr, block, index);
        continue;
      }
      ForEachInBundle(instr, [&](const MachineInstr& inner) {
        const absl::Span<const MachineOperand> operands = inner.operands();
        for (unsigned i = 0; i < operands.size(); ++i) {
          if (!ReadsValue(operands[i])) continue;
          NoteUse(registers_[IndexOf(operands[i].reg())], number, block_start, UseIndex(inner, i, index));
        }
      });
      ForEachInBundle(instr, [&](const MachineInstr& inner) {
        for (const MachineOperand& operand : inner.operands()) {
          if (!operand.is_def() || !operand.reg().is_valid()) continue;
          NoteDef(registers_[IndexOf(operand.reg())], number, block_start, index.RegSlot(operand.is_early_clobber()));
        }
      });
    }
  }
}

void LiveRangeCalc::ScanPhi(const MachineInstr& phi, const MachineBasicBlock& block, SlotIndex index) {
  for (const MachineOperand& result : phi.explicit_defs()) {
    if (!result.reg().is_valid()) continue;
    NoteDef(registers_[IndexOf(result.reg())], block.number(), indexes_.BlockStart(block), index.RegSlot());
  }
  for (const PhiIncoming incoming : PhiIncomings(phi)) {
    if (!ReadsValue(incoming.value()) || !incoming.block().is_block()) continue;
    NoteRequest(registers_[IndexOf(incoming.reg())], incoming.predecessor());
  }
}

void LiveRangeCalc::ReleaseScan() {
  LargeVector<RegisterState>().swap(registers_);
  LargeVector<Node>().swap(nodes_);
  LargeVector<Request>().swap(requests_);
}

uint32_t LiveRangeCalc::AppendNode(RegisterState& state, Node node) {
  const uint32_t number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(node);
  if (state.tail != kNone) nodes_[state.tail].next = number;
  if (state.head == kNone) state.head = number;
  state.tail = number;
  return number;
}

void LiveRangeCalc::NoteUse(RegisterState& state, BlockNumber block, SlotIndex block_start, SlotIndex use) {
  if (state.tail != kNone && nodes_[state.tail].start >= block_start) {
    nodes_[state.tail].end = std::max(nodes_[state.tail].end, use);
    return;
  }
  state.is_live_in = true;
  AppendNode(state, {block_start, use, kNone, block, true});
}

void LiveRangeCalc::NoteDef(RegisterState& state, BlockNumber block, SlotIndex block_start, SlotIndex def) {
  if (state.tail != kNone && nodes_[state.tail].start >= block_start) {
    Node& last = nodes_[state.tail];
    if (!last.is_live_in && SlotIndex::IsSameInstr(last.start, def)) {
      // One instruction defines the register twice; the earlier definition counts.
      last.start = std::min(last.start, def);
      return;
    }
    // An early-clobber definition ends the value that the instruction reads. Only wrong code does that.
    last.end = std::min(last.end, def);
  }
  ++state.num_defs;
  AppendNode(state, {def, def.DeadSlot(), kNone, block, false});
}

void LiveRangeCalc::NoteRequest(RegisterState& state, BlockNumber block) {
  if (function_.block(block) == nullptr) return;
  requests_.push_back({block, state.request});
  state.request = static_cast<uint32_t>(requests_.size() - 1);
}

void LiveRangeCalc::Compute(Register reg, LiveRange& range) {
  references_.clear();
  RegisterState state;
  for (const MachineOperand& operand : function_.reg_info().Operands(reg)) {
    const MachineInstr* instr = operand.parent();
    if (instr->is_debug() || !instr->is_linked() || !indexes_.HasIndex(*instr)) continue;
    if (!operand.is_def() && !ReadsValue(operand)) continue;
    references_.push_back({indexes_.InstrIndex(*instr), operand.is_def(), operand.operand_number(), instr});
  }
  // Uses come before definitions of the same index. They may be in different instructions of a bundle.
  std::sort(references_.begin(), references_.end(), [](const Reference& a, const Reference& b) {
    return std::pair(a.index, a.is_def) < std::pair(b.index, b.is_def);
  });
  for (const auto& [index, is_def, operand, instr] : references_) {
    const BlockNumber block = instr->parent()->number();
    if (is_def) {
      NoteDef(state, block, indexes_.BlockStart(block), index.RegSlot(instr->operand(operand).is_early_clobber()));
    } else if (instr->is_phi()) {
      NoteRequest(state, instr->operand(operand + 1).block());
    } else {
      NoteUse(state, block, indexes_.BlockStart(block), UseIndex(*instr, operand, index));
    }
  }
  if (state.head != kNone || state.request != kNone) Finish(state, range);
  nodes_.clear();
  requests_.clear();
}

void LiveRangeCalc::BeginRegister() {
  if (blocks_.size() < function_.block_number_bound()) blocks_.resize(function_.block_number_bound());
  ++epoch_;
  work_.clear();
  entered_.clear();
  added_.clear();
}

LiveRangeCalc::BlockState& LiveRangeCalc::StateOf(BlockNumber block) {
  BlockState& state = blocks_[block];
  if (state.epoch != epoch_) {
    state = BlockState();
    state.epoch = epoch_;
  }
  return state;
}

void LiveRangeCalc::Finish(const RegisterState& state, LiveRange& range) {
  if (!state.is_live_in && state.request == kNone) {
    segments_.clear();
    defs_.clear();
    for (uint32_t i = state.head; i != kNone; i = nodes_[i].next) {
      segments_.push_back({nodes_[i].start, nodes_[i].end, static_cast<ValueId>(defs_.size())});
      defs_.push_back(nodes_[i].start);
    }
    range.Set(segments_, defs_);
    return;
  }
  BeginRegister();
  const size_t num_nodes = nodes_.size();
  WalkUp(state);
  OrderNodes(state);
  bool has_undefined_entry = false;
  for (const BlockNumber block : entered_) has_undefined_entry |= IsEntry(*function_.block(block));
  if (state.num_defs == 1 && !has_undefined_entry) {
    EmitSingleValue(range);
  } else {
    AssignValues();
    EmitValues(range);
  }
  nodes_.resize(num_nodes);
}

void LiveRangeCalc::WalkUp(const RegisterState& state) {
  for (uint32_t i = state.head; i != kNone; i = nodes_[i].next) {
    const Node& node = nodes_[i];
    BlockState& block = StateOf(node.block);
    block.node = i;
    if (!node.is_live_in) continue;
    entered_.push_back(node.block);
    work_.push_back(node.block);
  }
  for (uint32_t i = state.request; i != kNone; i = requests_[i].next) MakeLiveOut(*function_.block(requests_[i].block));
  while (!work_.empty()) {
    const MachineBasicBlock* block = function_.block(work_.back());
    work_.pop_back();
    for (const MachineBasicBlock* predecessor : block->predecessors()) MakeLiveOut(*predecessor);
  }
}

void LiveRangeCalc::MakeLiveOut(const MachineBasicBlock& block) {
  BlockState& state = StateOf(block.number());
  if (state.is_out_known) return;
  state.is_out_known = true;
  if (state.node != kNone) {
    nodes_[state.node].end = indexes_.BlockEnd(block);
    state.out = nodes_[state.node].is_live_in ? kThrough : state.node;
    return;
  }
  state.node = static_cast<uint32_t>(nodes_.size());
  state.out = kThrough;
  nodes_.push_back({indexes_.BlockStart(block), indexes_.BlockEnd(block), kNone, block.number(), true});
  added_.push_back(state.node);
  entered_.push_back(block.number());
  work_.push_back(block.number());
}

void LiveRangeCalc::OrderNodes(const RegisterState& state) {
  const auto by_start = [this](uint32_t a, uint32_t b) { return nodes_[a].start < nodes_[b].start; };
  std::sort(added_.begin(), added_.end(), by_start);
  order_.clear();
  size_t next_added = 0;
  for (uint32_t i = state.head; i != kNone; i = nodes_[i].next) {
    while (next_added < added_.size() && by_start(added_[next_added], i)) order_.push_back(added_[next_added++]);
    order_.push_back(i);
  }
  order_.insert(order_.end(), added_.begin() + static_cast<ptrdiff_t>(next_added), added_.end());
}

void LiveRangeCalc::EmitSingleValue(LiveRange& range) {
  segments_.clear();
  defs_.clear();
  for (const uint32_t i : order_) {
    const Node& node = nodes_[i];
    if (!node.is_live_in) defs_.push_back(node.start);
    if (!segments_.empty() && segments_.back().end == node.start) {
      segments_.back().end = node.end;
    } else {
      segments_.push_back({node.start, node.end, 0});
    }
  }
  range.Set(segments_, defs_);
}

void LiveRangeCalc::EmitValues(LiveRange& range) {
  segments_.clear();
  defs_.clear();
  // Numbers the values in the order of their definitions.
  for (const uint32_t i : order_) {
    Node& node = nodes_[i];
    if (node.is_live_in && !blocks_[node.block].is_phi) continue;
    node.next = static_cast<uint32_t>(defs_.size());
    defs_.push_back(node.start);
    // From here on, a block's node holds the number of its PHI-def.
    if (node.is_live_in) blocks_[node.block].node = node.next;
  }
  for (const uint32_t i : order_) {
    const Node& node = nodes_[i];
    ValueId value = node.next;
    if (node.is_live_in) {
      const uint32_t code = blocks_[node.block].in;
      value = (code & kPhiCode) != 0 ? blocks_[code & ~kPhiCode].node : nodes_[code].next;
    }
    if (!segments_.empty() && segments_.back().end == node.start && segments_.back().value == value) {
      segments_.back().end = node.end;
    } else {
      segments_.push_back({node.start, node.end, value});
    }
  }
  range.Set(segments_, defs_);
}

void LiveRangeCalc::ComputeReversePostOrder() {
  const BlockNumber bound = function_.block_number_bound();
  reverse_post_order_.assign(bound, kNone);
  std::vector<bool> seen(bound, false);
  std::vector<std::pair<const MachineBasicBlock*, size_t>> stack;
  // Later blocks are searched later but come first in the order, so unreachable parts follow at the end.
  std::vector<BlockNumber> post_order;
  std::vector<std::pair<size_t, size_t>> searches;
  for (const MachineBasicBlock& root : function_) {
    if (seen[root.number()]) continue;
    const size_t begin = post_order.size();
    seen[root.number()] = true;
    stack.push_back({&root, 0});
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == block->successors().size()) {
        post_order.push_back(block->number());
        stack.pop_back();
        continue;
      }
      const MachineBasicBlock* successor = block->successors()[next++];
      if (seen[successor->number()]) continue;
      seen[successor->number()] = true;
      stack.push_back({successor, 0});
    }
    searches.push_back({begin, post_order.size()});
  }
  uint32_t number = 0;
  for (const auto& [begin, end] : searches) {
    for (size_t i = end; i-- > begin;) reverse_post_order_[post_order[i]] = number++;
  }
}

void LiveRangeCalc::AssignValues() {
  if (reverse_post_order_.size() != function_.block_number_bound()) ComputeReversePostOrder();
  std::sort(entered_.begin(), entered_.end(),
            [this](BlockNumber a, BlockNumber b) { return reverse_post_order_[a] < reverse_post_order_[b]; });
  for (const BlockNumber number : entered_) blocks_[number].is_phi = IsEntry(*function_.block(number));
  for (bool changed = true; changed;) {
    for (const BlockNumber number : entered_) {
      blocks_[number].in = blocks_[number].is_phi ? kPhiCode | number : kNoCode;
    }
    changed = PropagateValues();
    changed |= CompareBackEdges();
  }
}

// Returns true if PHI-defs were added.
bool LiveRangeCalc::PropagateValues() {
  bool changed = false;
  for (const BlockNumber number : entered_) {
    BlockState& state = blocks_[number];
    if (state.is_phi) continue;
    uint32_t value = kNoCode;
    for (const MachineBasicBlock* predecessor : function_.block(number)->predecessors()) {
      const uint32_t out = OutOf(predecessor->number());
      if (out == kNoCode || out == value) continue;
      if (value != kNoCode) {
        state.is_phi = true;
        value = kPhiCode | number;
        break;
      }
      value = out;
    }
    if (value == kNoCode) {
      // Unreachable code that forms a cycle.
      state.is_phi = true;
      value = kPhiCode | number;
    }
    changed |= state.is_phi;
    state.in = value;
  }
  return changed;
}

bool LiveRangeCalc::CompareBackEdges() {
  bool changed = false;
  for (const BlockNumber number : entered_) {
    BlockState& state = blocks_[number];
    if (state.is_phi) continue;
    for (const MachineBasicBlock* predecessor : function_.block(number)->predecessors()) {
      if (OutOf(predecessor->number()) == state.in) continue;
      state.is_phi = true;
      changed = true;
      break;
    }
  }
  return changed;
}

void LiveRangeCalc::EnterBlock(const MachineBasicBlock& block, SlotIndex end) {
  BlockState& state = StateOf(block.number());
  if (state.node != kNone) {
    nodes_[state.node].end = std::max(nodes_[state.node].end, end);
    return;
  }
  state.node = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({indexes_.BlockStart(block), end, kNone, block.number(), true});
  entered_.push_back(block.number());
  work_.push_back(block.number());
}

void LiveRangeCalc::ExtendUpward(LiveRange& range) {
  while (!work_.empty()) {
    const MachineBasicBlock* block = function_.block(work_.back());
    work_.pop_back();
    for (const MachineBasicBlock* predecessor : block->predecessors()) {
      BlockState& state = StateOf(predecessor->number());
      if (state.is_out_known) continue;
      state.is_out_known = true;
      const SlotIndex end = indexes_.BlockEnd(*predecessor);
      state.out = range.ExtendInBlock(indexes_.BlockStart(*predecessor), end);
      if (state.out != kNoValue) continue;
      state.out = kThrough;
      EnterBlock(*predecessor, end);
    }
  }
}

void LiveRangeCalc::Extend(LiveRange& range, absl::Span<const SlotIndex> uses) {
  BeginRegister();
  for (const SlotIndex use : uses) {
    const MachineBasicBlock& block = *indexes_.BlockAt(use.Previous());
    if (range.ExtendInBlock(indexes_.BlockStart(block), use) == kNoValue) EnterBlock(block, use);
  }
  if (entered_.empty()) return;
  ExtendUpward(range);
  AssignValues();
  for (const BlockNumber number : entered_) {
    BlockState& state = blocks_[number];
    // Replaces the code of the PHI-def by its number.
    if (state.is_phi) state.out = range.CreateValue(nodes_[state.node].start);
  }
  segments_.clear();
  for (const BlockNumber number : entered_) {
    const BlockState& state = blocks_[number];
    const ValueId value = (state.in & kPhiCode) != 0 ? blocks_[state.in & ~kPhiCode].out : state.in;
    segments_.push_back({nodes_[state.node].start, nodes_[state.node].end, value});
  }
  std::sort(segments_.begin(), segments_.end(),
            [](const LiveSegment& a, const LiveSegment& b) { return a.start < b.start; });
  range.AddSegments(segments_);
  nodes_.clear();
}

}  // namespace ptxmir
