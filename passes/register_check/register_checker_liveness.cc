// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_liveness.h"

#include <algorithm>
#include <utility>

#include "analysis/liveness/backward_reachability.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir::register_check {
namespace {

using TransferKind = RegisterTransfer::Kind;

// The uses and definitions of values (locations or registers), each known by its number.
class UsesAndDefs {
 public:
  UsesAndDefs(const MachineFunction& function, uint32_t num_values) : function_(function), defined_in_(num_values) {}

  // The steps of a block, in order. A use that follows a definition in its block has no effect outside it.
  void AddUse(uint32_t value, BlockNumber block) {
    if (defined_in_[value] != block + 1) facts_.push_back({value, Kind::kUse, block});
  }
  void AddDef(uint32_t value, BlockNumber block) {
    if (defined_in_[value] != block + 1) facts_.push_back({value, Kind::kDef, block});
    defined_in_[value] = block + 1;
  }
  void AddUseAtEnd(uint32_t value, BlockNumber block) { facts_.push_back({value, Kind::kUseAtEnd, block}); }
  void AddDefOnEdges(uint32_t value, BlockNumber block) { facts_.push_back({value, Kind::kDefOnEdges, block}); }

  BlockLists LiveAtEntry() {
    std::sort(facts_.begin(), facts_.end());
    BlockLists live(function_.block_number_bound());
    BackwardReachability search(function_);
    for (size_t i = 0; i < facts_.size();) {
      const uint32_t value = facts_[i].value;
      search.Begin();
      for (; i < facts_.size() && facts_[i].value == value; ++i) Add(facts_[i], search);
      search.Search();
      for (const BlockNumber block : search.live_in()) live[block].push_back(value);
    }
    return live;
  }

 private:
  // Definitions come first, as the search demands.
  enum class Kind : uint8_t { kDef, kDefOnEdges, kUse, kUseAtEnd };
  struct Fact {
    uint32_t value;
    Kind kind;
    BlockNumber block;
    friend auto operator<=>(const Fact&, const Fact&) = default;
  };

  static void Add(const Fact& fact, BackwardReachability& search) {
    switch (fact.kind) {
      case Kind::kDef:
        return search.AddDef(fact.block);
      case Kind::kDefOnEdges:
        return search.AddDefOnEdges(fact.block);
      case Kind::kUse:
        return search.ReachTop(fact.block);
      case Kind::kUseAtEnd:
        return search.ReachEnd(fact.block);
    }
  }

  const MachineFunction& function_;
  std::vector<uint32_t> defined_in_;  // by value: 1 + the block in which it was last defined
  std::vector<Fact> facts_;
};

// Adds what a kept or deleted instruction does.
void AddOriginalStep(const CheckerFacts& facts, const MatchedStep& step, BlockNumber block, UsesAndDefs& locations) {
  if (step.kind == MatchedStep::Kind::kKept) {
    if (step.instr->is_debug()) return;
    for (const MachineOperand& use : VirtualUses(*step.instr)) locations.AddUse(LocationOf(use.reg()), block);
    for (const MachineOperand& def : VirtualDefs(*step.instr)) locations.AddDef(LocationOf(def.reg()), block);
  }
  if (CopiesValueToItself(facts, facts.Before(step))) return;
  for (const Snapshot::Operand& operand : facts.snapshot().operands(facts.Before(step))) {
    if (!IsVirtualDef(operand.operand)) continue;
    for (const Location location : facts.expressions.reading[facts.Name(operand.operand.reg())]) {
      locations.AddDef(location, block);
    }
  }
}

void AddInsertedStep(const CheckerFacts& facts, const MatchedStep& step, BlockNumber block, UsesAndDefs& locations) {
  for (const MachineOperand& use : VirtualUses(*step.instr)) locations.AddUse(LocationOf(use.reg()), block);
  if (const uint32_t shape = FindShape(facts, *step.instr); shape != Snapshot::kNone) {
    for (const Location location : facts.expressions.locations_of_shape[shape]) locations.AddUse(location, block);
  }
  const bool is_reload = step.transfer.kind == TransferKind::kReload;
  if (is_reload || step.transfer.kind == TransferKind::kSpill) {
    for (unsigned i = 0; i < step.transfer.num_values; ++i) {
      for (const auto& [piece, size] : PiecesOf(facts, step.transfer, i)) {
        if (is_reload) {
          locations.AddUse(piece, block);
        } else {
          locations.AddDef(piece, block);
        }
      }
    }
  }
  for (const MachineOperand& def : VirtualDefs(*step.instr)) locations.AddDef(LocationOf(def.reg()), block);
}

void AddStepBefore(const CheckerFacts& facts, const MatchedStep& step, BlockNumber block, UsesAndDefs& registers) {
  if (step.kind == MatchedStep::Kind::kInserted) return;
  const Snapshot::Instr& before = facts.Before(step);
  if (before.opcode >= generic::kDbgValue && before.opcode <= generic::kDbgLabel) return;
  const absl::Span<const Snapshot::Operand> operands = facts.snapshot().operands(before);
  for (const Snapshot::Operand& operand : operands) {
    if (IsVirtualRead(operand.operand)) registers.AddUse(facts.Name(operand.operand.reg()), block);
  }
  if (CopiesValueToItself(facts, before)) return;
  for (const Snapshot::Operand& operand : operands) {
    if (IsVirtualDef(operand.operand)) registers.AddDef(facts.Name(operand.operand.reg()), block);
  }
}

// Returns true if the instruction may add to U or depend on it.
bool ConcernsUndefined(const CheckerFacts& facts, const MatchedStep& step) {
  if (step.original == Snapshot::kNone) return false;
  const Opcode opcode = facts.Before(step).opcode;
  return opcode == generic::kImplicitDef || opcode == generic::kCopy;
}

}  // namespace

BlockLists LiveLocations(const CheckerFacts& facts) {
  UsesAndDefs locations(facts.function(), facts.num_locations);
  bool has_undefined = false;
  for (const MachineBasicBlock& block : facts.function()) {
    const MatchedBlock& matched = facts.matched.block(block);
    for (const MatchedStep& step : matched.steps) {
      if (step.kind == MatchedStep::Kind::kInserted) {
        AddInsertedStep(facts, step, block.number(), locations);
      } else {
        AddOriginalStep(facts, step, block.number(), locations);
      }
      has_undefined |= ConcernsUndefined(facts, step);
    }
    for (const MatchedPhi& phi : matched.phis) {
      if (phi.instr != nullptr) locations.AddDefOnEdges(LocationOf(phi.instr->operand(0).reg()), block.number());
      for (const MachineBasicBlock* predecessor : block.predecessors()) {
        Register now;
        const Snapshot::Operand* source = PhiOperand(facts, phi, *predecessor, now);
        has_undefined |= source == nullptr || source->operand.is_undef();
        if (now.is_virtual()) locations.AddUseAtEnd(LocationOf(now), predecessor->number());
      }
    }
  }
  if (has_undefined) {
    for (const MachineBasicBlock& block : facts.function()) locations.AddUse(kUndefined, block.number());
  }
  return locations.LiveAtEntry();
}

BlockLists LiveRegisters(const CheckerFacts& facts) {
  UsesAndDefs registers(facts.function(), facts.snapshot().num_registers());
  for (const MachineBasicBlock& block : facts.function()) {
    const MatchedBlock& matched = facts.matched.block(block);
    for (const MatchedStep& step : matched.steps) AddStepBefore(facts, step, block.number(), registers);
    for (const MatchedPhi& phi : matched.phis) {
      registers.AddDefOnEdges(facts.Name(PhiResult(facts, phi)), block.number());
      for (const MachineBasicBlock* predecessor : block.predecessors()) {
        Register now;
        const Snapshot::Operand* source = PhiOperand(facts, phi, *predecessor, now);
        if (source != nullptr && !source->operand.is_undef()) {
          registers.AddUseAtEnd(facts.Name(source->operand.reg()), predecessor->number());
        }
      }
    }
  }
  return registers.LiveAtEntry();
}

}  // namespace ptxmir::register_check
