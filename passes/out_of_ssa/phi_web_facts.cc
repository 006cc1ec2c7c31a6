// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/phi_web_facts.h"

#include <algorithm>
#include <utility>

#include "mir/code/operand_ranges.h"
#include "passes/out_of_ssa/copies.h"

namespace ptxmir {
namespace {

// Adds the edges of a PHI. `seen` has, for each block, the number of the last PHI that named it.
void AddEdges(const MachineInstr& phi, std::vector<uint32_t>& seen, PhiWebFacts& facts) {
  const uint32_t number = static_cast<uint32_t>(facts.phis.size());
  for (const PhiIncoming incoming : PhiIncomings(phi)) {
    // A predecessor with several edges to this block is named once for each edge, with the same value.
    const BlockNumber predecessor = incoming.predecessor();
    if (std::exchange(seen[predecessor], number) == number) continue;
    const MachineOperand& source = incoming.value();
    const bool undefined = IsUndefinedSource(source, facts.reg_info);
    if (undefined && source.reg().is_virtual()) facts.undefined_sources.push_back(source.reg());
    facts.edges.push_back({predecessor, undefined ? Register() : source.reg()});
  }
}

void FindPhis(PhiWebFacts& facts) {
  std::vector<uint32_t> seen(facts.function.block_number_bound());
  for (MachineBasicBlock& block : facts.function) {
    for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
      facts.phis.push_back({phi, &block, static_cast<uint32_t>(facts.edges.size()), phi->operand(0).reg()});
      AddEdges(*phi, seen, facts);
    }
  }
}

void FindCopies(PhiWebFacts& facts) {
  if (!facts.function.MayContain(generic::kCopy)) return;
  for (MachineBasicBlock& block : facts.function) {
    for (MachineInstr& instr : block) {
      if (IsCoalescableCopy(instr, facts.reg_info)) facts.copies.push_back(&instr);
    }
  }
}

std::vector<uint32_t> FollowCopies(const PhiWebFacts& facts) {
  std::vector<uint32_t> origin(facts.num_registers);
  for (uint32_t i = 0; i < origin.size(); ++i) origin[i] = i;
  for (const MachineInstr* copy : facts.copies) {
    origin[copy->operand(0).reg().virtual_index()] = copy->operand(1).reg().virtual_index();
  }
  for (const MachineInstr* copy : facts.copies) {
    const uint32_t target = copy->operand(0).reg().virtual_index();
    uint32_t first = target;
    while (origin[first] != first) first = origin[first] = origin[origin[first]];
    origin[target] = first;
  }
  return origin;
}

// Returns the registers that may become part of a web.
std::vector<Register> RegistersOfWebs(const PhiWebFacts& facts) {
  std::vector<bool> is_listed(facts.num_registers);
  std::vector<Register> registers;
  const auto add = [&](Register reg) {
    if (!reg.is_virtual() || is_listed[reg.virtual_index()]) return;
    is_listed[reg.virtual_index()] = true;
    registers.push_back(reg);
  };
  for (const PhiWebFacts::Phi& phi : facts.phis) add(phi.result);
  for (const PhiWebFacts::Edge& edge : facts.edges) add(edge.source);
  for (const MachineInstr* const copy : facts.copies) {
    add(copy->operand(0).reg());
    add(copy->operand(1).reg());
  }
  return registers;
}

}  // namespace

PhiWebFacts::PhiWebFacts(MachineFunction& of, AnalysisManager& analyses)
    : function(of), reg_info(of.reg_info()), num_registers(of.reg_info().num_virtual_registers()) {
  FindPhis(*this);
  if (phis.empty()) return;
  FindCopies(*this);
  origin = FollowCopies(*this);
  own_intervals.emplace(of, analyses, RegistersOfWebs(*this));
}

SlotIndex PhiWebFacts::EndCopyIndex(BlockNumber number) const {
  const SlotIndexes& indexes = intervals().indexes();
  const MachineInstr* terminator = function.block(number)->FirstTerminator();
  return terminator != nullptr ? indexes.InstrIndex(*terminator).Base() : indexes.BlockEnd(number).Previous();
}

std::vector<LiveSegment>& PhiWebSegments::OfPhi(uint32_t phi) {
  const SlotIndexes& indexes = facts_.intervals().indexes();
  segments_.clear();
  const SlotIndex top = indexes.BlockStart(*facts_.phis[phi].block);
  segments_.push_back({top, top.Next(), facts_.ValueOf(facts_.phis[phi].result)});
  for (const PhiWebFacts::Edge& edge : facts_.EdgesOf(phi)) {
    if (!edge.source.is_valid()) continue;
    segments_.push_back(
        {facts_.EndCopyIndex(edge.predecessor), indexes.BlockEnd(edge.predecessor), facts_.ValueOf(edge.source)});
  }
  return segments_;
}

std::vector<LiveSegment>& PhiWebSegments::OfRegister(Register reg) {
  const SlotIndexes& indexes = facts_.intervals().indexes();
  segments_.clear();
  const ValueId value = facts_.ValueOf(reg);
  for (const LiveSegment& segment : facts_.intervals().Interval(reg).segments()) {
    segments_.push_back({segment.start, segment.end, value});
  }
  const MachineInstr* def = facts_.reg_info.UniqueDef(reg);
  if (def != nullptr && def->is_phi() && !segments_.empty()) {
    // The copy at the top of the block defines it, after all webs have been read there.
    const SlotIndex defined = indexes.InstrIndex(*def).RegSlot();
    for (LiveSegment& segment : segments_) {
      if (segment.start == defined) segment.start = indexes.BlockStart(*def->parent()).Next();
    }
  }
  FindCutBlocks(reg);
  if (!cut_blocks_.empty()) CutAtCopies();
  return segments_;
}

// Finds the blocks whose end the register reaches only because of the copies there.
void PhiWebSegments::FindCutBlocks(Register reg) {
  cut_blocks_.clear();
  read_by_terminators_.clear();
  for (const MachineOperand& use : facts_.reg_info.NonDebugUses(reg)) {
    const MachineInstr& user = *use.parent();
    if (user.is_phi()) {
      cut_blocks_.push_back(PhiIncoming(use).predecessor());
    } else if (user.is_terminator()) {
      read_by_terminators_.push_back(user.parent()->number());
    }
  }
  std::sort(cut_blocks_.begin(), cut_blocks_.end());
  cut_blocks_.erase(std::unique(cut_blocks_.begin(), cut_blocks_.end()), cut_blocks_.end());
  std::sort(read_by_terminators_.begin(), read_by_terminators_.end());
  std::erase_if(cut_blocks_, [&](BlockNumber block) { return IsReadAfterCopies(reg, block); });
  const SlotIndexes& indexes = facts_.intervals().indexes();
  std::sort(cut_blocks_.begin(), cut_blocks_.end(),
            [&](BlockNumber a, BlockNumber b) { return indexes.BlockEnd(a) < indexes.BlockEnd(b); });
}

bool PhiWebSegments::IsReadAfterCopies(Register reg, BlockNumber number) const {
  if (std::binary_search(read_by_terminators_.begin(), read_by_terminators_.end(), number)) return true;
  const LiveInterval& interval = facts_.intervals().Interval(reg);
  for (const MachineBasicBlock* successor : facts_.function.block(number)->successors()) {
    if (facts_.intervals().IsLiveIntoBlock(interval, *successor)) return true;
  }
  return false;
}

void PhiWebSegments::CutAtCopies() {
  const SlotIndexes& indexes = facts_.intervals().indexes();
  uncut_.swap(segments_);
  segments_.clear();
  auto block = cut_blocks_.begin();
  for (LiveSegment segment : uncut_) {
    while (block != cut_blocks_.end() && indexes.BlockEnd(*block) <= segment.start) ++block;
    for (; block != cut_blocks_.end() && facts_.EndCopyIndex(*block) < segment.end; ++block) {
      const SlotIndex copies = facts_.EndCopyIndex(*block);
      if (segment.start < copies) segments_.push_back({segment.start, copies, segment.value});
      segment.start = indexes.BlockEnd(*block);
    }
    if (segment.start < segment.end) segments_.push_back(segment);
  }
}

}  // namespace ptxmir
