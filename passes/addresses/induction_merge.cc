// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/induction_merge.h"

#include <algorithm>
#include <utility>

#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/uniformity.h"
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

// The computation of an address of a group.
struct Value {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t root = 0;
  uint32_t parent = kNone;  // the value that the difference is added to; none for a root
  TermsId delta = 0;
  bool is_subtracted = false;
  MachineInstr* before = nullptr;  // the instruction before which it is computed
  uint32_t member = 0;
  Register reg = Register();  // set once it is computed
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

class InductionMerger {
 public:
  InductionMerger(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        knobs_(context.knobs),
        loops_(context.analyses.Get<MachineLoops>()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        num_known_registers_(function.reg_info().num_virtual_registers()),
        forms_(function),
        expander_(function, forms_, dominators_),
        unused_(function) {}

  bool Run();

 private:
  void Prepare();
  void RunOnLoop(CycleId loop);
  bool IsWorthwhile(CycleId loop) const;
  void MergeGroup(CycleId loop, LoopAddresses& addresses, const AddressGroup& group);

  // Planning.
  void CountDifferences(const AddressGroup& group);
  TermsId Difference(TermsId from, TermsId to, bool& is_negated);
  uint32_t CostOfDelta(TermsId delta) const;
  Plan MakePlan(const LoopAddresses& addresses, const AddressGroup& group, const LoopNeeds& fixed);
  uint32_t ReachMember(const AddressGroup& group, const AddressUse& use, Plan& plan);
  uint32_t AddRoot(const InductionVariable* variable, const AddressUse& use, Plan& plan);
  uint32_t AddRootFor(const AddressGroup& group, const AddressUse& use, Plan& plan);
  bool FitsOffset(uint64_t offset) const;

  // Judging.
  bool IsUniform(TermsId terms) const;
  // The total cost of a set of registers. Uniform registers are free as long as ptxas has uniform registers for
  // them.
  struct Tally {
    int64_t quarters = 0;
    uint32_t uniform_units = 0;
  };
  void Count(Register reg, Tally& tally) const;
  void CountNew(bool is_uniform, Tally& tally) const;
  int64_t CostOf(const Tally& tally) const;
  bool LivesBeyond(CycleId loop, Register reg) const;
  struct Balance {
    int64_t registers = 0;    // quarters of units that the loop saves
    double instructions = 0;  // additional instructions per iteration
  };
  Balance Judge(CycleId loop, const LoopAddresses& addresses, const AddressGroup& group, const Plan& plan);
  double Frequency(const MachineBasicBlock& block) const;

  // Rewriting.
  void Apply(LoopAddresses& addresses, const AddressGroup& group, Plan& plan);
  Register MakeRoot(LoopAddresses& addresses, const AddressGroup& group, const Root& root);

  MachineFunction& function_;
  PassContext& context_;
  const Knobs& knobs_;
  const MachineLoops& loops_;
  const MachineDominatorTree& dominators_;
  const MachineRegisterPressure* pressure_ = nullptr;
  const Uniformity* uniformity_ = nullptr;
  const MachineBlockFrequencies* frequencies_ = nullptr;
  const uint32_t num_known_registers_;
  AddressForms forms_;
  FormExpander expander_;

  // State for the current group.
  absl::flat_hash_map<TermsId, uint32_t> shared_;            // how often a difference occurs between neighbors
  absl::flat_hash_set<TermsId> at_hand_;                     // differences that are in registers anyway
  absl::flat_hash_map<uint32_t, uint32_t> value_of_member_;  // in the current block
  absl::flat_hash_map<TermsId, const InductionVariable*> variable_of_start_;  // variables that can be roots
  std::vector<uint32_t> recent_;  // values of the current block, the latest last

  UnusedInstrs unused_;
  std::vector<Register> extended_;  // registers that are read at a new place
  uint64_t num_roots_ = 0;
  uint64_t num_differences_ = 0;
  uint64_t num_uses_ = 0;
  uint64_t num_groups_ = 0;
};

// ---- Planning

// Returns the difference that, added to (or, if negated, subtracted from) an address at `from`, gives one at `to`.
TermsId InductionMerger::Difference(TermsId from, TermsId to, bool& is_negated) {
  is_negated = false;
  if (from == to) return AddressForms::kNoTerms;
  Form difference{.terms = forms_.terms(to)};
  const Form subtrahend{.terms = forms_.terms(from)};
  constexpr TermsId kTooLong = ~TermsId{0};
  if (!AddressForms::AddTo(difference, subtrahend, ~uint64_t{0})) return kTooLong;
  is_negated = static_cast<int64_t>(difference.terms.front().coefficient) < 0;
  if (is_negated) {
    for (Term& term : difference.terms) term.coefficient = ~term.coefficient + 1;
  }
  return forms_.Intern(difference.terms);
}

void InductionMerger::CountDifferences(const AddressGroup& group) {
  shared_.clear();
  for (size_t i = 0; i < group.members.size(); ++i) {
    for (size_t j = i + 1; j < std::min(i + 3, group.members.size()); ++j) {
      bool is_negated;
      ++shared_[Difference(group.members[i], group.members[j], is_negated)];
    }
  }
}

uint32_t InductionMerger::CostOfDelta(TermsId delta) const {
  if (delta == ~TermsId{0}) return ~uint32_t{0};
  if (delta == AddressForms::kNoTerms || at_hand_.contains(delta)) return 0;
  if (IsUniform(delta)) return static_cast<uint32_t>(knobs_.induction_merge_uniform_cost());
  const auto it = shared_.find(delta);
  return kPointer / std::max(it == shared_.end() ? 1u : it->second, 1u);
}

bool InductionMerger::FitsOffset(uint64_t offset) const {
  const auto limit = int64_t{1} << (knobs_.induction_merge_offset_bits() - 1);
  return static_cast<int64_t>(offset) >= -limit && static_cast<int64_t>(offset) < limit;
}

uint32_t InductionMerger::AddRoot(const InductionVariable* variable, const AddressUse& use, Plan& plan) {
  const auto number = static_cast<uint32_t>(plan.roots.size());
  plan.roots.push_back({.member = use.member,
                        .constant = variable != nullptr ? variable->start_constant : use.constant,
                        .variable = variable});
  plan.value_of_root.push_back(static_cast<uint32_t>(plan.values.size()));
  plan.values.push_back({.root = number, .member = use.member});
  return static_cast<uint32_t>(plan.values.size() - 1);
}

uint32_t InductionMerger::AddRootFor(const AddressGroup& group, const AddressUse& use, Plan& plan) {
  const auto variable = variable_of_start_.find(group.members[use.member]);
  return AddRoot(variable == variable_of_start_.end() ? nullptr : variable->second, use, plan);
}

// Returns the cheapest derivation of an address from available values, or Value::kNone if a root of its own costs
// no more.
uint32_t InductionMerger::ReachMember(const AddressGroup& group, const AddressUse& use, Plan& plan) {
  constexpr size_t kRecent = 3;
  constexpr size_t kRoots = 8;
  Value best{.before = use.instr, .member = use.member};
  uint32_t least = kPointer;
  const auto consider = [&](uint32_t parent) {
    bool is_negated;
    const TermsId delta = Difference(group.members[plan.values[parent].member], group.members[use.member], is_negated);
    const uint32_t cost = CostOfDelta(delta);
    if (cost >= least) return;
    least = cost;
    best.root = plan.values[parent].root;
    best.parent = parent;
    best.delta = delta;
    best.is_subtracted = is_negated;
  };
  // Only the first and the last roots are considered, so that the search does not grow with the loop.
  const size_t num_roots = plan.value_of_root.size();
  for (size_t root = 0; root < std::min(kRoots, num_roots); ++root) consider(plan.value_of_root[root]);
  for (size_t root = std::max(kRoots, num_roots - std::min(kRoots, num_roots)); root < num_roots; ++root) {
    consider(plan.value_of_root[root]);
  }
  for (size_t i = recent_.size(); i > 0 && i + kRecent > recent_.size(); --i) consider(recent_[i - 1]);
  if (best.parent == Value::kNone) return Value::kNone;
  if (best.delta == AddressForms::kNoTerms) return best.parent;
  if (at_hand_.insert(best.delta).second) plan.deltas.push_back(best.delta);
  plan.values.push_back(best);
  return static_cast<uint32_t>(plan.values.size() - 1);
}

Plan InductionMerger::MakePlan(const LoopAddresses& addresses, const AddressGroup& group, const LoopNeeds& fixed) {
  Plan plan;
  CountDifferences(group);
  at_hand_.clear();
  // Variables that the loop keeps regardless of the accesses can serve as roots at no cost.
  absl::flat_hash_map<TermsId, uint32_t> member_of_start;
  for (const TermsId start : group.members) {
    member_of_start.emplace(start, static_cast<uint32_t>(member_of_start.size()));
  }
  variable_of_start_.clear();
  for (const InductionVariable& variable : addresses.variables()) {
    if (variable.step_terms != group.step_terms || variable.step_constant != group.step_constant) continue;
    const auto member = member_of_start.find(variable.start_terms);
    if (member == member_of_start.end() || variable.assumes_no_wrap) continue;
    variable_of_start_.emplace(variable.start_terms, &variable);
    if (fixed.Contains(variable.phi->operand(0).reg())) AddRoot(&variable, {.member = member->second}, plan);
  }
  for (const Register reg : fixed.registers()) {
    if (!addresses.IsInvariant(reg) || function_.reg_info().reg_class(reg) != ptx::reg_class::kB64) continue;
    const Form& form = forms_.Of(reg);
    if (form.constant == 0 && !form.assumes_no_wrap) at_hand_.insert(forms_.Intern(form.terms));
  }
  const MachineBasicBlock* block = nullptr;
  for (const AddressUse& use : group.uses) {
    if (use.instr->parent() != block) {
      block = use.instr->parent();
      value_of_member_.clear();
      recent_.clear();
    }
    uint32_t value;
    if (const auto known = value_of_member_.find(use.member); known != value_of_member_.end()) {
      value = known->second;
    } else {
      value = ReachMember(group, use, plan);
      if (value == Value::kNone) value = AddRootFor(group, use, plan);
      value_of_member_.emplace(use.member, value);
    }
    std::erase(recent_, value);
    recent_.push_back(value);
    const bool fits = FitsOffset(use.constant - plan.roots[plan.values[value].root].constant);
    plan.value_of_use.push_back(fits ? value : Value::kNone);
  }
  return plan;
}

// ---- Judging

bool InductionMerger::IsUniform(TermsId terms) const {
  if (uniformity_ == nullptr) return false;
  for (const Term& term : forms_.terms(terms)) {
    for (const AddressForms::LeafId leaf : forms_.monomial(term.monomial)) {
      if (leaf == 0) continue;
      const Register reg = forms_.leaf(leaf).reg;
      if (!reg.is_virtual() || reg.virtual_index() >= num_known_registers_ || !uniformity_->IsUniform(reg))
        return false;
    }
  }
  return true;
}

void InductionMerger::Count(Register reg, Tally& tally) const {
  const uint32_t units = PressureUnitsOf(function_, reg);
  if (uniformity_ != nullptr && reg.virtual_index() < num_known_registers_ && uniformity_->IsUniform(reg)) {
    tally.uniform_units += units;
  } else {
    tally.quarters += int64_t{units} * kUnit;
  }
}

void InductionMerger::CountNew(bool is_uniform, Tally& tally) const {
  if (is_uniform) {
    tally.quarters += knobs_.induction_merge_uniform_cost();
    tally.uniform_units += kPointer / kUnit;
  } else {
    tally.quarters += kPointer;
  }
}

int64_t InductionMerger::CostOf(const Tally& tally) const {
  const int64_t excess = int64_t{tally.uniform_units} - knobs_.induction_merge_uniform_registers();
  return tally.quarters + std::max<int64_t>(excess, 0) * kUnit;
}

bool InductionMerger::LivesBeyond(CycleId loop, Register reg) const {
  if (reg.virtual_index() >= num_known_registers_) return false;
  for (const MachineBasicBlock* exit : loops_.ExitBlocks(loop)) {
    if (pressure_->IsLiveIn(*exit, reg)) return true;
  }
  return false;
}

double InductionMerger::Frequency(const MachineBasicBlock& block) const {
  return static_cast<double>(frequencies_->Frequency(block));
}

InductionMerger::Balance InductionMerger::Judge(CycleId loop, const LoopAddresses& addresses, const AddressGroup& group,
                                                const Plan& plan) {
  const MachineRegisterInfo& reg_info = function_.reg_info();
  absl::flat_hash_set<const MachineOperand*> rewritten;
  for (size_t i = 0; i < group.uses.size(); ++i) {
    if (plan.value_of_use[i] != Value::kNone) {
      rewritten.insert(&group.uses[i].instr->operand(group.uses[i].operand));
    }
  }
  LoopNeeds before(function_, loops_, loop, addresses);
  LoopNeeds after(function_, loops_, loop, addresses);
  before.Compute({});
  after.Compute(rewritten);

  Balance balance;
  Tally new_tally;
  const double turn = std::max(Frequency(addresses.header()), 1.0);
  const auto require = [&](TermsId terms, uint64_t constant) {
    if (terms == AddressForms::kNoTerms) return;
    if (const Register reg = expander_.Find(terms, constant); reg.is_valid()) {
      after.Add(reg);
      return;
    }
    CountNew(IsUniform(terms), new_tally);
    balance.instructions += expander_.CostOf(terms, constant) * Frequency(addresses.predecessor()) / turn;
  };
  bool has_new_root = false;
  for (const Root& root : plan.roots) {
    if (root.variable != nullptr) {
      after.Add(root.variable->phi->operand(0).reg());
      continue;
    }
    has_new_root = true;
    CountNew(IsUniform(group.members[root.member]) && IsUniform(group.step_terms), new_tally);
    balance.instructions +=
        1 + expander_.CostOf(group.members[root.member], root.constant) * Frequency(addresses.predecessor()) / turn;
  }
  if (has_new_root) require(group.step_terms, group.step_constant);
  for (const TermsId delta : plan.deltas) require(delta, 0);
  for (const Value& value : plan.values) {
    if (value.parent != Value::kNone) balance.instructions += Frequency(*value.before->parent()) / turn;
  }
  // Counts the registers that are live through the loop: its variables, and invariants, including those that are
  // live through it only because of uses after the loop.
  const auto tally = [&](const LoopNeeds& needs, const LoopNeeds& others) {
    Tally result;
    const auto count = [&](Register reg) {
      const bool is_variable = addresses.IsVariable(reg);
      if (is_variable || addresses.IsInvariant(reg)) Count(reg, result);
    };
    for (const Register reg : needs.registers()) count(reg);
    for (const Register reg : others.registers()) {
      if (!needs.Contains(reg) && addresses.IsInvariant(reg) && LivesBeyond(loop, reg)) count(reg);
    }
    return result;
  };
  Tally tally_after = tally(after, before);
  tally_after.quarters += new_tally.quarters;
  tally_after.uniform_units += new_tally.uniform_units;
  balance.registers = CostOf(tally(before, after)) - CostOf(tally_after);
  for (const Register reg : before.registers()) {
    const MachineInstr* def = reg_info.UniqueDef(reg);
    if (after.Contains(reg) || def == nullptr || def->is_phi() || addresses.IsInvariant(reg)) continue;
    balance.instructions -= Frequency(*def->parent()) / turn;
  }
  return balance;
}

// ---- Rewriting

Register InductionMerger::MakeRoot(LoopAddresses& addresses, const AddressGroup& group, const Root& root) {
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

void InductionMerger::Apply(LoopAddresses& addresses, const AddressGroup& group, Plan& plan) {
  MachineRegisterInfo& reg_info = function_.reg_info();
  expander_.SetPlace(addresses.predecessor());
  for (Value& value : plan.values) {
    if (value.parent == Value::kNone) {
      value.reg = MakeRoot(addresses, group, plan.roots[value.root]);
      continue;
    }
    const Register parent = plan.values[value.parent].reg;
    const Register delta = expander_.Expand(value.delta, 0);
    extended_.push_back(parent);
    extended_.push_back(delta);
    value.reg = reg_info.CreateVirtualRegister(ptx::reg_class::kB64);
    BuildMI(*value.before->parent(), value.before, value.is_subtracted ? ptx::op::SUB64rr : ptx::op::ADD64rr,
            value.before->debug_loc())
        .AddDef(value.reg)
        .AddUse(parent)
        .AddUse(delta)
        .Insert();
    ++num_differences_;
  }
  for (size_t i = 0; i < group.uses.size(); ++i) {
    if (plan.value_of_use[i] == Value::kNone) continue;
    const AddressUse& use = group.uses[i];
    const Value& value = plan.values[plan.value_of_use[i]];
    MachineOperand& base = use.instr->operand(use.operand);
    extended_.push_back(value.reg);
    unused_.Add(base.reg());
    base.SetReg(value.reg);
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

// ---- The function

void InductionMerger::MergeGroup(CycleId loop, LoopAddresses& addresses, const AddressGroup& group) {
  expander_.SetPlace(addresses.predecessor());
  LoopNeeds fixed(function_, loops_, loop, addresses);
  absl::flat_hash_set<const MachineOperand*> all;
  for (const AddressUse& use : group.uses) all.insert(&use.instr->operand(use.operand));
  fixed.Compute(all);
  Plan plan = MakePlan(addresses, group, fixed);
  const Balance balance = Judge(loop, addresses, group, plan);
  const auto size = static_cast<double>(group.uses.size());
  const double allowed = size * knobs_.induction_merge_growth() / 100.0;
  const bool is_worth_it =
      balance.registers >= int64_t{kUnit} * knobs_.induction_merge_min_gain() && balance.instructions <= allowed;
  context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(is_worth_it ? RemarkKind::kPassed : RemarkKind::kMissed, context_.pass_name,
                         is_worth_it ? "AddressesMerged" : "AddressesNotMerged", *addresses.header().front())
           << RemarkArg("NumMembers", group.members.size()) << " addresses that advance in step from "
           << RemarkArg("NumRoots", plan.roots.size()) << " induction variables, "
           << RemarkArg("NumDifferences", plan.deltas.size())
           << " differences: " << RemarkArg("Gain", balance.registers / kUnit) << " registers gained, "
           << RemarkArg("Instructions", static_cast<int64_t>(balance.instructions)) << " instructions more";
  });
  if (is_worth_it) Apply(addresses, group, plan);
}

bool InductionMerger::IsWorthwhile(CycleId loop) const {
  const auto least = static_cast<uint32_t>(knobs_.induction_merge_min_pressure());
  for (const MachineBasicBlock* block : loops_.Blocks(loop)) {
    if (pressure_->Block(*block).peak.units >= least) return true;
  }
  return false;
}

void InductionMerger::Prepare() {
  if (pressure_ != nullptr) return;
  pressure_ = &context_.analyses.Get<MachineRegisterPressure>();
  frequencies_ = &context_.analyses.Get<MachineBlockFrequencies>();
  // Uniform registers came with sm_75.
  const ptx::Subtarget* subtarget = context_.analyses.inputs().subtarget;
  if (subtarget != nullptr && subtarget->sm().number >= 75) uniformity_ = &context_.analyses.Get<Uniformity>();
}

void InductionMerger::RunOnLoop(CycleId loop) {
  LoopAddresses addresses(function_, loops_, loop, forms_);
  if (!addresses.FindInductionVariables()) return;
  addresses.FindGroups();
  std::vector<const AddressGroup*> groups;
  for (const AddressGroup& group : addresses.groups()) {
    if (!addresses.IsOnePointer(group)) groups.push_back(&group);
  }
  if (groups.empty()) return;
  Prepare();
  if (!IsWorthwhile(loop)) return;
  // Each group costs a few walks over the loop.
  constexpr size_t kMaxGroups = 8;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const AddressGroup* a, const AddressGroup* b) { return a->members.size() > b->members.size(); });
  if (groups.size() > kMaxGroups) groups.resize(kMaxGroups);
  for (const AddressGroup* group : groups) MergeGroup(loop, addresses, *group);
}

bool InductionMerger::Run() {
  // Inner loops first: they have higher numbers.
  for (CycleId loop = loops_.num_cycles(); loop > 0; --loop) RunOnLoop(loop - 1);
  extended_.insert(extended_.end(), expander_.used().begin(), expander_.used().end());
  ClearKillFlags(function_.reg_info(), std::move(extended_));
  unused_.Erase();
  context_.AddStatistic("groups of addresses merged", num_groups_);
  context_.AddStatistic("accesses with a new address", num_uses_);
  context_.AddStatistic("induction variables made", num_roots_);
  context_.AddStatistic("differences added", num_differences_);
  return num_groups_ > 0;
}

}  // namespace

PassResult RunInductionMerge(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  bool changed = false;
  if (context.knobs.induction_merge_fold_offsets()) changed |= FoldAddressOffsets(function, context);
  if (changed) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  if (context.knobs.induction_merge() && function.MayContain(generic::kPhi) &&
      context.analyses.Get<MachineLoops>().num_cycles() > 0) {
    changed |= InductionMerger(function, context).Run();
  }
  return {.changed = changed, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
