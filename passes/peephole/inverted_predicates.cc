// SPDX-License-Identifier: Apache-2.0

#include "passes/peephole/inverted_predicates.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "passes/peephole/comparison.h"
#include "passes/support/block_ending.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;

// More are seldom connected; the limit keeps a chain of conjunctions from being walked for each negation.
constexpr size_t kMaxPredicates = 64;

// Returns the opposite of a conjunction or disjunction of two registers, for operands that are inverted.
std::optional<Opcode> OppositeOf(const MachineInstr& instr) {
  if (instr.opcode() == ptx::op::AND_predrr) return ptx::op::OR_predrr;
  if (instr.opcode() == ptx::op::OR_predrr) return ptx::op::AND_predrr;
  return std::nullopt;
}

}  // namespace

bool InvertedPredicates::Find(Register predicate) {
  if (!Add(predicate)) return false;
  for (size_t i = 0; i < predicates_.size(); ++i) {
    const Register reg = predicates_[i];  // the vector grows
    if (!AddSources(reg) || !AddReaders(reg)) return false;
  }
  return true;
}

bool InvertedPredicates::Add(Register predicate) {
  if (absl::c_linear_search(predicates_, predicate)) return true;
  if (!predicate.is_virtual() || predicates_.size() == kMaxPredicates) return false;
  predicates_.push_back(predicate);
  return true;
}

bool InvertedPredicates::AddSources(Register predicate) {
  const MachineInstr* const def = editor_.reg_info().UniqueDef(predicate);
  if (def == nullptr) return false;
  if (OppositeOf(*def).has_value()) {
    if (!def->operand(1).reads_reg() || !def->operand(2).reads_reg()) return false;
    return Add(def->operand(1).reg()) && Add(def->operand(2).reg());
  }
  return ptx::InstrInfo(def->opcode()).family == Family::kSetp && ComparisonOf(*def).has_value();
}

bool InvertedPredicates::AddReaders(Register predicate) {
  for (MachineOperand& use : editor_.reg_info().NonDebugUses(predicate)) {
    MachineInstr& reader = *use.parent();
    if (ptx::InstrInfo(reader.opcode()).family == Family::kNot) {
      negations_.push_back(&reader);
    } else if (OppositeOf(reader).has_value()) {
      if (!Add(reader.operand(0).reg())) return false;
    } else {
      const BlockEnding ending = EndingOf(*reader.parent());
      if (ending.branch != &reader || ending.jump == nullptr) return false;
      branches_.push_back(&reader);
    }
  }
  return true;
}

void InvertedPredicates::Invert() {
  for (const Register predicate : predicates_) {
    MachineInstr& def = *editor_.reg_info().UniqueDef(predicate);
    if (const std::optional<Opcode> opposite = OppositeOf(def); opposite.has_value()) {
      editor_.SetOpcode(def, *opposite);
    } else {
      def.operand(CodeOperand(def)).set_imm(ComparisonOf(def)->Inverse());
      editor_.Push(def);
    }
    DropDebugUses(editor_.reg_info(), predicate);
  }
  for (MachineInstr* branch : branches_) TurnBranch(EndingOf(*branch->parent()));
  for (MachineInstr* negation : negations_) editor_.Replace(*negation, negation->operand(1));
}

}  // namespace ptxmir::peephole
