// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/dag/schedule_dag.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "mir/code/operand_ranges.h"
#include "passes/schedule/dag/memory_edges.h"
#include "ptx/target/inline_asm_effects.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

using ptx::Property;

// Sorts dependences by one end. Takes time linear in both, so that a region of 100,000 instructions is no problem.
void SortByNode(uint32_t ScheduleDependence::*end, uint32_t num_nodes, absl::Span<const ScheduleDependence> in,
                std::vector<uint32_t>& first, std::vector<ScheduleDependence>& out) {
  first.assign(size_t{num_nodes} + 1, 0);
  for (const ScheduleDependence& dependence : in) ++first[dependence.*end + 1];
  for (uint32_t node = 0; node < num_nodes; ++node) first[node + 1] += first[node];
  out.resize(in.size());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const ScheduleDependence& dependence : in) out[next[dependence.*end]++] = dependence;
}

bool OnlyComputes(const MachineInstr& inline_asm) {
  constexpr uint32_t kEffects = InlineAsmProperty::kSideEffects | InlineAsmProperty::kMayLoad |
                                InlineAsmProperty::kMayStore | InlineAsmProperty::kMayUnwind;
  if (inline_asm.num_operands() < kInlineAsmFirstGroup) return false;
  if (inline_asm.is_terminator() || !inline_asm.operand(0).is_symbol()) return false;
  if (InlineAsmHas(inline_asm, kEffects)) return false;
  const std::string_view assembly = InlineAsmText(inline_asm);
  return !ptx::HasAddress(assembly) && ptx::CarryUseOf(assembly) != ptx::CarryUse::kReads;
}

bool WritesCarry(const MachineInstr& instr) {
  if (!instr.is_inline_asm()) {
    return !instr.desc().Has(InstrFlag::kPseudo) && ptx::InstrInfo(instr.opcode()).Has(Property::kCarryout);
  }
  return ptx::CarryUseOf(InlineAsmText(instr)) == ptx::CarryUse::kWrites;
}

uint16_t Saturated(unsigned latency) {
  constexpr unsigned kMaxLatency = std::numeric_limits<uint16_t>::max();
  return static_cast<uint16_t>(std::min(latency, kMaxLatency));
}

}  // namespace

std::string_view DependenceKindName(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::kData:
      return "data";
    case DependenceKind::kAnti:
      return "anti";
    case DependenceKind::kOutput:
      return "output";
    case DependenceKind::kMemory:
      return "memory";
    case DependenceKind::kOrder:
      return "order";
    case DependenceKind::kArtificial:
      return "artificial";
  }
  return "";
}

bool IsSchedulingBoundary(const MachineInstr& instr) {
  if (instr.is_copy() || instr.is_implicit_def() || instr.is_kill()) return false;
  constexpr uint32_t kCarry = Property::kCarryin | Property::kCarryout;
  constexpr uint32_t kFixed = Property::kFence | Property::kBarrier | Property::kAsync | Property::kControl |
                              Property::kCall | Property::kProxy | Property::kFrame;
  if (instr.is_inline_asm()) {
    if (!OnlyComputes(instr)) return true;
  } else {
    // Generic instructions other than those above: labels, lifetime markers, PHIs.
    if (instr.desc().Has(InstrFlag::kPseudo) || instr.is_meta() || instr.is_terminator() || instr.is_call()) {
      return true;
    }
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (info.Has(kFixed) || (info.Has(Property::kSide) && !info.Has(kCarry))) return true;
  }
  if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return true;
  return std::any_of(instr.operands().begin(), instr.operands().end(), [](const MachineOperand& operand) {
    return operand.is_def() && operand.reg().is_valid() && !operand.reg().is_virtual();
  });
}

bool IsExecutedTogether(const MachineInstr& instr) {
  if (instr.is_inline_asm()) return InlineAsmHas(instr, InlineAsmProperty::kConvergent);
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  return info.is_collective() && !info.is_pure();
}

// ---- The graph

void ScheduleDag::Reset(absl::Span<MachineInstr* const> instrs) {
  instrs_.assign(instrs.begin(), instrs.end());
  by_to_.clear();
}

void ScheduleDag::Add(absl::Span<const ScheduleDependence> dependences) {
  by_to_.insert(by_to_.end(), dependences.begin(), dependences.end());
  Sort();
}

void ScheduleDag::Sort() {
  SortByNode(&ScheduleDependence::from, size(), by_to_, first_by_from_, by_from_);
  SortByNode(&ScheduleDependence::to, size(), by_from_, first_by_to_, by_to_);
  // Of several dependences between two nodes, the one with the highest latency implies the others.
  const auto key = [](const ScheduleDependence& d) { return std::tuple(d.to, d.from, d.distance); };
  for (uint32_t node = 0; node < size(); ++node) {
    std::sort(by_to_.begin() + first_by_to_[node], by_to_.begin() + first_by_to_[node + 1],
              [&](const ScheduleDependence& a, const ScheduleDependence& b) {
                if (key(a) != key(b)) return key(a) < key(b);
                return a.latency != b.latency ? a.latency > b.latency : a.kind < b.kind;
              });
  }
  by_to_.erase(std::unique(by_to_.begin(), by_to_.end(),
                           [&](const ScheduleDependence& a, const ScheduleDependence& b) { return key(a) == key(b); }),
               by_to_.end());
  first_by_to_.assign(size_t{size()} + 1, 0);
  for (const ScheduleDependence& dependence : by_to_) ++first_by_to_[dependence.to + 1];
  for (uint32_t node = 0; node < size(); ++node) first_by_to_[node + 1] += first_by_to_[node];
  SortByNode(&ScheduleDependence::from, size(), by_to_, first_by_from_, by_from_);
}

void ScheduleDag::SetLatencies(absl::FunctionRef<unsigned(const ScheduleDependence&)> latency) {
  for (ScheduleDependence& dependence : by_to_) dependence.latency = Saturated(latency(dependence));
  SortByNode(&ScheduleDependence::from, size(), by_to_, first_by_from_, by_from_);
}

std::string ScheduleDag::ToDot(std::string_view title) const {
  std::string out = StrCat("digraph \"", title, "\" {\n  node [shape=box];\n");
  for (uint32_t node = 0; node < size(); ++node) {
    const MachineInstr& instr = *instrs_[node];
    StrAppend(&out, "  n", node, " [label=\"", node, ": ", instr.function().target().Name(instr.opcode()));
    for (const MachineOperand& def : VirtualDefs(instr)) StrAppend(&out, " %", def.reg().virtual_index());
    out += "\"];\n";
  }
  for (const ScheduleDependence& dependence : by_to_) {
    StrAppend(&out, "  n", dependence.from, " -> n", dependence.to, " [label=\"", DependenceKindName(dependence.kind),
              " ", dependence.latency);
    if (dependence.distance != 0) StrAppend(&out, ", ", dependence.distance, " later\", style=dashed");
    out += dependence.distance != 0 ? "];\n" : "\"];\n";
  }
  return out + "}\n";
}

// ---- The builder

ScheduleDagBuilder::ScheduleDagBuilder(const MachineFunction& function, const MemoryDependence& memory,
                                       const ptx::MachineModel& model)
    : memory_(memory), model_(model), registers_(function.reg_info().num_virtual_registers()) {}

ScheduleDagBuilder::RegisterState& ScheduleDagBuilder::StateOf(uint32_t reg) {
  // A pass that changes the function between regions may have created registers.
  if (reg >= registers_.size()) registers_.resize(reg + 1);
  RegisterState& state = registers_[reg];
  if (state.stamp != stamp_) state = {.stamp = stamp_};
  return state;
}

void ScheduleDagBuilder::AddEdge(uint32_t from, uint32_t to, DependenceKind kind, unsigned latency) {
  if (from == to) return;
  dag_->by_to_.push_back({.from = from, .to = to, .latency = Saturated(latency), .kind = kind});
}

void ScheduleDagBuilder::AddRead(RegisterState& state, uint32_t node) {
  if (state.definition != kNone) {
    AddEdge(state.definition, node, DependenceKind::kData, model_.CostOf(*dag_->instrs_[state.definition]).latency);
  }
  uses_.push_back({node, state.first_use});
  state.first_use = static_cast<uint32_t>(uses_.size()) - 1;
}

void ScheduleDagBuilder::AddWrite(RegisterState& state, uint32_t node) {
  if (state.definition != kNone) AddEdge(state.definition, node, DependenceKind::kOutput, 1);
  for (uint32_t use = state.first_use; use != kNone; use = uses_[use].next) {
    AddEdge(uses_[use].node, node, DependenceKind::kAnti, 0);
  }
  state.definition = node;
  state.first_use = kNone;
}

void ScheduleDagBuilder::AddRegisterEdges(uint32_t node) {
  const MachineInstr& instr = *dag_->instrs_[node];
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const bool is_ptx = !instr.desc().Has(InstrFlag::kPseudo);
  for (const MachineOperand& read : VirtualReads(instr)) AddRead(StateOf(read.reg().virtual_index()), node);
  if (is_ptx && info.Has(Property::kCarryin)) AddRead(carry_, node);
  for (const MachineOperand& def : VirtualDefs(instr)) AddWrite(StateOf(def.reg().virtual_index()), node);
  if (WritesCarry(instr)) AddWrite(carry_, node);
}

void ScheduleDagBuilder::Build(absl::Span<MachineInstr* const> instrs, ScheduleDag& dag) {
  dag_ = &dag;
  dag.Reset(instrs);
  ++stamp_;
  uses_.clear();
  carry_ = {};
  uint32_t last_in_order = kNone;
  for (uint32_t node = 0; node < dag.size(); ++node) {
    AddRegisterEdges(node);
    if (!IsExecutedTogether(*instrs[node])) continue;
    if (last_in_order != kNone) AddEdge(last_in_order, node, DependenceKind::kOrder, 1);
    last_in_order = node;
  }
  AddMemoryEdges(
      instrs, memory_, std::max(kMinPairs, kMaxPairsPerAccess * instrs.size()),
      [this](uint32_t from, uint32_t to, unsigned latency) { AddEdge(from, to, DependenceKind::kMemory, latency); });
  dag.Sort();
}

}  // namespace ptxmir
