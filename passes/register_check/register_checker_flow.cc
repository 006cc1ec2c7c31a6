// SPDX-License-Identifier: Apache-2.0

// Executes a function on sets of symbolic values: the transfer functions, the meet and the reports. Names,
// locations and liveness, which are computed first, are in register_checker_locations.cc.

#include "passes/register_check/register_checker_flow.h"

#include <algorithm>

#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {

using TransferKind = RegisterTransfer::Kind;

RegisterFlow::RegisterFlow(MatchedFunction& matched) : matched_(matched) {}

void RegisterFlow::Run() {
  if (function().empty()) return;
  NameValues();
  NumberSlots();
  NumberExpressions();
  cell_of_location_.assign(num_locations_, kEmptyCell);
  holders_.resize(snapshot().num_registers());
  ComputeLiveLocations();
  ComputeLiveRegisters();
  Solve();
  is_reporting_ = true;
  writers_.assign(num_locations_, nullptr);
  for (const MachineBasicBlock& block : function()) {
    if (!is_reached_[block.number()]) continue;
    Execute(matched_.block(block));
    for (const MachineBasicBlock* successor : block.successors()) {
      (void)Propagate(matched_.block(block), matched_.block(*successor));
    }
  }
}

// --- the state ---

void RegisterFlow::Set(Location location, SetId set) {
  if (is_reporting_) writers_[location] = nullptr;
  if (Get(location) == set) return;
  const CellId old = cell_of_location_[location];
  if (old == kEmptyCell) {
    touched_.push_back(location);
  } else if (--cells_[old].num_locations == 0) {
    cells_[old].set = SymbolicSets::kEmpty;
  }
  cell_of_location_[location] = CellOf(set);
  ++cells_[cell_of_location_[location]].num_locations;
}

RegisterFlow::CellId RegisterFlow::CellOf(SetId set) {
  if (set == SymbolicSets::kEmpty) return kEmptyCell;
  if (set < cell_of_set_.size()) {
    const CellId known = cell_of_set_[set];
    if (known < cells_.size() && cells_[known].set == set) return known;
  }
  const CellId cell = static_cast<CellId>(cells_.size());
  cells_.emplace_back();
  SetCell(cell, set);
  for (const SymbolicValue& value : sets_.Values(set)) {
    if (holders_[value.vreg].empty() || holders_[value.vreg].back() != cell) AddHolder(value.vreg, cell);
  }
  return cell;
}

void RegisterFlow::SetCell(CellId cell, SetId set) {
  cells_[cell].set = set;
  if (set >= cell_of_set_.size()) cell_of_set_.resize(size_t{set} + 1, kEmptyCell);
  cell_of_set_[set] = cell;
}

void RegisterFlow::AddHolder(uint32_t vreg, CellId cell) {
  if (holders_[vreg].empty()) held_.push_back(vreg);
  holders_[vreg].push_back(cell);
}

void RegisterFlow::Kill(uint32_t vreg) {
  for (const CellId cell : holders_[vreg]) SetCell(cell, sets_.WithoutRegister(cells_[cell].set, vreg));
  holders_[vreg].clear();
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(),
                                [&](const PendingCopy& copy) { return copy.target == vreg || copy.source == vreg; }),
                 pending_.end());
}

void RegisterFlow::ForgetExpressions(uint32_t vreg) {
  for (const Location location : expressions_reading_[vreg]) Set(location, SymbolicSets::kEmpty);
}

void RegisterFlow::AddEqual(uint32_t target, uint32_t source) {
  const std::vector<CellId> holders = holders_[source];
  for (const CellId cell : holders) {
    scratch_.clear();
    bool found = false;
    for (const SymbolicValue& value : sets_.Values(cells_[cell].set)) {
      scratch_.push_back(value);
      if (value.vreg != source) continue;
      found = true;
      scratch_.push_back({target, value.begin, value.size, value.form});
    }
    if (!found) continue;
    SetCell(cell, sets_.Make(scratch_));
    AddHolder(target, cell);
  }
}

// Returns the bytes [begin, begin + size) of the contents of a location of `whole` bytes.
RegisterFlow::SetId RegisterFlow::Cut(SetId set, uint32_t begin, uint32_t size, uint32_t whole) {
  if (begin == 0 && size == whole) return set;
  scratch_.clear();
  for (const SymbolicValue& value : sets_.Values(set)) {
    if (value.form == SymbolicValue::kBool) {
      if (begin == 0) scratch_.push_back(value);
    } else if (begin + size <= value.size) {
      scratch_.push_back({value.vreg, static_cast<uint8_t>(value.begin + begin), static_cast<uint8_t>(size)});
    }
  }
  return sets_.Make(scratch_);
}

// Returns the contents of a location that is assembled from parts, lowest first, with their sizes.
RegisterFlow::SetId RegisterFlow::Join(absl::Span<const std::pair<SetId, uint32_t>> parts) {
  if (parts.size() == 1) return parts[0].first;
  scratch_.clear();
  for (const SymbolicValue& first : sets_.Values(parts[0].first)) {
    if (first.form != SymbolicValue::kBytes || first.size != parts[0].second) continue;
    uint32_t size = first.size;
    bool fits = true;
    for (const auto& [part, part_size] : parts.subspan(1)) {
      fits = fits && sets_.Contains(
                         part, {first.vreg, static_cast<uint8_t>(first.begin + size), static_cast<uint8_t>(part_size)});
      size += part_size;
    }
    if (fits) scratch_.push_back({first.vreg, first.begin, static_cast<uint8_t>(size)});
  }
  return sets_.Make(scratch_);
}

RegisterFlow::SetId RegisterFlow::ChangeForm(SetId set, SymbolicValue::Form from, SymbolicValue::Form to) {
  scratch_.clear();
  for (SymbolicValue value : sets_.Values(set)) {
    // Predicates are values of one byte that is never cut.
    if (value.form != from || snapshot().RegisterBytes(value.vreg) != 1) continue;
    value.form = to;
    scratch_.push_back(value);
  }
  return sets_.Make(scratch_);
}

void RegisterFlow::SetTarget(const MachineInstr& instr, unsigned operand, SetId set) {
  if (!instr.operand(operand).is_reg() || !instr.operand(operand).reg().is_virtual()) return;
  const Location location = LocationOf(instr.operand(operand).reg());
  Set(location, set);
  NoteWriter(location, instr);
}

void RegisterFlow::NoteWriter(Location location, const MachineInstr& instr) {
  if (!is_reporting_) return;
  writers_[location] = &instr;
  written_.push_back(location);
}

// --- instructions ---

void RegisterFlow::ExecuteCopy(const Snapshot::Operand& target, const Snapshot::Operand& source) {
  if (source.operand.is_undef() || !source.operand.reg().is_virtual()) {
    if (source.operand.is_undef()) {
      ExecuteUndefine(target);
    } else {
      Kill(Name(target.operand.reg()));
      ForgetExpressions(Name(target.operand.reg()));
    }
    return;
  }
  const uint32_t to = Name(target.operand.reg());
  const uint32_t from = Name(source.operand.reg());
  if (to == from) return;
  Kill(to);
  ForgetExpressions(to);
  AddEqual(to, from);
}

void RegisterFlow::ExecuteUndefine(const Snapshot::Operand& target) {
  const uint32_t vreg = Name(target.operand.reg());
  Kill(vreg);
  ForgetExpressions(vreg);
  scratch_.assign(sets_.Values(Get(kUndefined)).begin(), sets_.Values(Get(kUndefined)).end());
  scratch_.push_back(WholeValue(vreg));
  Set(kUndefined, sets_.Make(scratch_));
}

void RegisterFlow::DefineExpression(const MatchedStep& step) {
  const uint32_t index = expression_of_instr_[step.original];
  if (index == Snapshot::kNone) return;
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(Before(step));
  const Expression& expression = expressions_[index];
  for (size_t i = 0; i < expression.locations.size(); ++i) {
    if (expression.locations[i] == kNoLocation) continue;
    const SetId old = Get(expression.locations[i]);
    scratch_.assign(sets_.Values(old).begin(), sets_.Values(old).end());
    scratch_.push_back(WholeValue(Name(operands[i].operand.reg())));
    Set(expression.locations[i], sets_.Make(scratch_));
  }
}

void RegisterFlow::CheckUses(const MatchedStep& step) {
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(Before(step));
  for (unsigned i = 0; i < operands.size(); ++i) {
    const MachineOperand& before = operands[i].operand;
    if (!IsVirtualRead(before)) continue;
    const Register actual = step.instr->operand(i).reg();
    if (!Holds(LocationOf(actual), Name(before.reg()))) ReportUse(step, i, before.reg(), actual);
    // Reports an early-clobber definition that overwrites the operand before it is read.
    for (unsigned k = 0; k < operands.size(); ++k) {
      if (!operands[k].operand.is_def() || !operands[k].operand.is_early_clobber() || operands[i].tied_to == k ||
          step.instr->operand(k).reg() != actual) {
        continue;
      }
      matched_.Report(RegisterCheckerFinding::Kind::kWrongValue, *current_->block, step.instr, static_cast<int>(i),
                      StrCat("operand ", i, " is read after early-clobber operand ", k, " has overwritten it"));
    }
  }
}

void RegisterFlow::ExecuteKept(const MatchedStep& step) {
  const Snapshot::Instr& before = Before(step);
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(before);
  pending_.clear();
  if (step.instr->is_debug()) return;
  if (is_reporting_) CheckUses(step);
  if (before.opcode == generic::kCopy) {
    if (!operands[0].operand.reg().is_virtual()) return;
    ExecuteCopy(operands[0], operands[1]);
    const bool is_value = operands[1].operand.reg().is_virtual() && !operands[1].operand.is_undef();
    if (is_value) {
      SetTarget(*step.instr, 0, Get(LocationOf(step.instr->operand(1).reg())));
    } else {
      SetTarget(*step.instr, 0,
                operands[1].operand.is_undef() ? SymbolicSets::kEmpty
                                               : sets_.Singleton(WholeValue(Name(operands[0].operand.reg()))));
    }
    return;
  }
  if (before.opcode == generic::kImplicitDef) {
    if (!operands[0].operand.reg().is_virtual()) return;
    ExecuteUndefine(operands[0]);
    SetTarget(*step.instr, 0, SymbolicSets::kEmpty);
    return;
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!IsVirtualDef(operands[i].operand)) continue;
    Kill(Name(operands[i].operand.reg()));
    ForgetExpressions(Name(operands[i].operand.reg()));
    SetTarget(*step.instr, i, SymbolicSets::kEmpty);
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!IsVirtualDef(operands[i].operand)) continue;
    // If two definitions are in the same register, neither can be relied on.
    const Register reg = step.instr->operand(i).reg();
    const bool is_shared =
        std::any_of(step.instr->operands().begin(), step.instr->operands().end(), [&](const MachineOperand& other) {
          return other.is_def() && other.reg() == reg && &other != &step.instr->operand(i);
        });
    if (!is_shared) SetTarget(*step.instr, i, sets_.Singleton(WholeValue(Name(operands[i].operand.reg()))));
  }
  DefineExpression(step);
}

void RegisterFlow::ExecuteDeleted(const MatchedStep& step) {
  const Snapshot::Instr& before = Before(step);
  const absl::Span<const Snapshot::Operand> operands = snapshot().operands(before);
  if (before.opcode >= generic::kDbgValue && before.opcode <= generic::kDbgLabel) return;
  if (before.opcode == generic::kCopy && operands[0].operand.reg().is_virtual()) {
    ExecuteCopy(operands[0], operands[1]);
    if (!operands[1].operand.is_undef() && operands[1].operand.reg().is_virtual()) {
      pending_.push_back({Name(operands[0].operand.reg()), Name(operands[1].operand.reg())});
    }
    return;
  }
  if (before.opcode == generic::kImplicitDef && operands[0].operand.reg().is_virtual()) {
    ExecuteUndefine(operands[0]);
    return;
  }
  for (const Snapshot::Operand& operand : operands) {
    if (!IsVirtualDef(operand.operand)) continue;
    Kill(Name(operand.operand.reg()));
    ForgetExpressions(Name(operand.operand.reg()));
  }
  DefineExpression(step);
}

void RegisterFlow::AddResults(const Expression& expression, uint32_t flags,
                              std::vector<std::vector<SymbolicValue>>& results) const {
  for (size_t i = 0; i < results.size() && i < expression.anywhere.size(); ++i) {
    for (const Result& result : expression.anywhere[i]) {
      if ((flags & ~result.flags) == 0) results[i].push_back(WholeValue(result.vreg));
    }
    if (expression.locations[i] == kNoLocation || (flags & ~expression.flags) != 0) continue;
    for (const SymbolicValue& value : sets_.Values(Get(expression.locations[i]))) results[i].push_back(value);
  }
  // Adds the targets of nearby deleted copies of these values.
  for (std::vector<SymbolicValue>& result : results) {
    for (const PendingCopy& copy : pending_) {
      if (std::find(result.begin(), result.end(), WholeValue(copy.source)) != result.end()) {
        result.push_back(WholeValue(copy.target));
      }
    }
  }
}

// Returns the possible results of an inserted instruction, per definition.
std::vector<RegisterFlow::SetId> RegisterFlow::Rematerialize(const MatchedStep& step) {
  const MachineInstr& instr = *step.instr;
  const unsigned num_defs = instr.num_explicit_defs();
  std::vector<SetId> results(num_defs, SymbolicSets::kEmpty);
  const auto shape = shapes_.find(ShapeOf(instr.opcode(), instr.operands()));
  if (shape == shapes_.end()) return results;
  // Enumerates the combinations of registers whose values the inputs hold. They are few except in code with
  // thousands of copies; a limit guards against that.
  constexpr size_t kMaxCombinations = 1 << 16;
  std::vector<std::vector<uint32_t>> combinations(1);
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_use() || !operand.reg().is_virtual()) continue;
    std::vector<std::vector<uint32_t>> longer;
    for (const SymbolicValue& value : sets_.Values(Get(LocationOf(operand.reg())))) {
      if (!(value == WholeValue(value.vreg))) continue;
      for (const std::vector<uint32_t>& combination : combinations) {
        if (longer.size() >= kMaxCombinations) break;
        longer.push_back(combination);
        longer.back().push_back(value.vreg);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<std::vector<SymbolicValue>> values(num_defs);
  for (const std::vector<uint32_t>& inputs : combinations) {
    const auto found = expression_index_.find(ExpressionKey(shape->second, inputs));
    if (found == expression_index_.end()) continue;
    AddResults(expressions_[found->second], instr.flags(), values);
  }
  for (unsigned i = 0; i < num_defs; ++i) results[i] = sets_.Make(values[i]);
  return results;
}

void RegisterFlow::ExecuteInserted(const MatchedStep& step) {
  const MachineInstr& instr = *step.instr;
  const RegisterTransfer& transfer = step.transfer;
  const auto source = [&](unsigned operand) {
    const MachineOperand& op = instr.operand(operand);
    const bool is_value = IsVirtualRead(op);
    return is_value ? Get(LocationOf(op.reg())) : SymbolicSets::kEmpty;
  };
  const auto bytes = [&](unsigned operand) {
    const MachineOperand& op = instr.operand(operand);
    return op.is_reg() ? ValueBytes(function(), op.reg()) : 0;
  };
  std::vector<std::pair<SetId, uint32_t>> parts;
  switch (transfer.kind) {
    case TransferKind::kNothing:
    case TransferKind::kBranch:
      return;
    case TransferKind::kUndefine:
      SetTarget(instr, transfer.target, SymbolicSets::kEmpty);
      return;
    case TransferKind::kSpill:
      for (unsigned i = 0; i < transfer.num_values; ++i) {
        const unsigned operand = transfer.first_value + i;
        uint32_t begin = 0;
        for (const auto& [piece, size] : PiecesOf(transfer, i)) {
          const bool fits = bytes(operand) >= transfer.size;
          Set(piece, fits ? Cut(source(operand), begin, size, bytes(operand)) : SymbolicSets::kEmpty);
          NoteWriter(piece, instr);
          begin += size;
        }
      }
      return;
    case TransferKind::kReload:
      for (unsigned i = 0; i < transfer.num_values; ++i) {
        const unsigned operand = transfer.first_value + i;
        parts.clear();
        for (const auto& [piece, size] : PiecesOf(transfer, i)) parts.push_back({Get(piece), size});
        const bool fits = bytes(operand) == transfer.size && !parts.empty();
        SetTarget(instr, operand, fits ? Join(parts) : SymbolicSets::kEmpty);
      }
      return;
    default:
      break;
  }
  std::vector<SetId> results = Rematerialize(step);
  results.resize(instr.num_explicit_defs(), SymbolicSets::kEmpty);
  const auto add = [&](unsigned target, SetId set) {
    if (target >= results.size() || set == SymbolicSets::kEmpty) return;
    scratch_.assign(sets_.Values(set).begin(), sets_.Values(set).end());
    for (const SymbolicValue& value : sets_.Values(results[target])) scratch_.push_back(value);
    results[target] = sets_.Make(scratch_);
  };
  if (transfer.kind == TransferKind::kCopy) {
    add(transfer.target, source(transfer.source));
  } else if (transfer.kind == TransferKind::kUnpack) {
    for (unsigned i = 0; i < transfer.num_values; ++i) {
      const uint32_t begin = static_cast<uint32_t>(transfer.offset) + i * transfer.size;
      add(transfer.target + i, Cut(source(transfer.source), begin, transfer.size, bytes(transfer.source)));
    }
  } else if (transfer.kind == TransferKind::kPack) {
    for (unsigned i = 0; i < transfer.num_values; ++i) {
      parts.push_back({source(transfer.source + i), bytes(transfer.source + i)});
    }
    add(transfer.target, Join(parts));
  } else if (transfer.kind == TransferKind::kBoolToInt) {
    add(transfer.target, ChangeForm(source(transfer.source), SymbolicValue::kBytes, SymbolicValue::kBool));
  } else if (transfer.kind == TransferKind::kIntToBool) {
    add(transfer.target, ChangeForm(source(transfer.source), SymbolicValue::kBool, SymbolicValue::kBytes));
  }
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    if (instr.operand(i).is_def()) SetTarget(instr, i, i < results.size() ? results[i] : SymbolicSets::kEmpty);
  }
}

// --- blocks and edges ---

void RegisterFlow::Enter(const MatchedBlock& block) {
  for (const Location location : touched_) cell_of_location_[location] = kEmptyCell;
  touched_.clear();
  cells_.assign(1, Cell{});
  for (const uint32_t vreg : held_) holders_[vreg].clear();
  held_.clear();
  pending_.clear();
  for (const Location location : written_) writers_[location] = nullptr;
  written_.clear();
  const BlockNumber number = block.block->number();
  for (size_t i = 0; i < live_locations_[number].size(); ++i) {
    if (!entry_[number].empty()) Set(live_locations_[number][i], entry_[number][i]);
  }
}

void RegisterFlow::Execute(const MatchedBlock& block) {
  current_ = &block;
  Enter(block);
  for (const MatchedStep& step : block.steps) {
    switch (step.kind) {
      case MatchedStep::Kind::kKept:
        ExecuteKept(step);
        break;
      case MatchedStep::Kind::kDeleted:
        ExecuteDeleted(step);
        break;
      case MatchedStep::Kind::kInserted:
        ExecuteInserted(step);
        break;
    }
  }
}

// Returns the set after the PHIs of an edge, which copy in parallel.
RegisterFlow::SetId RegisterFlow::OnEdge(SetId set, const EdgeCopies& copies) {
  if (copies.targets.empty() || set == SymbolicSets::kEmpty) return set;
  scratch_.clear();
  bool changed = false;
  for (const SymbolicValue& value : sets_.Values(set)) {
    auto copy = std::lower_bound(copies.by_source.begin(), copies.by_source.end(), std::pair{value.vreg, 0u});
    for (; copy != copies.by_source.end() && copy->first == value.vreg; ++copy) {
      scratch_.push_back({copy->second, value.begin, value.size, value.form});
      changed = true;
    }
    const bool is_target = std::binary_search(copies.targets.begin(), copies.targets.end(), value.vreg);
    changed |= is_target;
    if (!is_target) scratch_.push_back(value);
  }
  return changed ? sets_.Make(scratch_) : set;
}

RegisterFlow::SetId RegisterFlow::ValuesOf(SetId set, SetId registers) {
  if (registers == SymbolicSets::kEmpty) return SymbolicSets::kEmpty;
  scratch_.clear();
  for (const SymbolicValue& value : sets_.Values(set)) {
    if (sets_.Contains(registers, WholeValue(value.vreg))) scratch_.push_back(value);
  }
  return scratch_.size() == sets_.Values(set).size() ? set : sets_.Make(scratch_);
}

bool RegisterFlow::Propagate(const MatchedBlock& from, const MatchedBlock& to) {
  const BlockNumber number = to.block->number();
  EdgeCopies copies;
  std::vector<SymbolicValue> undefined;
  absl::flat_hash_map<Location, std::pair<Location, uint32_t>> kept_phis;
  for (const MatchedPhi& phi : to.phis) {
    Register now;
    const Snapshot::Operand* source = PhiOperand(phi, *from.block, now);
    const Register target = snapshot().operands(snapshot().instrs()[phi.original])[0].operand.reg();
    copies.targets.push_back(Name(target));
    if (source == nullptr || source->operand.is_undef()) {
      undefined.push_back(WholeValue(Name(target)));
      continue;
    }
    copies.by_source.push_back({Name(source->operand.reg()), Name(target)});
    if (phi.instr == nullptr) continue;
    kept_phis[LocationOf(phi.instr->operand(0).reg())] = {LocationOf(now), Name(target)};
    if (is_reporting_ && !Holds(LocationOf(now), Name(source->operand.reg()))) {
      current_ = &from;
      const MatchedStep step = {MatchedStep::Kind::kKept, phi.original, phi.instr, {}};
      for (const PhiIncoming incoming : PhiIncomings(*phi.instr)) {
        if (incoming.predecessor() != from.block->number()) continue;
        ReportUse(step, incoming.value().operand_number(), source->operand.reg(), now);
        break;
      }
    }
  }
  if (is_reporting_) return false;
  std::sort(copies.targets.begin(), copies.targets.end());
  std::sort(copies.by_source.begin(), copies.by_source.end());
  const std::vector<uint32_t>& live = live_locations_[number];
  const auto filtered = [&](SetId set) {
    scratch_.clear();
    for (const SymbolicValue& value : sets_.Values(set)) {
      if (is_input_[value.vreg] ||
          std::binary_search(live_registers_[number].begin(), live_registers_[number].end(), value.vreg)) {
        scratch_.push_back(value);
      }
    }
    return scratch_.size() == sets_.Values(set).size() ? set : sets_.Make(scratch_);
  };
  // Many locations have the same set, so each set is translated only once.
  ++edge_;
  const auto translated = [&](SetId set) {
    if (set >= translations_.size()) translations_.resize(size_t{set} + 1);
    if (translations_[set].edge != edge_) translations_[set] = {edge_, filtered(OnEdge(set, copies))};
    return translations_[set].set;
  };
  std::vector<SetId> arriving(live.size());
  for (size_t i = 0; i < live.size(); ++i) {
    const auto kept = kept_phis.find(live[i]);
    const Location location = kept == kept_phis.end() ? live[i] : kept->second.first;
    arriving[i] = translated(Get(location));
    if (live[i] != kUndefined || undefined.empty()) continue;
    std::vector<SymbolicValue> all = undefined;
    for (const SymbolicValue& value : sets_.Values(arriving[i])) all.push_back(value);
    arriving[i] = filtered(sets_.Make(all));
  }
  if (!is_reached_[number]) {
    is_reached_[number] = true;
    entry_[number] = std::move(arriving);
    return true;
  }
  // If U is tracked, it is the first location.
  const bool has_undefined = !live.empty() && live[0] == kUndefined;
  const SetId undefined_there = has_undefined ? entry_[number][0] : SymbolicSets::kEmpty;
  const SetId undefined_here = has_undefined ? arriving[0] : SymbolicSets::kEmpty;
  // A register that is undefined on one side is in every set of that side, with all its parts.
  absl::flat_hash_map<SetId, SetId> kept_there, kept_here;
  const auto meet = [&](SetId there, SetId here) {
    const SetId common = sets_.Intersect(there, here);
    if (undefined_there == SymbolicSets::kEmpty && undefined_here == SymbolicSets::kEmpty) return common;
    const auto [of_there, is_new_there] = kept_there.try_emplace(there, SymbolicSets::kEmpty);
    if (is_new_there) of_there->second = ValuesOf(there, undefined_here);
    const auto [of_here, is_new_here] = kept_here.try_emplace(here, SymbolicSets::kEmpty);
    if (is_new_here) of_here->second = ValuesOf(here, undefined_there);
    if (of_there->second == SymbolicSets::kEmpty && of_here->second == SymbolicSets::kEmpty) return common;
    scratch_.clear();
    for (const SetId part : {common, of_there->second, of_here->second}) {
      scratch_.insert(scratch_.end(), sets_.Values(part).begin(), sets_.Values(part).end());
    }
    return sets_.Make(scratch_);
  };
  bool changed = false;
  for (size_t i = 0; i < live.size(); ++i) {
    const SetId met =
        live[i] == kUndefined ? sets_.Intersect(undefined_there, undefined_here) : meet(entry_[number][i], arriving[i]);
    changed |= met != entry_[number][i];
    entry_[number][i] = met;
  }
  return changed;
}

void RegisterFlow::Solve() {
  entry_.resize(function().block_number_bound());
  is_reached_.assign(function().block_number_bound(), false);
  const BlockNumber first = function().front()->number();
  is_reached_[first] = true;
  entry_[first].assign(live_locations_[first].size(), SymbolicSets::kEmpty);
  // The blocks are visited in sweeps over the reverse post-order: a change to an earlier block waits for the next
  // sweep. Sets that go round a loop are then met with those of the enclosing loops in one sweep. Settling an
  // inner loop first, each time an outer one changes, would take time quadratic in the depth.
  std::vector<bool> is_waiting(order_.size());
  is_waiting[0] = true;
  bool is_done = false;
  while (!is_done) {
    is_done = true;
    for (uint32_t index = 0; index < order_.size(); ++index) {
      if (!is_waiting[index]) continue;
      is_waiting[index] = false;
      const MachineBasicBlock& block = *order_[index];
      ++num_visits_;
      Execute(matched_.block(block));
      for (const MachineBasicBlock* successor : block.successors()) {
        if (!Propagate(matched_.block(block), matched_.block(*successor))) continue;
        const uint32_t next = order_index_[successor->number()];
        is_waiting[next] = true;
        is_done &= next > index;
      }
    }
  }
}

// --- reports ---

std::string RegisterFlow::Describe(SetId set) const {
  if (set == SymbolicSets::kEmpty) return "nothing known";
  std::string text;
  size_t count = 0;
  for (const SymbolicValue& value : sets_.Values(set)) {
    if (++count > 4) return text + " ...";
    StrAppend(&text, text.empty() ? "%" : " = %", value.vreg);
    if (value.form == SymbolicValue::kBool) text += " as an integer";
    if (!(value == WholeValue(value.vreg)) && value.form == SymbolicValue::kBytes) {
      StrAppend(&text, " (bytes ", int{value.begin}, " to ", value.begin + value.size, ")");
    }
  }
  return text;
}

std::string RegisterFlow::WhereFrom(Location location) {
  if (const MachineInstr* writer = writers_[location]; writer != nullptr) {
    std::string text = "written by '";
    WriteInstr(*writer, {}, text);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text + "'";
  }
  return "on entry to the block";
}

void RegisterFlow::ReportUse(const MatchedStep& step, unsigned operand, Register expected, Register actual) {
  const Location location = LocationOf(actual);
  std::string message = StrCat("operand ", operand, " reads %", actual.virtual_index(), ", which should hold %",
                               expected.virtual_index(), " of before");
  if (Name(expected) != expected.virtual_index()) StrAppend(&message, " (a copy of %", Name(expected), ")");
  StrAppend(&message, "; it holds ", Describe(Get(location)), ", ", WhereFrom(location));
  const size_t before = matched_.findings().size();
  matched_.Report(RegisterCheckerFinding::Kind::kWrongValue, *current_->block, step.instr, static_cast<int>(operand),
                  std::move(message));
  if (matched_.findings().size() == before) return;
  matched_.findings().back().expected = expected;
  matched_.findings().back().actual = actual;
}

}  // namespace ptxmir
