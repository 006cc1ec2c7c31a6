// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/opt_phis.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/control_flow/strong_components.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/copies/congruent_phis.h"
#include "passes/copies/copy_source.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNoNode = ~uint32_t{0};
// The nesting of components that is searched.
constexpr int kMaxDepth = 8;

// The PHIs of a function, in layout order. A PHI is called by its number here.
class PhiGraph {
 public:
  explicit PhiGraph(MachineFunction& function)
      : reg_info_(function.reg_info()), phi_of_(reg_info_.num_virtual_registers(), kNoNode) {
    for (MachineBasicBlock& block : function) {
      for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
        phi_of_[phi->operand(0).reg().virtual_index()] = size();
        phis_.push_back(phi);
      }
    }
    value_.resize(size());
    local_.resize(size(), kNoNode);
  }

  uint32_t size() const { return static_cast<uint32_t>(phis_.size()); }
  MachineInstr& phi(uint32_t i) const { return *phis_[i]; }
  // Returns the number of the PHI that defines the register, or kNoNode.
  uint32_t PhiOf(Register reg) const { return reg.is_virtual() ? phi_of_[reg.virtual_index()] : kNoNode; }
  // Returns the only value of the PHI; invalid if it may have several.
  Register ValueOf(uint32_t phi) const { return value_[phi]; }
  uint64_t num_with_undef() const { return num_with_undef_; }

  // Finds the values of all PHIs.
  void FindValues() {
    std::vector<uint32_t> all(size());
    for (uint32_t i = 0; i < size(); ++i) all[i] = i;
    Search(all, 0);
  }

 private:
  // Returns the register that the operand has its value from: through copies, and through PHIs whose value is known.
  Register SourceOf(const MachineOperand& operand) const {
    Register reg = operand.reg();
    for (int i = 0; i < kMaxCopies; ++i) {
      if (const uint32_t phi = PhiOf(reg); phi != kNoNode) {
        if (!value_[phi].is_valid()) return reg;
        reg = value_[phi];
        continue;
      }
      const Register source = CopySource(reg_info_, reg);
      if (!source.is_valid()) return reg;
      reg = source;
    }
    return reg;
  }

  // Splits the set into strong components, operands first, and settles each.
  void Search(const std::vector<uint32_t>& set, int depth) {
    for (uint32_t i = 0; i < set.size(); ++i) local_[set[i]] = i;
    RowGraph graph;
    for (const uint32_t phi : set) {
      for (unsigned i = 1; i + 1 < phis_[phi]->num_operands(); i += 2) {
        const uint32_t operand = PhiOf(SourceOf(phis_[phi]->operand(i)));
        if (operand != kNoNode && local_[operand] != kNoNode) graph.targets.push_back(local_[operand]);
      }
      graph.CloseRow();
    }
    for (const uint32_t phi : set) local_[phi] = kNoNode;
    const StrongComponents components(graph);
    // The members of each component, one component after the other.
    std::vector<uint32_t> first(components.num_components + 1);
    for (const uint32_t component : components.component) ++first[component + 1];
    for (uint32_t i = 0; i < components.num_components; ++i) first[i + 1] += first[i];
    std::vector<uint32_t> members(set.size()), next(first);
    for (uint32_t i = 0; i < set.size(); ++i) members[next[components.component[i]]++] = set[i];
    for (uint32_t i = 0; i < components.num_components; ++i) {
      Settle(absl::MakeConstSpan(members).subspan(first[i], first[i + 1] - first[i]), depth);
    }
  }

  // Finds the value of a component, or of parts of it.
  void Settle(absl::Span<const uint32_t> component, int depth) {
    for (const uint32_t phi : component) local_[phi] = 0;
    Register value;
    bool has_several = false, has_undef = false;
    std::vector<uint32_t> inner;
    for (const uint32_t phi : component) {
      bool reads_others = false;
      for (unsigned i = 1; i + 1 < phis_[phi]->num_operands(); i += 2) {
        const MachineOperand& operand = phis_[phi]->operand(i);
        has_undef |= !operand.reads_reg();
        const Register source = SourceOf(operand);
        const uint32_t source_phi = PhiOf(source);
        if (operand.reads_reg() && source_phi != kNoNode && local_[source_phi] != kNoNode) continue;
        reads_others = true;
        has_several |= (value.is_valid() && value != source) || !operand.reads_reg() || !source.is_virtual() ||
                       !HasClassOf(phi, source);
        value = source;
      }
      if (!reads_others) inner.push_back(phi);
    }
    for (const uint32_t phi : component) local_[phi] = kNoNode;
    if (!has_several && value.is_valid()) {
      for (const uint32_t phi : component) value_[phi] = value;
      return;
    }
    num_with_undef_ += has_undef;
    if (!inner.empty() && depth < kMaxDepth) Search(inner, depth + 1);
  }

  bool HasClassOf(uint32_t phi, Register reg) const {
    return reg_info_.reg_class(phis_[phi]->operand(0).reg()) == reg_info_.reg_class(reg);
  }

  const MachineRegisterInfo& reg_info_;
  std::vector<MachineInstr*> phis_;
  std::vector<uint32_t> phi_of_;  // by virtual register
  std::vector<Register> value_;
  std::vector<uint32_t> local_;  // by PHI: its number in the current set, or kNoNode
  uint64_t num_with_undef_ = 0;  // components
};

// Replaces the PHIs of one value by that value and returns their number.
uint64_t ReplaceByValues(MachineFunction& function, const PhiGraph& graph, std::vector<bool>& is_gone) {
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<Register> extended;
  uint64_t num_replaced = 0;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    Register value = graph.ValueOf(i);
    if (!value.is_valid()) continue;
    for (uint32_t phi; (phi = graph.PhiOf(value)) != kNoNode && graph.ValueOf(phi).is_valid();)
      value = graph.ValueOf(phi);
    const Register result = graph.phi(i).operand(0).reg();
    graph.phi(i).EraseFromParent();
    reg_info.ReplaceRegister(result, value);
    extended.push_back(value);
    is_gone[i] = true;
    ++num_replaced;
  }
  ClearKillFlags(reg_info, std::move(extended));
  return num_replaced;
}

// Erases the PHIs that only PHIs of the same kind read, and returns their number.
uint64_t EraseDead(MachineFunction& function, const PhiGraph& graph, std::vector<bool>& is_gone) {
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<bool> is_needed(graph.size());
  std::vector<uint32_t> work;
  const auto need = [&](uint32_t phi) {
    if (phi == kNoNode || is_needed[phi]) return;
    is_needed[phi] = true;
    work.push_back(phi);
  };
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (is_gone[i]) continue;
    for (const MachineOperand& use : reg_info.NonDebugUses(graph.phi(i).operand(0).reg())) {
      if (use.parent()->is_phi()) continue;
      need(i);
      break;
    }
  }
  while (!work.empty()) {
    const MachineInstr& phi = graph.phi(work.back());
    work.pop_back();
    for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) need(graph.PhiOf(phi.operand(i).reg()));
  }
  uint64_t num_erased = 0;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (is_gone[i] || is_needed[i]) continue;
    DropDebugUses(reg_info, graph.phi(i).operand(0).reg());
    graph.phi(i).EraseFromParent();
    ++num_erased;
  }
  return num_erased;
}

}  // namespace

PassResult RunOptPhis(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || !function.MayContain(generic::kPhi)) return {};
  PhiGraph graph(function);
  graph.FindValues();
  std::vector<bool> is_gone(graph.size());
  const uint64_t num_replaced = ReplaceByValues(function, graph, is_gone);
  const uint64_t num_erased = EraseDead(function, graph, is_gone);
  const uint64_t num_merged = MergeCongruentPhis(function);
  context.AddStatistic("PHIs of one value replaced", num_replaced);
  context.AddStatistic("dead PHIs erased", num_erased);
  context.AddStatistic("equal PHIs merged", num_merged);
  auto& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  if (graph.num_with_undef() != 0) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "UndefinedOperand", function)
             << RemarkArg("NumKept", graph.num_with_undef())
             << " cycles of PHIs stay, because the path from a predecessor leaves their value undefined";
    });
  }
  if (num_merged + num_replaced + num_erased == 0) return {};
  remarks.Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "PhisRemoved", function)
           << RemarkArg("NumReplaced", num_replaced) << " PHIs of one value replaced, "
           << RemarkArg("NumErased", num_erased) << " PHIs that nothing needs erased, "
           << RemarkArg("NumMerged", num_merged) << " equal PHIs merged";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
