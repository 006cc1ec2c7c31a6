// SPDX-License-Identifier: Apache-2.0

#include "analysis/values/edge_conditions.h"

#include "analysis/values/integer_operations.h"
#include "mir/code/machine_register_info.h"

namespace ptxmir {
namespace {

// Returns the branch that decides between the two successors of the block, or null.
const MachineInstr* ConditionalBranch(const MachineBasicBlock& block) {
  if (block.successors().size() != 2) return nullptr;
  const MachineInstr* const branch = block.FirstTerminator();
  if (branch == nullptr || !branch->is_branch() || branch->is_barrier() || branch->num_operands() < 2) return nullptr;
  const bool has_shape = branch->operand(0).is_use() && branch->operand(0).reg().is_virtual() &&
                         !branch->operand(0).is_undef() && branch->operand(1).is_block();
  return has_shape ? branch : nullptr;
}

}  // namespace

EdgeConditions::EdgeConditions(const MachineFunction& function, const DominatorTree& dominators)
    : function_(function), dominators_(dominators) {
  for (const MachineBasicBlock& block : function) AddBranch(block);
}

void EdgeConditions::AddBranch(const MachineBasicBlock& block) {
  const MachineInstr* const branch = ConditionalBranch(block);
  if (branch == nullptr) return;
  const BlockNumber taken = branch->operand(1).block();
  for (const MachineBasicBlock* const successor : block.successors()) {
    EdgeCondition edge{};
    edge.from = block.number();
    edge.to = successor->number();
    edge.holds_below = successor->predecessors().size() == 1;
    AddPredicate(branch->operand(0).reg(), successor->number() == taken, edge, kMaxDepth);
  }
}

void EdgeConditions::AddPredicate(Register predicate, bool value, EdgeCondition edge, int depth) {
  edge.subject = predicate;
  edge.comparison = IntegerComparison::kEqual;
  edge.other = Register();
  edge.constant = value ? 1 : 0;
  Add(edge);
  const MachineInstr* const def = function_.reg_info().UniqueDef(predicate);
  if (def == nullptr || depth == 0) return;
  const IntegerOperation& operation = IntegerOperationOf(def->opcode());
  if (operation.op == IntegerOp::kCompare) {
    AddComparison(*def, value, edge);
    return;
  }
  const auto add_source = [&](unsigned i, bool source_value) {
    const MachineOperand& source = def->operand(i);
    if (source.reads_reg() && source.reg().is_virtual()) AddPredicate(source.reg(), source_value, edge, depth - 1);
  };
  if (def->is_copy()) {
    add_source(1, value);
  } else if (operation.bits != 1) {
    return;
  } else if (operation.op == IntegerOp::kNot || operation.op == IntegerOp::kMove) {
    add_source(1, value != (operation.op == IntegerOp::kNot));
  } else if (operation.op == (value ? IntegerOp::kAnd : IntegerOp::kOr)) {
    add_source(1, value);
    add_source(2, value);
  } else if (operation.op == IntegerOp::kXor && def->operand(2).is_imm()) {
    add_source(1, value != ((def->operand(2).imm() & 1) != 0));
  }
}

void EdgeConditions::AddComparison(const MachineInstr& compare, bool value, EdgeCondition edge) {
  const MachineOperand& code = compare.operand(3);
  if (!code.is_imm() || !IsIntegerComparison(code.imm())) return;
  IntegerComparison comparison = static_cast<IntegerComparison>(code.imm());
  if (!value) comparison = Inverted(comparison);
  const auto add = [&](const MachineOperand& subject, IntegerComparison how, const MachineOperand& other) {
    if (!subject.reads_reg() || !subject.reg().is_virtual()) return;
    const bool has_register = other.reads_reg() && other.reg().is_virtual();
    if (!has_register && !other.is_imm()) return;
    edge.subject = subject.reg();
    edge.comparison = how;
    edge.other = has_register ? other.reg() : Register();
    edge.constant = has_register ? 0 : static_cast<uint64_t>(other.imm());
    Add(edge);
  };
  add(compare.operand(1), comparison, compare.operand(2));
  add(compare.operand(2), Exchanged(comparison), compare.operand(1));
}

void EdgeConditions::Add(const EdgeCondition& condition) {
  if (first_.empty()) {
    first_.assign(function_.reg_info().num_virtual_registers(), kNone);
    first_compared_.assign(first_.size(), kNone);
  }
  const auto number = static_cast<uint32_t>(conditions_.size());
  conditions_.push_back(condition);
  next_.push_back(first_[condition.subject.virtual_index()]);
  first_[condition.subject.virtual_index()] = number;
  next_compared_.push_back(kNone);
  if (!condition.other.is_valid()) return;
  next_compared_.back() = first_compared_[condition.other.virtual_index()];
  first_compared_[condition.other.virtual_index()] = number;
}

}  // namespace ptxmir
