// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_flow.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/control_flow/block_order.h"
#include "passes/register_check/register_checker_execution.h"
#include "passes/register_check/register_checker_liveness.h"
#include "passes/register_check/register_checker_reports.h"

namespace ptxmir::register_check {
namespace {

struct FlowFacts {
  explicit FlowFacts(const CheckerFacts& checker)
      : live_locations(LiveLocations(checker)), live_registers(LiveRegisters(checker)), order(checker.function()) {}

  BlockLists live_locations;
  BlockLists live_registers;
  DepthFirstOrder order;
};

// The knowledge on entry to each block, by block number.
struct Entries {
  std::vector<std::vector<SetId>> sets;  // of the live locations
  std::vector<bool> is_reached;
};

// The PHIs of an edge, which copy in parallel.
struct EdgeCopies {
  std::vector<uint32_t> targets;                         // sorted
  std::vector<std::pair<uint32_t, uint32_t>> by_source;  // (source, target), sorted; without undefined targets
  std::vector<SymbolicValue> undefined;                  // the targets that become undefined
  absl::flat_hash_map<Location, Location> kept;          // the location that each kept PHI defines -> the one it reads
};

EdgeCopies CopiesOnEdge(const CheckerFacts& facts, const MatchedBlock& from, const MatchedBlock& to) {
  EdgeCopies copies;
  for (const MatchedPhi& phi : to.phis) {
    Register now;
    const Snapshot::Operand* source = PhiOperand(facts, phi, *from.block, now);
    const uint32_t target = facts.Name(PhiResult(facts, phi));
    copies.targets.push_back(target);
    if (source == nullptr || source->operand.is_undef()) {
      copies.undefined.push_back(facts.WholeValue(target));
      continue;
    }
    copies.by_source.push_back({facts.Name(source->operand.reg()), target});
    if (phi.instr != nullptr) copies.kept[LocationOf(phi.instr->operand(0).reg())] = LocationOf(now);
  }
  std::sort(copies.targets.begin(), copies.targets.end());
  std::sort(copies.by_source.begin(), copies.by_source.end());
  return copies;
}

// Maps the sets at the end of a block to those on entry to a successor: after the PHIs, and without registers that are
// dead there. Many locations have the same set, so each set is translated only once.
class EdgeTranslation {
 public:
  EdgeTranslation(const CheckerFacts& checker, const FlowFacts& flow, SymbolicSets& sets)
      : is_input_(checker.expressions.is_input), live_registers_(flow.live_registers), sets_(sets) {}

  void Begin(const EdgeCopies& copies, BlockNumber to) {
    ++edge_;
    copies_ = &copies;
    live_ = live_registers_[to];
  }
  SetId Translate(SetId set) {
    if (set >= results_.size()) results_.resize(size_t{set} + 1);
    if (results_[set].edge != edge_) {
      const SetId result = WithoutDead(AfterPhis(set));
      results_[set] = {edge_, result};
    }
    return results_[set].set;
  }
  SetId WithoutDead(SetId set) {
    std::vector<SymbolicValue>& values = sets_.NewValues();
    for (const SymbolicValue& value : sets_.Values(set)) {
      if (is_input_[value.vreg] || std::binary_search(live_.begin(), live_.end(), value.vreg)) values.push_back(value);
    }
    return values.size() == sets_.Values(set).size() ? set : sets_.Make(values);
  }

 private:
  struct Result {
    uint64_t edge = 0;
    SetId set = SymbolicSets::kEmpty;
  };

  SetId AfterPhis(SetId set) {
    if (copies_->targets.empty() || set == SymbolicSets::kEmpty) return set;
    const auto& by_source = copies_->by_source;
    std::vector<SymbolicValue>& values = sets_.NewValues();
    bool changed = false;
    for (const SymbolicValue& value : sets_.Values(set)) {
      auto copy = std::lower_bound(by_source.begin(), by_source.end(), std::pair{value.vreg, 0u});
      for (; copy != by_source.end() && copy->first == value.vreg; ++copy) {
        values.push_back({copy->second, value.begin, value.size, value.form});
        changed = true;
      }
      const bool is_target = std::binary_search(copies_->targets.begin(), copies_->targets.end(), value.vreg);
      changed |= is_target;
      if (!is_target) values.push_back(value);
    }
    return changed ? sets_.Make(values) : set;
  }

  const std::vector<bool>& is_input_;
  const BlockLists& live_registers_;
  SymbolicSets& sets_;
  const EdgeCopies* copies_ = nullptr;
  absl::Span<const uint32_t> live_;
  std::vector<Result> results_;  // by set
  uint64_t edge_ = 0;            // the number of edges so far
};

// Returns the sets that `locations` have after an edge, given the state at the end of its source.
std::vector<SetId> SetsAfterEdge(const std::vector<Location>& locations, const EdgeCopies& copies,
                                 EdgeTranslation& translation, SymbolicState& state) {
  std::vector<SetId> result;
  result.reserve(locations.size());
  for (const Location location : locations) {
    const auto kept = copies.kept.find(location);
    SetId set = translation.Translate(state.Get(kept == copies.kept.end() ? location : kept->second));
    if (location == kUndefined && !copies.undefined.empty()) {
      std::vector<SymbolicValue> all = copies.undefined;
      for (const SymbolicValue& value : state.sets().Values(set)) all.push_back(value);
      set = translation.WithoutDead(state.sets().Make(all));
    }
    result.push_back(set);
  }
  return result;
}

// The meet of the states of two edges into a block, `there` and `here`. A register that is undefined on one side is in
// every set of that side, with all its parts.
class StateMeet {
 public:
  StateMeet(const CheckerFacts& facts, SymbolicSets& sets, SetId undefined_there, SetId undefined_here)
      : facts_(facts), sets_(sets), undefined_there_(undefined_there), undefined_here_(undefined_here) {}

  SetId Meet(SetId there, SetId here) {
    const SetId common = sets_.Intersect(there, here);
    if (undefined_there_ == SymbolicSets::kEmpty && undefined_here_ == SymbolicSets::kEmpty) return common;
    const SetId of_there = ValuesOf(there, undefined_here_, kept_there_);
    const SetId of_here = ValuesOf(here, undefined_there_, kept_here_);
    if (of_there == SymbolicSets::kEmpty && of_here == SymbolicSets::kEmpty) return common;
    std::vector<SymbolicValue>& values = sets_.NewValues();
    for (const SetId part : {common, of_there, of_here}) {
      values.insert(values.end(), sets_.Values(part).begin(), sets_.Values(part).end());
    }
    return sets_.Make(values);
  }

 private:
  using Known = absl::flat_hash_map<SetId, SetId>;

  // Returns the values in `set` that belong to the registers in `registers`, each of which is there as a whole.
  SetId ValuesOf(SetId set, SetId registers, Known& known) {
    const auto [result, is_new] = known.try_emplace(set, SymbolicSets::kEmpty);
    if (!is_new || registers == SymbolicSets::kEmpty) return result->second;
    std::vector<SymbolicValue>& values = sets_.NewValues();
    for (const SymbolicValue& value : sets_.Values(set)) {
      if (sets_.Contains(registers, facts_.WholeValue(value.vreg))) values.push_back(value);
    }
    result->second = values.size() == sets_.Values(set).size() ? set : sets_.Make(values);
    return result->second;
  }

  const CheckerFacts& facts_;
  SymbolicSets& sets_;
  const SetId undefined_there_;
  const SetId undefined_here_;
  Known kept_there_, kept_here_;
};

// Meets the known sets with those that arrive on an edge. Returns true if a set changed.
bool MeetEntry(const CheckerFacts& facts, const std::vector<Location>& locations, const std::vector<SetId>& arriving,
               SymbolicSets& sets, std::vector<SetId>& known) {
  // If U is tracked, it is the first location.
  const bool has_undefined = !locations.empty() && locations[0] == kUndefined;
  const SetId undefined_there = has_undefined ? known[0] : SymbolicSets::kEmpty;
  const SetId undefined_here = has_undefined ? arriving[0] : SymbolicSets::kEmpty;
  StateMeet meet(facts, sets, undefined_there, undefined_here);
  bool changed = false;
  for (size_t i = 0; i < locations.size(); ++i) {
    const SetId met =
        locations[i] == kUndefined ? sets.Intersect(undefined_there, undefined_here) : meet.Meet(known[i], arriving[i]);
    changed |= met != known[i];
    known[i] = met;
  }
  return changed;
}

// Meets the state at the end of `from` with what is known on entry to `to`. Returns true if that changed.
bool Propagate(const CheckerFacts& facts, const FlowFacts& flow, const MatchedBlock& from, const MatchedBlock& to,
               EdgeTranslation& translation, SymbolicState& state, Entries& entries) {
  const BlockNumber number = to.block->number();
  const std::vector<Location>& locations = flow.live_locations[number];
  const EdgeCopies copies = CopiesOnEdge(facts, from, to);
  translation.Begin(copies, number);
  std::vector<SetId> arriving = SetsAfterEdge(locations, copies, translation, state);
  if (!entries.is_reached[number]) {
    entries.is_reached[number] = true;
    entries.sets[number] = std::move(arriving);
    return true;
  }
  return MeetEntry(facts, locations, arriving, state.sets(), entries.sets[number]);
}

void ExecuteAtEntry(const FlowFacts& flow, const Entries& entries, const MatchedBlock& block, Execution& execution) {
  const BlockNumber number = block.block->number();
  ExecuteBlock(execution, block, flow.live_locations[number], entries.sets[number]);
}

// Computes what holds on entry to each block. Returns the number of block executions.
//
// The blocks are visited in sweeps over the reverse post-order: a change to an earlier block waits for the next sweep.
// Sets that go round a loop are then met with those of the enclosing loops in one sweep. Settling an inner loop first,
// each time an outer one changes, would take time quadratic in the depth.
uint64_t Solve(const FlowFacts& flow, Execution& execution, Entries& entries) {
  const CheckerFacts& facts = execution.facts;
  EdgeTranslation translation(facts, flow, execution.state.sets());
  const std::vector<MachineBasicBlock*>& order = flow.order.reverse_postorder;
  std::vector<bool> is_waiting(order.size());
  is_waiting[0] = true;
  uint64_t num_visits = 0;
  bool is_done = false;
  while (!is_done) {
    is_done = true;
    for (uint32_t index = 0; index < order.size(); ++index) {
      if (!is_waiting[index]) continue;
      is_waiting[index] = false;
      const MatchedBlock& block = facts.matched.block(*order[index]);
      ++num_visits;
      ExecuteAtEntry(flow, entries, block, execution);
      for (const MachineBasicBlock* successor : order[index]->successors()) {
        const MatchedBlock& to = facts.matched.block(*successor);
        if (!Propagate(facts, flow, block, to, translation, execution.state, entries)) continue;
        const uint32_t next = flow.order.reverse_postorder_number[successor->number()];
        is_waiting[next] = true;
        is_done &= next > index;
      }
    }
  }
  return num_visits;
}

// Executes each block once more, from its final entry, and reports the uses that cannot be proved.
void Report(const FlowFacts& flow, const Entries& entries, Execution& execution, MatchedFunction& matched) {
  ValueReports reports(matched, execution.facts);
  execution.reports = &reports;
  for (const MachineBasicBlock& block : matched.function()) {
    if (!entries.is_reached[block.number()]) continue;
    ExecuteAtEntry(flow, entries, matched.block(block), execution);
    for (const MachineBasicBlock* successor : block.successors()) {
      reports.CheckPhis(matched.block(block), matched.block(*successor), execution.state);
    }
  }
  execution.reports = nullptr;
}

}  // namespace

uint64_t CheckValues(MatchedFunction& matched) {
  const MachineFunction& function = matched.function();
  if (function.empty()) return 0;
  const CheckerFacts facts(matched);
  const FlowFacts flow(facts);
  const BlockNumber first = function.front()->number();
  Entries entries;
  entries.sets.resize(function.block_number_bound());
  entries.sets[first].assign(flow.live_locations[first].size(), SymbolicSets::kEmpty);
  entries.is_reached.assign(function.block_number_bound(), false);
  entries.is_reached[first] = true;
  Execution execution = {.facts = facts, .state = SymbolicState(facts)};
  const uint64_t num_visits = Solve(flow, execution, entries);
  Report(flow, entries, execution, matched);
  return num_visits;
}

}  // namespace ptxmir::register_check
