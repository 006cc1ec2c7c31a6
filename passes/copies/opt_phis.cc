// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/opt_phis.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/control_flow/strong_components.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "passes/copies/congruent_phis.h"
#include "passes/copies/copy_source.h"
#include "passes/copies/numbered_phis.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNotInSet = ~uint32_t{0};
// The nesting of components that is searched.
constexpr int kMaxDepth = 8;

// The search for PHIs of one value. A PHI is called by its number here.
class PhiGraph {
 public:
  PhiGraph(const MachineRegisterInfo& reg_info, const NumberedPhis& phis)
      : reg_info_(reg_info), phis_(phis), value_(phis.size()), local_(phis.size(), kNotInSet) {}

  // Returns the only value of the PHI; invalid if it may have several.
  Register ValueOf(uint32_t phi) const { return value_[phi]; }
  uint64_t num_with_undef() const { return num_with_undef_; }

  // Finds the values of all PHIs.
  void FindValues() {
    std::vector<uint32_t> all(phis_.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    Search(all, 0);
  }

 private:
  // Returns the register that the operand has its value from: through copies, and through PHIs whose value is known.
  Register SourceOf(const MachineOperand& operand) const {
    Register reg = operand.reg();
    for (int i = 0; i < kMaxCopies; ++i) {
      if (const uint32_t phi = phis_.NumberOf(reg); phi != NumberedPhis::kNone) {
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
      for (unsigned i = 1; i + 1 < phis_.phi(phi).num_operands(); i += 2) {
        const uint32_t operand = phis_.NumberOf(SourceOf(phis_.phi(phi).operand(i)));
        if (operand != NumberedPhis::kNone && local_[operand] != kNotInSet) graph.targets.push_back(local_[operand]);
      }
      graph.CloseRow();
    }
    for (const uint32_t phi : set) local_[phi] = kNotInSet;
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
      for (unsigned i = 1; i + 1 < phis_.phi(phi).num_operands(); i += 2) {
        const MachineOperand& operand = phis_.phi(phi).operand(i);
        has_undef |= !operand.reads_reg();
        const Register source = SourceOf(operand);
        const uint32_t source_phi = phis_.NumberOf(source);
        if (operand.reads_reg() && source_phi != NumberedPhis::kNone && local_[source_phi] != kNotInSet) continue;
        reads_others = true;
        has_several |= (value.is_valid() && value != source) || !operand.reads_reg() || !source.is_virtual() ||
                       !HasClassOf(phi, source);
        value = source;
      }
      if (!reads_others) inner.push_back(phi);
    }
    for (const uint32_t phi : component) local_[phi] = kNotInSet;
    if (!has_several && value.is_valid()) {
      for (const uint32_t phi : component) value_[phi] = value;
      return;
    }
    num_with_undef_ += has_undef;
    if (!inner.empty() && depth < kMaxDepth) Search(inner, depth + 1);
  }

  bool HasClassOf(uint32_t phi, Register reg) const {
    return reg_info_.reg_class(phis_.ResultOf(phi)) == reg_info_.reg_class(reg);
  }

  const MachineRegisterInfo& reg_info_;
  const NumberedPhis& phis_;
  std::vector<Register> value_;
  std::vector<uint32_t> local_;  // by PHI: its number in the current set, or kNotInSet
  uint64_t num_with_undef_ = 0;  // components
};

// Replaces the PHIs of one value by that value and returns their number.
uint64_t ReplaceByValues(MachineRegisterInfo& reg_info, const PhiGraph& graph, NumberedPhis& phis) {
  std::vector<Register> extended;
  uint64_t num_replaced = 0;
  for (uint32_t i = 0; i < phis.size(); ++i) {
    Register value = graph.ValueOf(i);
    if (!value.is_valid()) continue;
    for (uint32_t phi; (phi = phis.NumberOf(value)) != NumberedPhis::kNone && graph.ValueOf(phi).is_valid();)
      value = graph.ValueOf(phi);
    const Register result = phis.ResultOf(i);
    phis.Erase(i);
    reg_info.ReplaceRegister(result, value);
    extended.push_back(value);
    ++num_replaced;
  }
  ClearKillFlags(reg_info, std::move(extended));
  return num_replaced;
}

// Erases the PHIs that only PHIs of the same kind read, and returns their number.
uint64_t EraseDead(MachineRegisterInfo& reg_info, NumberedPhis& phis) {
  std::vector<bool> is_needed(phis.size());
  std::vector<uint32_t> work;
  const auto need = [&](uint32_t phi) {
    if (phi == NumberedPhis::kNone || is_needed[phi]) return;
    is_needed[phi] = true;
    work.push_back(phi);
  };
  for (uint32_t i = 0; i < phis.size(); ++i) {
    if (phis.IsErased(i)) continue;
    for (const MachineOperand& use : reg_info.NonDebugUses(phis.ResultOf(i))) {
      if (use.parent()->is_phi()) continue;
      need(i);
      break;
    }
  }
  while (!work.empty()) {
    const MachineInstr& phi = phis.phi(work.back());
    work.pop_back();
    for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) need(phis.NumberOf(phi.operand(i).reg()));
  }
  uint64_t num_erased = 0;
  for (uint32_t i = 0; i < phis.size(); ++i) {
    if (phis.IsErased(i) || is_needed[i]) continue;
    DropDebugUses(reg_info, phis.ResultOf(i));
    phis.Erase(i);
    ++num_erased;
  }
  return num_erased;
}

}  // namespace

PassResult RunOptPhis(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || !function.MayContain(generic::kPhi)) return {};
  MachineRegisterInfo& reg_info = function.reg_info();
  NumberedPhis phis(function);
  PhiGraph graph(reg_info, phis);
  graph.FindValues();
  const uint64_t num_replaced = ReplaceByValues(reg_info, graph, phis);
  const uint64_t num_erased = EraseDead(reg_info, phis);
  const uint64_t num_merged = MergeCongruentPhis(reg_info, phis);
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
