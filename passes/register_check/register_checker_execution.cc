// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_execution.h"

#include <algorithm>
#include <utility>

#include "mir/code/operand_ranges.h"

namespace ptxmir::register_check {
namespace {

using TransferKind = RegisterTransfer::Kind;

// --- sets ---

// Returns the bytes [begin, begin + size) of the contents of a location of `whole` bytes.
SetId Cut(SymbolicSets& sets, SetId set, uint32_t begin, uint32_t size, uint32_t whole) {
  if (begin == 0 && size == whole) return set;
  std::vector<SymbolicValue>& values = sets.NewValues();
  for (const SymbolicValue& value : sets.Values(set)) {
    if (value.form == SymbolicValue::kBool) {
      if (begin == 0) values.push_back(value);
    } else if (begin + size <= value.size) {
      values.push_back({value.vreg, static_cast<uint8_t>(value.begin + begin), static_cast<uint8_t>(size)});
    }
  }
  return sets.Make(values);
}

// A part of the contents of a location, with its size.
using Part = std::pair<SetId, uint32_t>;

// Returns the contents of a location that is assembled from parts, lowest first.
SetId Join(SymbolicSets& sets, absl::Span<const Part> parts) {
  if (parts.size() == 1) return parts[0].first;
  std::vector<SymbolicValue>& values = sets.NewValues();
  for (const SymbolicValue& first : sets.Values(parts[0].first)) {
    if (first.form != SymbolicValue::kBytes || first.size != parts[0].second) continue;
    uint32_t size = first.size;
    bool fits = true;
    for (const auto& [part, part_size] : parts.subspan(1)) {
      fits = fits && sets.Contains(
                         part, {first.vreg, static_cast<uint8_t>(first.begin + size), static_cast<uint8_t>(part_size)});
      size += part_size;
    }
    if (fits) values.push_back({first.vreg, first.begin, static_cast<uint8_t>(size)});
  }
  return sets.Make(values);
}

// Returns the values of predicates in `set`, in another form.
SetId ChangeForm(const CheckerFacts& facts, SymbolicSets& sets, SetId set, SymbolicValue::Form from,
                 SymbolicValue::Form to) {
  std::vector<SymbolicValue>& values = sets.NewValues();
  for (SymbolicValue value : sets.Values(set)) {
    // Predicates are values of one byte that is never cut.
    if (value.form != from || facts.snapshot().RegisterBytes(value.vreg) != 1) continue;
    value.form = to;
    values.push_back(value);
  }
  return sets.Make(values);
}

SetId Union(SymbolicSets& sets, SetId a, SetId b) {
  std::vector<SymbolicValue>& values = sets.NewValues();
  values.assign(sets.Values(a).begin(), sets.Values(a).end());
  values.insert(values.end(), sets.Values(b).begin(), sets.Values(b).end());
  return sets.Make(values);
}

// --- the state ---

void Set(Execution& execution, Location location, SetId set) {
  if (execution.reports != nullptr) execution.reports->ForgetWriter(location);
  execution.state.Set(location, set);
}

void SetBy(Execution& execution, Location location, const MachineInstr& writer, SetId set) {
  Set(execution, location, set);
  if (execution.reports != nullptr) execution.reports->NoteWriter(location, writer);
}

void SetTarget(Execution& execution, const MachineInstr& instr, unsigned operand, SetId set) {
  const MachineOperand& target = instr.operand(operand);
  if (target.is_reg() && target.reg().is_virtual()) SetBy(execution, LocationOf(target.reg()), instr, set);
}

// Forgets the value that an original register had, and the expressions that were computed from it.
void Redefine(Execution& execution, uint32_t vreg) {
  execution.state.Kill(vreg);
  std::erase_if(execution.pending,
                [&](const Execution::Copy& copy) { return copy.target == vreg || copy.source == vreg; });
  for (const Location location : execution.facts.expressions.reading[vreg]) {
    Set(execution, location, SymbolicSets::kEmpty);
  }
}

// --- original instructions ---

void ExecuteUndefine(Execution& execution, const Snapshot::Operand& target) {
  const uint32_t vreg = execution.facts.Name(target.operand.reg());
  Redefine(execution, vreg);
  SymbolicSets& sets = execution.state.sets();
  const SetId value = sets.Singleton(execution.facts.WholeValue(vreg));
  Set(execution, kUndefined, Union(sets, execution.state.Get(kUndefined), value));
}

void ExecuteCopy(Execution& execution, const Snapshot::Operand& target, const Snapshot::Operand& source) {
  if (source.operand.is_undef()) return ExecuteUndefine(execution, target);
  const uint32_t to = execution.facts.Name(target.operand.reg());
  if (!source.operand.reg().is_virtual()) return Redefine(execution, to);
  const uint32_t from = execution.facts.Name(source.operand.reg());
  if (to == from) return;
  Redefine(execution, to);
  execution.state.AddEqual(to, from);
}

// Adds the results of an original instruction to the locations of its expression.
void DefineExpression(Execution& execution, const MatchedStep& step) {
  const CheckerFacts& facts = execution.facts;
  const uint32_t index = facts.expressions.of_instr[step.original];
  if (index == Snapshot::kNone) return;
  const absl::Span<const Snapshot::Operand> operands = facts.snapshot().operands(facts.Before(step));
  const std::vector<Location>& locations = facts.expressions.all[index].locations;
  for (size_t i = 0; i < locations.size(); ++i) {
    if (locations[i] == kNoLocation) continue;
    SymbolicSets& sets = execution.state.sets();
    const SetId result = sets.Singleton(facts.WholeValue(facts.Name(operands[i].operand.reg())));
    Set(execution, locations[i], Union(sets, execution.state.Get(locations[i]), result));
  }
}

void RedefineResults(Execution& execution, absl::Span<const Snapshot::Operand> operands) {
  for (const Snapshot::Operand& operand : operands) {
    if (IsVirtualDef(operand.operand)) Redefine(execution, execution.facts.Name(operand.operand.reg()));
  }
}

void ExecuteKeptCopy(Execution& execution, const MachineInstr& instr, absl::Span<const Snapshot::Operand> operands) {
  const MachineOperand& source = operands[1].operand;
  ExecuteCopy(execution, operands[0], operands[1]);
  SetId set = SymbolicSets::kEmpty;
  if (!source.is_undef()) {
    const CheckerFacts& facts = execution.facts;
    set = source.reg().is_virtual()
              ? execution.state.Get(LocationOf(instr.operand(1).reg()))
              : execution.state.sets().Singleton(facts.WholeValue(facts.Name(operands[0].operand.reg())));
  }
  SetTarget(execution, instr, 0, set);
}

// Sets the locations of the results. If two definitions are in the same register, neither can be relied on.
void SetResults(Execution& execution, const MachineInstr& instr, absl::Span<const Snapshot::Operand> operands) {
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (IsVirtualDef(operands[i].operand)) SetTarget(execution, instr, i, SymbolicSets::kEmpty);
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!IsVirtualDef(operands[i].operand)) continue;
    const Register reg = instr.operand(i).reg();
    const bool is_shared =
        std::any_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& other) {
          return other.is_def() && other.reg() == reg && &other != &instr.operand(i);
        });
    if (is_shared) continue;
    const uint32_t vreg = execution.facts.Name(operands[i].operand.reg());
    SetTarget(execution, instr, i, execution.state.sets().Singleton(execution.facts.WholeValue(vreg)));
  }
}

void ExecuteKept(Execution& execution, const MatchedBlock& block, const MatchedStep& step) {
  const Snapshot::Instr& before = execution.facts.Before(step);
  const absl::Span<const Snapshot::Operand> operands = execution.facts.snapshot().operands(before);
  execution.pending.clear();
  if (step.instr->is_debug()) return;
  if (execution.reports != nullptr) execution.reports->CheckUses(*block.block, step, execution.state);
  if (before.opcode == generic::kCopy) {
    if (operands[0].operand.reg().is_virtual()) ExecuteKeptCopy(execution, *step.instr, operands);
  } else if (before.opcode == generic::kImplicitDef) {
    if (!operands[0].operand.reg().is_virtual()) return;
    ExecuteUndefine(execution, operands[0]);
    SetTarget(execution, *step.instr, 0, SymbolicSets::kEmpty);
  } else {
    RedefineResults(execution, operands);
    SetResults(execution, *step.instr, operands);
    DefineExpression(execution, step);
  }
}

void ExecuteDeleted(Execution& execution, const MatchedStep& step) {
  const CheckerFacts& facts = execution.facts;
  const Snapshot::Instr& before = facts.Before(step);
  const absl::Span<const Snapshot::Operand> operands = facts.snapshot().operands(before);
  if (before.opcode >= generic::kDbgValue && before.opcode <= generic::kDbgLabel) return;
  if (before.opcode == generic::kCopy && operands[0].operand.reg().is_virtual()) {
    const MachineOperand& source = operands[1].operand;
    ExecuteCopy(execution, operands[0], operands[1]);
    if (!source.is_undef() && source.reg().is_virtual()) {
      execution.pending.push_back({facts.Name(operands[0].operand.reg()), facts.Name(source.reg())});
    }
  } else if (before.opcode == generic::kImplicitDef && operands[0].operand.reg().is_virtual()) {
    ExecuteUndefine(execution, operands[0]);
  } else {
    RedefineResults(execution, operands);
    DefineExpression(execution, step);
  }
}

// --- inserted instructions ---

// Returns the contents of a register operand. Empty for an operand that reads no value.
SetId SourceSet(const Execution& execution, const MachineOperand& operand) {
  return IsVirtualRead(operand) ? execution.state.Get(LocationOf(operand.reg())) : SymbolicSets::kEmpty;
}
uint32_t BytesOf(const Execution& execution, const MachineOperand& operand) {
  return operand.is_reg() ? ValueBytes(execution.facts.function(), operand.reg()) : 0;
}

void ExecuteSpill(Execution& execution, const MachineInstr& instr, const RegisterTransfer& transfer) {
  for (unsigned i = 0; i < transfer.num_values; ++i) {
    const MachineOperand& value = instr.operand(transfer.first_value + i);
    const uint32_t bytes = BytesOf(execution, value);
    uint32_t begin = 0;
    for (const auto& [piece, size] : PiecesOf(execution.facts, transfer, i)) {
      const SetId set = bytes < transfer.size
                            ? SymbolicSets::kEmpty
                            : Cut(execution.state.sets(), SourceSet(execution, value), begin, size, bytes);
      SetBy(execution, piece, instr, set);
      begin += size;
    }
  }
}

void ExecuteReload(Execution& execution, const MachineInstr& instr, const RegisterTransfer& transfer) {
  std::vector<Part> parts;
  for (unsigned i = 0; i < transfer.num_values; ++i) {
    const unsigned target = transfer.first_value + i;
    parts.clear();
    for (const auto& [piece, size] : PiecesOf(execution.facts, transfer, i)) {
      parts.push_back({execution.state.Get(piece), size});
    }
    const bool fits = BytesOf(execution, instr.operand(target)) == transfer.size && !parts.empty();
    SetTarget(execution, instr, target, fits ? Join(execution.state.sets(), parts) : SymbolicSets::kEmpty);
  }
}

// Returns the combinations of registers whose values the inputs of the instruction hold. They are few except in code
// with thousands of copies; a limit guards against that.
std::vector<std::vector<uint32_t>> InputCombinations(const Execution& execution, const MachineInstr& instr) {
  constexpr size_t kMaxCombinations = 1 << 16;
  std::vector<std::vector<uint32_t>> combinations(1);
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || !operand.reg().is_virtual()) continue;
    std::vector<std::vector<uint32_t>> longer;
    for (const SymbolicValue& value : execution.state.sets().Values(execution.state.Get(LocationOf(operand.reg())))) {
      if (!(value == execution.facts.WholeValue(value.vreg))) continue;
      for (const std::vector<uint32_t>& combination : combinations) {
        if (longer.size() >= kMaxCombinations) break;
        longer.push_back(combination);
        longer.back().push_back(value.vreg);
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

// Adds the values that an instruction with this expression computes, per definition.
void AddResults(const Execution& execution, const Expression& expression,
                std::vector<std::vector<SymbolicValue>>& results) {
  const CheckerFacts& facts = execution.facts;
  for (size_t i = 0; i < results.size() && i < expression.anywhere.size(); ++i) {
    for (const uint32_t vreg : expression.anywhere[i]) results[i].push_back(facts.WholeValue(vreg));
    if (expression.locations[i] == kNoLocation) continue;
    const auto values = execution.state.sets().Values(execution.state.Get(expression.locations[i]));
    results[i].insert(results[i].end(), values.begin(), values.end());
  }
  // Adds the targets of nearby deleted copies of these values.
  for (std::vector<SymbolicValue>& result : results) {
    for (const Execution::Copy& copy : execution.pending) {
      if (std::find(result.begin(), result.end(), facts.WholeValue(copy.source)) != result.end()) {
        result.push_back(facts.WholeValue(copy.target));
      }
    }
  }
}

// Returns the values that an inserted instruction recomputes, per definition.
std::vector<SetId> Rematerialize(Execution& execution, const MachineInstr& instr) {
  const unsigned num_defs = instr.num_explicit_defs();
  std::vector<SetId> results(num_defs, SymbolicSets::kEmpty);
  const uint32_t shape = FindShape(execution.facts, instr);
  if (shape == Snapshot::kNone) return results;
  std::vector<std::vector<SymbolicValue>> values(num_defs);
  for (const std::vector<uint32_t>& inputs : InputCombinations(execution, instr)) {
    for (const Expression* expression : FindExpressions(execution.facts, shape, inputs, instr.flags())) {
      AddResults(execution, *expression, values);
    }
  }
  for (unsigned i = 0; i < num_defs; ++i) results[i] = execution.state.sets().Make(values[i]);
  return results;
}

// Adds the values that the instruction moves to its targets.
void AddMoved(Execution& execution, const MachineInstr& instr, const RegisterTransfer& transfer,
              std::vector<SetId>& results) {
  SymbolicSets& sets = execution.state.sets();
  const auto add = [&](unsigned target, SetId set) {
    if (target < results.size() && set != SymbolicSets::kEmpty) results[target] = Union(sets, set, results[target]);
  };
  const auto source = [&](unsigned i) { return SourceSet(execution, instr.operand(i)); };
  switch (transfer.kind) {
    case TransferKind::kCopy:
      return add(transfer.target, source(transfer.source));
    case TransferKind::kUnpack:
      for (unsigned i = 0; i < transfer.num_values; ++i) {
        const uint32_t begin = static_cast<uint32_t>(transfer.offset) + i * transfer.size;
        const uint32_t whole = BytesOf(execution, instr.operand(transfer.source));
        add(transfer.target + i, Cut(sets, source(transfer.source), begin, transfer.size, whole));
      }
      return;
    case TransferKind::kPack: {
      std::vector<Part> parts;
      for (unsigned i = transfer.source; i < transfer.source + transfer.num_values; ++i) {
        parts.push_back({source(i), BytesOf(execution, instr.operand(i))});
      }
      return add(transfer.target, Join(sets, parts));
    }
    case TransferKind::kBoolToInt:
      return add(transfer.target, ChangeForm(execution.facts, sets, source(transfer.source), SymbolicValue::kBytes,
                                             SymbolicValue::kBool));
    case TransferKind::kIntToBool:
      return add(transfer.target, ChangeForm(execution.facts, sets, source(transfer.source), SymbolicValue::kBool,
                                             SymbolicValue::kBytes));
    default:
      return;
  }
}

void ExecuteInserted(Execution& execution, const MatchedStep& step) {
  const MachineInstr& instr = *step.instr;
  const RegisterTransfer& transfer = step.transfer;
  switch (transfer.kind) {
    case TransferKind::kNothing:
    case TransferKind::kBranch:
      return;
    case TransferKind::kUndefine:
      return SetTarget(execution, instr, transfer.target, SymbolicSets::kEmpty);
    case TransferKind::kSpill:
      return ExecuteSpill(execution, instr, transfer);
    case TransferKind::kReload:
      return ExecuteReload(execution, instr, transfer);
    default:
      break;
  }
  std::vector<SetId> results = Rematerialize(execution, instr);
  AddMoved(execution, instr, transfer, results);
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    if (!instr.operand(i).is_def()) continue;
    SetTarget(execution, instr, i, i < results.size() ? results[i] : SymbolicSets::kEmpty);
  }
}

}  // namespace

void ExecuteBlock(Execution& execution, const MatchedBlock& block, absl::Span<const Location> locations,
                  absl::Span<const SetId> sets) {
  execution.state.Clear();
  execution.pending.clear();
  if (execution.reports != nullptr) execution.reports->ForgetWriters();
  for (size_t i = 0; i < sets.size(); ++i) execution.state.Set(locations[i], sets[i]);
  for (const MatchedStep& step : block.steps) {
    switch (step.kind) {
      case MatchedStep::Kind::kKept:
        ExecuteKept(execution, block, step);
        break;
      case MatchedStep::Kind::kDeleted:
        ExecuteDeleted(execution, step);
        break;
      case MatchedStep::Kind::kInserted:
        ExecuteInserted(execution, step);
        break;
    }
  }
}

}  // namespace ptxmir::register_check
