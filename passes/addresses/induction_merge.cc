// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/induction_merge.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/values/uniformity.h"
#include "passes/addresses/address_offset_folding.h"
#include "passes/addresses/form_expander.h"
#include "passes/addresses/loop_addresses.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

using Form = AddressForms::Form;
using Term = AddressForms::Term;
using TermsId = AddressForms::TermsId;

// Costs are counted in quarters of a 32-bit register.
constexpr uint32_t kUnit = 4;
constexpr uint32_t kPointer = 2 * kUnit;

// The facts about the function when the pass begins. They are not kept up to date.
struct Facts {
  MachineFunction& function;
  const Knobs& knobs;
  const MachineLoops& loops;
  const MachineRegisterPressure& pressure;
  const MachineBlockFrequencies& frequencies;
  const Uniformity* uniformity;        // null if the GPU has no uniform registers
  const uint32_t num_known_registers;  // registers from here on are new

  double Frequency(const MachineBasicBlock& block) const { return static_cast<double>(frequencies.Frequency(block)); }
  bool IsUniform(Register reg) const {
    return uniformity != nullptr && reg.is_virtual() && reg.virtual_index() < num_known_registers &&
           uniformity->IsUniform(reg);
  }
};

Facts FactsOf(MachineFunction& function, PassContext& context) {
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  const auto& frequencies = context.analyses.Get<MachineBlockFrequencies>();
  // Uniform registers came with sm_75.
  const ptx::Subtarget* subtarget = context.analyses.inputs().subtarget;
  const bool has_uniform_registers = subtarget != nullptr && subtarget->sm().number >= 75;
  return {.function = function,
          .knobs = context.knobs,
          .loops = context.analyses.Get<MachineLoops>(),
          .pressure = pressure,
          .frequencies = frequencies,
          .uniformity = has_uniform_registers ? &context.analyses.Get<Uniformity>() : nullptr,
          .num_known_registers = function.reg_info().num_virtual_registers()};
}

// Returns true if all leaves of a sum are uniform.
bool IsUniform(const Facts& facts, const AddressForms& forms, TermsId terms) {
  if (facts.uniformity == nullptr) return false;
  for (const Term& term : forms.terms(terms)) {
    for (const AddressForms::LeafId leaf : forms.monomial(term.monomial)) {
      if (leaf != 0 && !facts.IsUniform(forms.leaf(leaf).reg)) return false;
    }
  }
  return true;
}

// ---- Planning

// The computation of an address of a group.
struct Value {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t root = 0;
  uint32_t parent = kNone;  // the value that the difference is added to; none for a root
  TermsId delta = 0;
  bool is_subtracted = false;
  MachineInstr* before = nullptr;  // the instruction before which it is computed
  uint32_t member = 0;
};

struct Root {
  uint32_t member = 0;
  uint64_t constant = 0;                        // the constant of the address in the first iteration
  const InductionVariable* variable = nullptr;  // null for a new one
};

// A plan for computing the addresses of a group.
struct Plan {
  std::vector<Root> roots;
  std::vector<uint32_t> value_of_root;
  std::vector<Value> values;           // each after its parent
  std::vector<uint32_t> value_of_use;  // Value::kNone: the use stays as it is
  std::vector<TermsId> deltas;         // without duplicates
};

// Stands for a difference with too many terms.
constexpr TermsId kTooLong = ~TermsId{0};

// Returns the difference that, added to (or, if negated, subtracted from) an address at `from`, gives one at `to`.
TermsId Difference(AddressForms& forms, TermsId from, TermsId to, bool& is_negated) {
  is_negated = false;
  if (from == to) return AddressForms::kNoTerms;
  Form difference{.terms = forms.terms(to)};
  const Form subtrahend{.terms = forms.terms(from)};
  if (!AddressForms::AddTo(difference, subtrahend, ~uint64_t{0})) return kTooLong;
  is_negated = static_cast<int64_t>(difference.terms.front().coefficient) < 0;
  if (is_negated) {
    for (Term& term : difference.terms) term.coefficient = ~term.coefficient + 1;
  }
  return forms.Intern(difference.terms);
}

// Makes the plan for a group.
class Planner {
 public:
  Planner(const Facts& facts, AddressForms& forms, const LoopAddresses& addresses, const AddressGroup& group)
      : facts_(facts), forms_(forms), addresses_(addresses), group_(group) {}

  // `fixed` is what the loop needs regardless of the accesses of the group. To be called once.
  Plan Make(const LoopNeeds& fixed) {
    CountDifferences();
    // Variables that the loop keeps regardless of the accesses can serve as roots at no cost.
    absl::flat_hash_map<TermsId, uint32_t> member_of_start;
    for (const TermsId start : group_.members) {
      member_of_start.emplace(start, static_cast<uint32_t>(member_of_start.size()));
    }
    for (const InductionVariable& variable : addresses_.variables()) {
      if (variable.step_terms != group_.step_terms || variable.step_constant != group_.step_constant) continue;
      const auto member = member_of_start.find(variable.start_terms);
      if (member == member_of_start.end() || variable.assumes_no_wrap) continue;
      variable_of_start_.emplace(variable.start_terms, &variable);
      if (fixed.Contains(variable.phi->operand(0).reg())) AddRoot(&variable, {.member = member->second});
    }
    for (const Register reg : fixed.registers()) {
      if (!addresses_.IsInvariant(reg) || facts_.function.reg_info().reg_class(reg) != ptx::reg_class::kB64) continue;
      const Form& form = forms_.Of(reg);
      if (form.constant == 0 && !form.assumes_no_wrap) at_hand_.insert(forms_.Intern(form.terms));
    }
    const MachineBasicBlock* block = nullptr;
    for (const AddressUse& use : group_.uses) {
      if (use.instr->parent() != block) {
        block = use.instr->parent();
        value_of_member_.clear();
        recent_.clear();
      }
      uint32_t value;
      if (const auto known = value_of_member_.find(use.member); known != value_of_member_.end()) {
        value = known->second;
      } else {
        value = ReachMember(use);
        if (value == Value::kNone) value = AddRootFor(use);
        value_of_member_.emplace(use.member, value);
      }
      std::erase(recent_, value);
      recent_.push_back(value);
      const bool fits = FitsOffset(use.constant - plan_.roots[plan_.values[value].root].constant);
      plan_.value_of_use.push_back(fits ? value : Value::kNone);
    }
    return std::move(plan_);
  }

 private:
  void CountDifferences() {
    for (size_t i = 0; i < group_.members.size(); ++i) {
      for (size_t j = i + 1; j < std::min(i + 3, group_.members.size()); ++j) {
        bool is_negated;
        ++shared_[Difference(forms_, group_.members[i], group_.members[j], is_negated)];
      }
    }
  }

  uint32_t CostOfDelta(TermsId delta) const {
    if (delta == kTooLong) return ~uint32_t{0};
    if (delta == AddressForms::kNoTerms || at_hand_.contains(delta)) return 0;
    if (IsUniform(facts_, forms_, delta)) return static_cast<uint32_t>(facts_.knobs.induction_merge_uniform_cost());
    const auto it = shared_.find(delta);
    return kPointer / std::max(it == shared_.end() ? 1u : it->second, 1u);
  }

  bool FitsOffset(uint64_t offset) const {
    const auto limit = int64_t{1} << (facts_.knobs.induction_merge_offset_bits() - 1);
    return static_cast<int64_t>(offset) >= -limit && static_cast<int64_t>(offset) < limit;
  }

  uint32_t AddRoot(const InductionVariable* variable, const AddressUse& use) {
    const auto number = static_cast<uint32_t>(plan_.roots.size());
    plan_.roots.push_back({.member = use.member,
                           .constant = variable != nullptr ? variable->start_constant : use.constant,
                           .variable = variable});
    plan_.value_of_root.push_back(static_cast<uint32_t>(plan_.values.size()));
    plan_.values.push_back({.root = number, .member = use.member});
    return static_cast<uint32_t>(plan_.values.size() - 1);
  }

  uint32_t AddRootFor(const AddressUse& use) {
    const auto variable = variable_of_start_.find(group_.members[use.member]);
    return AddRoot(variable == variable_of_start_.end() ? nullptr : variable->second, use);
  }

  // Returns the cheapest derivation of an address from available values, or Value::kNone if a root of its own costs
  // no more.
  uint32_t ReachMember(const AddressUse& use) {
    constexpr size_t kRecent = 3;
    constexpr size_t kRoots = 8;
    Value best{.before = use.instr, .member = use.member};
    uint32_t least = kPointer;
    const auto consider = [&](uint32_t parent) {
      bool is_negated;
      const TermsId delta =
          Difference(forms_, group_.members[plan_.values[parent].member], group_.members[use.member], is_negated);
      const uint32_t cost = CostOfDelta(delta);
      if (cost >= least) return;
      least = cost;
      best.root = plan_.values[parent].root;
      best.parent = parent;
      best.delta = delta;
      best.is_subtracted = is_negated;
    };
    // Only the first and the last roots are considered, so that the search does not grow with the loop.
    const size_t num_roots = plan_.value_of_root.size();
    for (size_t root = 0; root < std::min(kRoots, num_roots); ++root) consider(plan_.value_of_root[root]);
    for (size_t root = std::max(kRoots, num_roots - std::min(kRoots, num_roots)); root < num_roots; ++root) {
      consider(plan_.value_of_root[root]);
    }
    for (size_t i = recent_.size(); i > 0 && i + kRecent > recent_.size(); --i) consider(recent_[i - 1]);
    if (best.parent == Value::kNone) return Value::kNone;
    if (best.delta == AddressForms::kNoTerms) return best.parent;
    if (at_hand_.insert(best.delta).second) plan_.deltas.push_back(best.delta);
    plan_.values.push_back(best);
    return static_cast<uint32_t>(plan_.values.size() - 1);
  }

  const Facts& facts_;
  AddressForms& forms_;
  const LoopAddresses& addresses_;
  const AddressGroup& group_;
  Plan plan_;
  absl::flat_hash_map<TermsId, uint32_t> shared_;            // how often a difference occurs between neighbors
  absl::flat_hash_set<TermsId> at_hand_;                     // differences that are in registers anyway
  absl::flat_hash_map<uint32_t, uint32_t> value_of_member_;  // in the current block
  absl::flat_hash_map<TermsId, const InductionVariable*> variable_of_start_;  // variables that can be roots
  std::vector<uint32_t> recent_;  // values of the current block, the latest last
};

// ---- Judging

// The total cost of a set of registers. Uniform registers are free as long as ptxas has uniform registers for them.
struct Tally {
  int64_t quarters = 0;
  uint32_t uniform_units = 0;

  void Add(const Tally& other) {
    quarters += other.quarters;
    uniform_units += other.uniform_units;
  }
};

void Count(const Facts& facts, Register reg, Tally& tally) {
  const uint32_t units = PressureUnitsOf(facts.function, reg);
  if (facts.IsUniform(reg)) {
    tally.uniform_units += units;
  } else {
    tally.quarters += int64_t{units} * kUnit;
  }
}

void CountNew(const Facts& facts, bool is_uniform, Tally& tally) {
  if (is_uniform) {
    tally.quarters += facts.knobs.induction_merge_uniform_cost();
    tally.uniform_units += kPointer / kUnit;
  } else {
    tally.quarters += kPointer;
  }
}

int64_t CostOf(const Facts& facts, const Tally& tally) {
  const int64_t excess = int64_t{tally.uniform_units} - facts.knobs.induction_merge_uniform_registers();
  return tally.quarters + std::max<int64_t>(excess, 0) * kUnit;
}

bool LivesBeyond(const Facts& facts, CycleId loop, Register reg) {
  if (reg.virtual_index() >= facts.num_known_registers) return false;
  for (const MachineBasicBlock* exit : facts.loops.ExitBlocks(loop)) {
    if (facts.pressure.IsLiveIn(*exit, reg)) return true;
  }
  return false;
}

struct Balance {
  int64_t registers = 0;    // quarters of units that the loop saves
  double instructions = 0;  // additional instructions per iteration
};

Balance Judge(const Facts& facts, const AddressForms& forms, const FormExpander& expander, CycleId loop,
              const LoopAddresses& addresses, const AddressGroup& group, const Plan& plan) {
  const MachineRegisterInfo& reg_info = facts.function.reg_info();
  absl::flat_hash_set<const MachineOperand*> rewritten;
  for (size_t i = 0; i < group.uses.size(); ++i) {
    if (plan.value_of_use[i] != Value::kNone) {
      rewritten.insert(&group.uses[i].instr->operand(group.uses[i].operand));
    }
  }
  LoopNeeds before(facts.function, facts.loops, loop, addresses);
  LoopNeeds after(facts.function, facts.loops, loop, addresses);
  before.Compute({});
  after.Compute(rewritten);

  Balance balance;
  Tally new_tally;
  const double iterations = std::max(facts.Frequency(addresses.header()), 1.0);
  const auto require = [&](TermsId terms, uint64_t constant) {
    if (terms == AddressForms::kNoTerms) return;
    if (const Register reg = expander.Find(terms, constant); reg.is_valid()) {
      after.Add(reg);
      return;
    }
    CountNew(facts, IsUniform(facts, forms, terms), new_tally);
    balance.instructions += expander.CostOf(terms, constant) * facts.Frequency(addresses.predecessor()) / iterations;
  };
  bool has_new_root = false;
  for (const Root& root : plan.roots) {
    if (root.variable != nullptr) {
      after.Add(root.variable->phi->operand(0).reg());
      continue;
    }
    has_new_root = true;
    CountNew(facts, IsUniform(facts, forms, group.members[root.member]) && IsUniform(facts, forms, group.step_terms),
             new_tally);
    balance.instructions += 1 + expander.CostOf(group.members[root.member], root.constant) *
                                    facts.Frequency(addresses.predecessor()) / iterations;
  }
  if (has_new_root) require(group.step_terms, group.step_constant);
  for (const TermsId delta : plan.deltas) require(delta, 0);
  for (const Value& value : plan.values) {
    if (value.parent != Value::kNone) balance.instructions += facts.Frequency(*value.before->parent()) / iterations;
  }
  // Counts the registers that are live through the loop: its variables, and invariants, including those that are
  // live through it only because of uses after the loop.
  const auto tally = [&](const LoopNeeds& needs, const LoopNeeds& others) {
    Tally result;
    const auto count = [&](Register reg) {
      const bool is_variable = addresses.IsVariable(reg);
      if (is_variable || addresses.IsInvariant(reg)) Count(facts, reg, result);
    };
    for (const Register reg : needs.registers()) count(reg);
    for (const Register reg : others.registers()) {
      if (!needs.Contains(reg) && addresses.IsInvariant(reg) && LivesBeyond(facts, loop, reg)) count(reg);
    }
    return result;
  };
  Tally tally_after = tally(after, before);
  tally_after.Add(new_tally);
  balance.registers = CostOf(facts, tally(before, after)) - CostOf(facts, tally_after);
  for (const Register reg : before.registers()) {
    const MachineInstr* def = reg_info.UniqueDef(reg);
    if (after.Contains(reg) || def == nullptr || def->is_phi() || addresses.IsInvariant(reg)) continue;
    balance.instructions -= facts.Frequency(*def->parent()) / iterations;
  }
  return balance;
}

// ---- Rewriting

class Rewriter {
 public:
  Rewriter(MachineFunction& function, FormExpander& expander)
      : function_(function), expander_(expander), unused_(function) {}

  // Carries out the plan for a group.
  void Apply(const LoopAddresses& addresses, const AddressGroup& group, const Plan& plan) {
    MachineRegisterInfo& reg_info = function_.reg_info();
    expander_.SetPlace(addresses.predecessor());
    std::vector<Register> registers;  // of the values
    for (const Value& value : plan.values) {
      if (value.parent == Value::kNone) {
        registers.push_back(MakeRoot(addresses, group, plan.roots[value.root]));
        continue;
      }
      const Register parent = registers[value.parent];
      const Register delta = expander_.Expand(value.delta, 0);
      extended_.push_back(parent);
      extended_.push_back(delta);
      const Register result = reg_info.CreateVirtualRegister(ptx::reg_class::kB64);
      registers.push_back(result);
      BuildMI(*value.before->parent(), value.before, value.is_subtracted ? ptx::op::SUB64rr : ptx::op::ADD64rr,
              value.before->debug_loc())
          .AddDef(result)
          .AddUse(parent)
          .AddUse(delta)
          .Insert();
      ++num_differences_;
    }
    for (size_t i = 0; i < group.uses.size(); ++i) {
      if (plan.value_of_use[i] == Value::kNone) continue;
      const AddressUse& use = group.uses[i];
      const Value& value = plan.values[plan.value_of_use[i]];
      const Register reg = registers[plan.value_of_use[i]];
      MachineOperand& base = use.instr->operand(use.operand);
      extended_.push_back(reg);
      unused_.Add(base.reg());
      base.SetReg(reg);
      base.set_reg_flag(MachineOperand::kKill, false);
      const uint64_t start = plan.roots[value.root].constant;
      use.instr->operand(use.operand + 1).set_imm(static_cast<int64_t>(use.constant - start));
      ++num_uses_;
    }
    for (const InductionVariable& variable : addresses.variables()) {
      unused_.AddPhi(variable.phi->operand(0).reg());
    }
    ++num_groups_;
  }

  // Clears the kill flags of what is read at new places, and erases what is unused now. To be called after the last
  // group.
  void Finish() {
    extended_.insert(extended_.end(), expander_.used().begin(), expander_.used().end());
    ClearKillFlags(function_.reg_info(), std::move(extended_));
    unused_.Erase();
  }

  uint64_t num_groups() const { return num_groups_; }
  uint64_t num_uses() const { return num_uses_; }
  uint64_t num_roots() const { return num_roots_; }
  uint64_t num_differences() const { return num_differences_; }

 private:
  Register MakeRoot(const LoopAddresses& addresses, const AddressGroup& group, const Root& root) {
    if (root.variable != nullptr) return root.variable->phi->operand(0).reg();
    MachineRegisterInfo& reg_info = function_.reg_info();
    const Register start = expander_.Expand(group.members[root.member], root.constant);
    const Register value = reg_info.CreateVirtualRegister(ptx::reg_class::kB64);
    const Register next = reg_info.CreateVirtualRegister(ptx::reg_class::kB64);
    MachineBasicBlock& latch = addresses.latch();
    MachineInstrBuilder step =
        BuildMI(latch, latch.FirstTerminator(), group.step_terms == 0 ? ptx::op::ADD64ri : ptx::op::ADD64rr);
    step.AddDef(next).AddUse(value);
    if (group.step_terms == 0) {
      step.AddImm(static_cast<int64_t>(group.step_constant));
    } else {
      const Register amount = expander_.Expand(group.step_terms, group.step_constant);
      extended_.push_back(amount);
      step.AddUse(amount);
    }
    step.Insert();
    extended_.push_back(start);
    MachineBasicBlock& header = addresses.header();
    BuildMI(header, header.front(), generic::kPhi)
        .AddDef(value)
        .AddUse(start)
        .AddBlock(addresses.predecessor())
        .AddUse(next)
        .AddBlock(latch)
        .Insert();
    ++num_roots_;
    return value;
  }

  MachineFunction& function_;
  FormExpander& expander_;
  UnusedInstrs unused_;
  std::vector<Register> extended_;  // registers that are read at a new place
  uint64_t num_roots_ = 0;
  uint64_t num_differences_ = 0;
  uint64_t num_uses_ = 0;
  uint64_t num_groups_ = 0;
};

// ---- The function

// Returns true if the pressure of the loop is high enough to matter.
bool IsWorthwhile(const Facts& facts, CycleId loop) {
  const auto least = static_cast<uint32_t>(facts.knobs.induction_merge_min_pressure());
  for (const MachineBasicBlock* block : facts.loops.Blocks(loop)) {
    if (facts.pressure.Block(*block).peak.units >= least) return true;
  }
  return false;
}

// Plans a group, judges the plan, and carries it out if it is worth it.
void MergeGroup(const Facts& facts, PassContext& context, AddressForms& forms, FormExpander& expander, CycleId loop,
                const LoopAddresses& addresses, const AddressGroup& group, Rewriter& rewriter) {
  expander.SetPlace(addresses.predecessor());
  LoopNeeds fixed(facts.function, facts.loops, loop, addresses);
  absl::flat_hash_set<const MachineOperand*> all;
  for (const AddressUse& use : group.uses) all.insert(&use.instr->operand(use.operand));
  fixed.Compute(all);
  const Plan plan = Planner(facts, forms, addresses, group).Make(fixed);
  const Balance balance = Judge(facts, forms, expander, loop, addresses, group, plan);
  const auto size = static_cast<double>(group.uses.size());
  const double allowed = size * facts.knobs.induction_merge_growth() / 100.0;
  const bool is_worth_it =
      balance.registers >= int64_t{kUnit} * facts.knobs.induction_merge_min_gain() && balance.instructions <= allowed;
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(is_worth_it ? RemarkKind::kPassed : RemarkKind::kMissed, context.pass_name,
                         is_worth_it ? "AddressesMerged" : "AddressesNotMerged", *addresses.header().front())
           << RemarkArg("NumMembers", group.members.size()) << " addresses that advance in step from "
           << RemarkArg("NumRoots", plan.roots.size()) << " induction variables, "
           << RemarkArg("NumDifferences", plan.deltas.size())
           << " differences: " << RemarkArg("Gain", balance.registers / kUnit) << " registers gained, "
           << RemarkArg("Instructions", static_cast<int64_t>(balance.instructions)) << " instructions more";
  });
  if (is_worth_it) rewriter.Apply(addresses, group, plan);
}

// Returns the groups whose addresses could be merged, the largest first.
std::vector<const AddressGroup*> FindGroups(LoopAddresses& addresses) {
  if (!addresses.FindInductionVariables()) return {};
  addresses.FindGroups();
  std::vector<const AddressGroup*> groups;
  for (const AddressGroup& group : addresses.groups()) {
    if (!addresses.IsOnePointer(group)) groups.push_back(&group);
  }
  // Each group costs a few walks over the loop.
  constexpr size_t kMaxGroups = 8;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const AddressGroup* a, const AddressGroup* b) { return a->members.size() > b->members.size(); });
  if (groups.size() > kMaxGroups) groups.resize(kMaxGroups);
  return groups;
}

// Returns true if anything has changed.
bool MergeInductionVariables(MachineFunction& function, PassContext& context) {
  const auto& loops = context.analyses.Get<MachineLoops>();
  AddressForms forms(function);
  FormExpander expander(function, forms, context.analyses.Get<MachineDominatorTree>());
  Rewriter rewriter(function, expander);
  std::optional<Facts> facts;
  // Inner loops first: they have higher numbers.
  for (CycleId next = loops.num_cycles(); next > 0; --next) {
    const CycleId loop = next - 1;
    LoopAddresses addresses(function, loops, loop, forms);
    const std::vector<const AddressGroup*> groups = FindGroups(addresses);
    if (groups.empty()) continue;
    if (!facts.has_value()) facts.emplace(FactsOf(function, context));
    if (!IsWorthwhile(*facts, loop)) continue;
    for (const AddressGroup* group : groups) {
      MergeGroup(*facts, context, forms, expander, loop, addresses, *group, rewriter);
    }
  }
  rewriter.Finish();
  context.AddStatistic("groups of addresses merged", rewriter.num_groups());
  context.AddStatistic("accesses with a new address", rewriter.num_uses());
  context.AddStatistic("induction variables made", rewriter.num_roots());
  context.AddStatistic("differences added", rewriter.num_differences());
  return rewriter.num_groups() > 0;
}

}  // namespace

PassResult RunInductionMerge(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  bool changed = false;
  if (context.knobs.induction_merge_fold_offsets()) changed |= FoldAddressOffsets(function, context);
  if (changed) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  if (context.knobs.induction_merge() && function.MayContain(generic::kPhi) &&
      context.analyses.Get<MachineLoops>().num_cycles() > 0) {
    changed |= MergeInductionVariables(function, context);
  }
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
