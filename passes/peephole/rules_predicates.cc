// SPDX-License-Identifier: Apache-2.0

// Predicates: inverted comparisons, negations that cancel, and branches that turn or are decided.

#include "mir/code/operand_ranges.h"
#include "passes/peephole/inverted_predicates.h"
#include "passes/peephole/peephole_rule.h"
#include "passes/support/block_ending.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;
using Tag = ptx::SemanticTag;

// ---- Negations.

// not (setp.lt a, b)  =>  setp.ge a, b; for floats setp.geu, which is true for NaNs. Comparisons keep their places:
// there their operands are needed anyway.
bool InvertPredicates(PeepholeEditor& editor, MachineInstr& instr) {
  if (TagOf(instr) != Tag::kNotPred || !instr.operand(1).reads_reg()) return false;
  InvertedPredicates inverted(editor);
  if (!inverted.Find(instr.operand(1).reg())) return false;
  inverted.Invert();
  return true;
}

// xor.pred p, true  =>  not.pred p
bool NegateByXor(PeepholeEditor& editor, MachineInstr& instr) {
  if (TagOf(instr) != Tag::kXorPred) return false;
  for (const unsigned constant : {2u, 1u}) {
    const std::optional<uint64_t> value = editor.Constant(instr.operand(constant), 1);
    if (value == std::optional<uint64_t>(1)) {
      return editor.Rewrite(instr, ptx::op::NOT_pred, {instr.operand(3 - constant)});
    }
  }
  return false;
}

// Returns the negation in an operand that is not needed any more without it.
const MachineInstr* OnlyNegationIn(const PeepholeEditor& editor, const MachineOperand& operand) {
  if (!operand.is_use() || !editor.IsOnlyUse(operand)) return nullptr;
  const MachineInstr* const negation = editor.DefOf(operand, Family::kNot);
  return negation != nullptr && negation->operand(1).reads_reg() ? negation : nullptr;
}

// (not p) and (not q)  =>  not (p or q); also with `and` and `or` exchanged. One negation of the two is left, and may
// go into a branch.
bool JoinNegations(PeepholeEditor& editor, MachineInstr& instr) {
  const bool is_and = TagOf(instr) == Tag::kAndPred;
  const bool is_or = ptx::InstrInfo(instr.opcode()).family == Family::kOr && editor.BitsOf(instr.operand(0).reg()) == 1;
  if (!is_and && !is_or) return false;
  const MachineInstr* const first = OnlyNegationIn(editor, instr.operand(1));
  const MachineInstr* const second = OnlyNegationIn(editor, instr.operand(2));
  if (first == nullptr || second == nullptr) return false;
  const Register joined =
      editor.Insert(instr, is_and ? ptx::op::OR_predrr : ptx::op::AND_predrr,
                    editor.reg_info().reg_class(instr.operand(0).reg()), {first->operand(1), second->operand(1)});
  return editor.Rewrite(instr, ptx::op::NOT_pred, {MachineOperand::CreateReg(joined)});
}

// p and (not p)  =>  false; p or (not p)  =>  true
bool DecideByNegation(PeepholeEditor& editor, MachineInstr& instr) {
  if (editor.BitsOf(instr.operand(0).reg()) != 1) return false;
  for (const unsigned side : {1u, 2u}) {
    const MachineInstr* const negation = editor.DefOf(instr.operand(side), Family::kNot);
    const MachineOperand& other = instr.operand(3 - side);
    if (negation == nullptr || !negation->operand(1).reads_reg() || !other.reads_reg()) continue;
    if (negation->operand(1).reg() != other.reg()) continue;
    return editor.ReplaceByConstant(instr, ptx::InstrInfo(instr.opcode()).family == Family::kOr ? 1 : 0);
  }
  return false;
}

// ---- Branches.

// bra (not p) A; goto B  =>  bra p B; goto A. Without the goto, one would have to be added.
bool TurnNegatedBranch(PeepholeEditor& editor, MachineInstr& instr) {
  const BlockEnding ending = EndingOf(*instr.parent());
  if (ending.branch != &instr || ending.jump == nullptr) return false;
  const MachineInstr* const negation = editor.DefOf(instr.operand(0), Family::kNot);
  if (negation == nullptr || !negation->operand(1).reads_reg()) return false;
  TurnBranch(ending);
  return editor.SetOperand(instr, 0, negation->operand(1));
}

// Returns the value of a branch's predicate if the way to the block decides it: a constant, or the branch on the same
// predicate at the end of a block through which alone the block is reached.
std::optional<bool> KnownPredicate(const PeepholeEditor& editor, const MachineInstr& branch) {
  const MachineOperand& predicate = branch.operand(0);
  if (const std::optional<uint64_t> value = editor.Constant(predicate, 1); value.has_value()) return *value != 0;
  if (!predicate.reads_reg()) return std::nullopt;
  constexpr int kMaxBlocks = 8;
  const MachineBasicBlock* block = branch.parent();
  for (int i = 0; i < kMaxBlocks && block->predecessors().size() == 1; ++i) {
    const MachineBasicBlock* const above = block->predecessors().front();
    const BlockEnding ending = EndingOf(*above);
    if (!ending.is_known || above == branch.parent()) return std::nullopt;
    const bool is_same = ending.is_conditional() && ending.branch->operand(0).reads_reg() &&
                         ending.branch->operand(0).reg() == predicate.reg();
    if (is_same && above->successors().size() == 2) return ending.taken == block;
    block = above;
  }
  return std::nullopt;
}

// A branch whose direction is known is a jump, or nothing.
bool RemoveKnownBranch(PeepholeEditor& editor, MachineInstr& instr) {
  MachineBasicBlock& block = *instr.parent();
  const BlockEnding ending = EndingOf(block);
  if (ending.branch != &instr || block.successors().size() != 2) return false;
  const std::optional<bool> is_taken = KnownPredicate(editor, instr);
  if (!is_taken.has_value()) return false;
  MachineBasicBlock* const otherwise =
      block.successors()[0] == ending.taken ? block.successors()[1] : block.successors()[0];
  MachineBasicBlock* const left = *is_taken ? otherwise : ending.taken;
  if (*is_taken) {
    const MetadataId loc = instr.debug_loc();
    if (ending.jump != nullptr) editor.Erase(*ending.jump);
    AppendJump(block, *ending.taken, loc);
  }
  editor.Erase(instr);
  return editor.RemoveEdge(block, *left);
}

constexpr Family kNot[] = {Family::kNot};
constexpr Family kXor[] = {Family::kXor};
constexpr Family kAndOr[] = {Family::kAnd, Family::kOr};
constexpr Family kBranch[] = {Family::kBranch};

constexpr PeepholeRule kPredicateRules[] = {
    {.name = "predicates inverted", .passes = kNvvm, .families = kNot, .apply = InvertPredicates},
    {.name = "exclusive ors made negations", .passes = kNvvm, .families = kXor, .apply = NegateByXor},
    {.name = "predicates decided by a negation", .passes = kNvvm, .families = kAndOr, .apply = DecideByNegation},
    {.name = "negations joined", .passes = kNvvm, .families = kAndOr, .apply = JoinNegations},
    {.name = "branches turned", .passes = kNvvm, .families = kBranch, .apply = TurnNegatedBranch},
    {.name = "known branches removed", .passes = kStock | kNvvm, .families = kBranch, .apply = RemoveKnownBranch},
};

}  // namespace

absl::Span<const PeepholeRule> PredicateRules() { return kPredicateRules; }

}  // namespace ptxmir::peephole
