// SPDX-License-Identifier: Apache-2.0

#include "passes/register_check/register_checker_locations.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"

namespace ptxmir::register_check {
namespace {

using TransferKind = RegisterTransfer::Kind;

// Appends the bytes of a number to a key.
template <typename T>
void AppendBytes(std::string& key, T value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// --- names ---

std::vector<uint32_t> CountDefs(const Snapshot& snapshot) {
  std::vector<uint32_t> num_defs(snapshot.num_registers());
  for (const Snapshot::Instr& instr : snapshot.instrs()) {
    for (const Snapshot::Operand& operand : snapshot.operands(instr)) {
      if (IsVirtualDef(operand.operand)) ++num_defs[operand.operand.reg().virtual_index()];
    }
  }
  return num_defs;
}

// Replaces each name by the last one of its chain of copies. A cycle of copies, which can exist only in unreachable
// code, is left as it is.
void FollowChains(std::vector<uint32_t>& name) {
  for (uint32_t i = 0; i < name.size(); ++i) {
    uint32_t root = i;
    size_t steps = 0;
    while (name[root] != root && steps++ <= name.size()) root = name[root];
    for (uint32_t at = i; name[at] != root && at != root;) {
      const uint32_t next = name[at];
      name[at] = root;
      at = next;
    }
  }
}

ValueNames NameValues(const Snapshot& snapshot) {
  ValueNames values;
  values.num_defs = CountDefs(snapshot);
  values.name.resize(snapshot.num_registers());
  for (uint32_t i = 0; i < values.name.size(); ++i) values.name[i] = i;
  const auto is_single = [&](Register reg) { return values.num_defs[reg.virtual_index()] == 1; };
  for (const Snapshot::Instr& instr : snapshot.instrs()) {
    if (instr.opcode != generic::kCopy) continue;
    const absl::Span<const Snapshot::Operand> operands = snapshot.operands(instr);
    const Register target = operands[0].operand.reg();
    const Register source = operands[1].operand.reg();
    if (!target.is_virtual() || !source.is_virtual() || operands[1].operand.is_undef()) continue;
    if (!is_single(target) || !is_single(source)) continue;
    if (snapshot.RegisterBytes(target.virtual_index()) != snapshot.RegisterBytes(source.virtual_index())) continue;
    values.name[target.virtual_index()] = source.virtual_index();
  }
  FollowChains(values.name);
  return values;
}

// --- slots ---

bool IsSpillOrReload(const MatchedStep& step) {
  return step.kind == MatchedStep::Kind::kInserted &&
         (step.transfer.kind == TransferKind::kSpill || step.transfer.kind == TransferKind::kReload);
}

SlotPieces DivideSlots(const MatchedFunction& matched, uint32_t& num_locations) {
  const int first_slot = matched.snapshot().num_stack_objects();
  const int num_slots = static_cast<int>(matched.function().frame_info().objects().size()) - first_slot;
  SlotPieces slots;
  slots.borders.resize(static_cast<size_t>(std::max(num_slots, 0)));
  slots.first_piece.resize(slots.borders.size());
  for (const MatchedBlock& block : matched.blocks()) {
    for (const MatchedStep& step : block.steps) {
      if (!IsSpillOrReload(step)) continue;
      const RegisterTransfer& transfer = step.transfer;
      std::vector<uint32_t>& borders = slots.borders[static_cast<size_t>(transfer.frame_index - first_slot)];
      for (unsigned i = 0; i <= transfer.num_values; ++i) {
        borders.push_back(static_cast<uint32_t>(transfer.offset) + i * transfer.size);
      }
    }
  }
  for (size_t slot = 0; slot < slots.borders.size(); ++slot) {
    std::vector<uint32_t>& borders = slots.borders[slot];
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    slots.first_piece[slot] = num_locations;
    num_locations += static_cast<uint32_t>(borders.size());
  }
  return slots;
}

// --- expressions ---

std::string ShapeOf(Opcode opcode, absl::Span<const MachineOperand> operands) {
  std::string key;
  AppendBytes(key, opcode);
  for (const MachineOperand& operand : operands) {
    key += static_cast<char>(operand.kind());
    if (operand.is_reg()) {
      key += operand.is_def() ? 'd' : 'u';
      if (!operand.reg().is_virtual()) AppendBytes(key, operand.reg().bits());
    } else {
      AppendBytes(key, operand.index());
      AppendBytes(key, operand.offset());
    }
  }
  return key;
}

std::string ExpressionKey(uint32_t shape, absl::Span<const uint32_t> inputs) {
  std::string key;
  AppendBytes(key, shape);
  for (const uint32_t input : inputs) AppendBytes(key, input);
  return key;
}

// The registers that an original instruction reads and defines, by name.
struct NamedOperands {
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> results;
  bool is_single = true;  // no register is defined more than once
  bool is_usable = true;
};

NamedOperands NameOperands(const ValueNames& values, absl::Span<const MachineOperand> operands) {
  NamedOperands named;
  for (const MachineOperand& operand : operands) {
    if (!operand.is_reg()) continue;
    if (operand.is_use() && operand.is_undef()) named.is_usable = false;
    if (!operand.reg().is_virtual()) {
      if (operand.is_def()) named.is_usable = false;
      continue;
    }
    const uint32_t name = values.name[operand.reg().virtual_index()];
    named.is_single &= values.num_defs[operand.reg().virtual_index()] == 1;
    (operand.is_def() ? named.results : named.inputs).push_back(name);
    if (operand.is_use()) named.is_single &= values.num_defs[name] == 1;
  }
  for (const uint32_t result : named.results) {
    if (std::find(named.inputs.begin(), named.inputs.end(), result) != named.inputs.end()) named.is_usable = false;
  }
  return named;
}

// Returns true if an original instruction may have the same results as the inserted one.
bool MayRecompute(const MatchedStep& step) {
  if (step.kind != MatchedStep::Kind::kInserted) return false;
  // An inserted load may have lost the information that its memory does not change.
  return (!step.instr->is_copy() && IsReproducible(*step.instr)) || step.transfer.kind == TransferKind::kCompute;
}

class ExpressionCollector {
 public:
  ExpressionCollector(const MatchedFunction& matched, const ValueNames& values, uint32_t& num_locations)
      : matched_(matched), snapshot_(matched.snapshot()), values_(values), num_locations_(num_locations) {}

  Expressions Collect() {
    result_.of_instr.assign(snapshot_.instrs().size(), Snapshot::kNone);
    result_.reading.resize(snapshot_.num_registers());
    result_.is_input.assign(snapshot_.num_registers(), false);
    NumberShapes();
    if (!result_.shapes.empty()) AddInstrs();
    return std::move(result_);
  }

 private:
  void NumberShapes() {
    for (const MatchedBlock& block : matched_.blocks()) {
      for (const MatchedStep& step : block.steps) {
        if (!MayRecompute(step)) continue;
        result_.shapes.try_emplace(ShapeOf(step.instr->opcode(), step.instr->operands()),
                                   static_cast<uint32_t>(result_.shapes.size()));
      }
    }
    result_.locations_of_shape.resize(result_.shapes.size());
  }

  void AddInstrs() {
    std::vector<MachineOperand> operands;
    for (uint32_t i = 0; i < snapshot_.instrs().size(); ++i) {
      const Snapshot::Instr& instr = snapshot_.instrs()[i];
      if (!instr.is_reproducible || instr.opcode == generic::kCopy) continue;
      operands.clear();
      for (const Snapshot::Operand& operand : snapshot_.operands(instr)) operands.push_back(operand.operand);
      const auto shape = result_.shapes.find(ShapeOf(instr.opcode, operands));
      if (shape == result_.shapes.end()) continue;
      const NamedOperands named = NameOperands(values_, operands);
      if (named.is_usable) AddExpression(i, named, shape->second);
    }
  }

  void AddExpression(uint32_t instr, const NamedOperands& named, uint32_t shape) {
    for (const uint32_t input : named.inputs) result_.is_input[input] = true;
    const uint32_t index = IndexOf(named, shape, snapshot_.instrs()[instr].flags);
    Expression& expression = result_.all[index];
    if (named.is_single) {
      for (size_t i = 0; i < named.results.size(); ++i) expression.anywhere[i].push_back(named.results[i]);
      return;
    }
    result_.of_instr[instr] = index;
    for (Location& location : expression.locations) {
      if (location != kNoLocation) continue;
      location = num_locations_++;
      result_.locations_of_shape[shape].push_back(location);
      for (const uint32_t input : named.inputs) result_.reading[input].push_back(location);
    }
  }

  // Returns the index of the expression, which is added if it is new.
  uint32_t IndexOf(const NamedOperands& named, uint32_t shape, uint32_t flags) {
    const auto added = static_cast<uint32_t>(result_.all.size());
    const auto [it, is_new] = result_.index.try_emplace(ExpressionKey(shape, named.inputs), added);
    if (!is_new) {
      uint32_t index = it->second;
      while (result_.all[index].flags != flags && result_.all[index].next != Snapshot::kNone) {
        index = result_.all[index].next;
      }
      if (result_.all[index].flags == flags) return index;
      result_.all[index].next = added;
    }
    Expression& expression = result_.all.emplace_back();
    expression.flags = flags;
    expression.anywhere.resize(named.results.size());
    expression.locations.assign(named.results.size(), kNoLocation);
    return added;
  }

  const MatchedFunction& matched_;
  const Snapshot& snapshot_;
  const ValueNames& values_;
  uint32_t& num_locations_;
  Expressions result_;
};

}  // namespace

CheckerFacts::CheckerFacts(const MatchedFunction& matched_function)
    : matched(matched_function),
      values(NameValues(matched.snapshot())),
      num_locations(1 + matched.function().reg_info().num_virtual_registers()),
      slots(DivideSlots(matched, num_locations)),
      expressions(ExpressionCollector(matched, values, num_locations).Collect()) {}

bool CopiesValueToItself(const CheckerFacts& facts, const Snapshot::Instr& instr) {
  if (instr.opcode != generic::kCopy) return false;
  const absl::Span<const Snapshot::Operand> operands = facts.snapshot().operands(instr);
  const Register target = operands[0].operand.reg(), source = operands[1].operand.reg();
  return target.is_virtual() && source.is_virtual() && facts.Name(target) == facts.Name(source);
}

Pieces PiecesOf(const CheckerFacts& facts, const RegisterTransfer& transfer, unsigned value) {
  const size_t slot = static_cast<size_t>(transfer.frame_index - facts.snapshot().num_stack_objects());
  const std::vector<uint32_t>& borders = facts.slots.borders[slot];
  const uint32_t begin = static_cast<uint32_t>(transfer.offset) + value * transfer.size;
  size_t i = static_cast<size_t>(std::lower_bound(borders.begin(), borders.end(), begin) - borders.begin());
  Pieces pieces;
  for (; i + 1 < borders.size() && borders[i] < begin + transfer.size; ++i) {
    pieces.push_back({facts.slots.first_piece[slot] + static_cast<Location>(i), borders[i + 1] - borders[i]});
  }
  return pieces;
}

uint32_t FindShape(const CheckerFacts& facts, const MachineInstr& instr) {
  const auto shape = facts.expressions.shapes.find(ShapeOf(instr.opcode(), instr.operands()));
  return shape == facts.expressions.shapes.end() ? Snapshot::kNone : shape->second;
}

std::vector<const Expression*> FindExpressions(const CheckerFacts& facts, uint32_t shape,
                                               absl::Span<const uint32_t> inputs, uint32_t flags) {
  std::vector<const Expression*> found;
  const auto first = facts.expressions.index.find(ExpressionKey(shape, inputs));
  if (first == facts.expressions.index.end()) return found;
  for (uint32_t index = first->second; index != Snapshot::kNone; index = facts.expressions.all[index].next) {
    const Expression& expression = facts.expressions.all[index];
    if ((flags & ~expression.flags) == 0) found.push_back(&expression);
  }
  return found;
}

const Snapshot::Operand* PhiOperand(const CheckerFacts& facts, const MatchedPhi& phi,
                                    const MachineBasicBlock& predecessor, Register& now) {
  const Snapshot& snapshot = facts.snapshot();
  const uint32_t origin = facts.matched.block(predecessor).stands_for;
  if (origin == Snapshot::kNone) return nullptr;
  const BlockNumber number = snapshot.blocks()[origin].number;
  const absl::Span<const Snapshot::Operand> operands = snapshot.operands(snapshot.instrs()[phi.original]);
  for (size_t i = 1; i + 1 < operands.size(); i += 2) {
    if (operands[i + 1].operand.block() != number || !operands[i].operand.reg().is_virtual()) continue;
    if (phi.instr != nullptr) now = phi.instr->operand(static_cast<unsigned>(i)).reg();
    return &operands[i];
  }
  return nullptr;
}

Register PhiResult(const CheckerFacts& facts, const MatchedPhi& phi) {
  return facts.snapshot().operands(facts.snapshot().instrs()[phi.original])[0].operand.reg();
}

}  // namespace ptxmir::register_check
