// SPDX-License-Identifier: Apache-2.0

// Selections: min, max and abs in place of a comparison and a selp; selections that are decided or made twice.

#include "analysis/values/integer_facts.h"
#include "passes/peephole/comparison.h"
#include "passes/peephole/peephole_rule.h"
#include "passes/peephole/value_type.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;
using Tag = ptx::SemanticTag;

bool AreSame(const MachineOperand& a, const MachineOperand& b) {
  if (a.is_reg() && (!a.reads_reg() || !b.reads_reg())) return false;
  return a.IsIdenticalTo(b);
}

// selp a, b, p with a known p, or with equal values
bool RemoveDecidedSelect(PeepholeEditor& editor, MachineInstr& instr) {
  const std::optional<uint64_t> predicate = editor.Constant(instr.operand(3), 1);
  if (predicate.has_value()) return editor.Replace(instr, instr.operand(*predicate != 0 ? 1 : 2));
  return AreSame(instr.operand(1), instr.operand(2)) && editor.Replace(instr, instr.operand(1));
}

// selp a, b, (not p)  =>  selp b, a, p
bool SelectByNegation(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const negation = editor.DefOf(instr.operand(3), Family::kNot);
  if (negation == nullptr || !negation->operand(1).reads_reg()) return false;
  const char kinds[] = {KindOf(instr.operand(2)), KindOf(instr.operand(1)), 0};
  return editor.Rewrite(instr, ptx::FindForm(ptx::InstrInfo(instr.opcode()).semantics, kinds),
                        {instr.operand(2), instr.operand(1), negation->operand(1)}, instr.flags());
}

// selp (selp a, b, p), c, p  =>  selp a, c, p; and the like on the other side
bool SelectTwice(PeepholeEditor& editor, MachineInstr& instr) {
  for (const unsigned side : {1u, 2u}) {
    const MachineInstr* const inner = editor.DefOf(instr.operand(side), Family::kSelp);
    if (inner == nullptr || !AreSame(inner->operand(3), instr.operand(3))) continue;
    const MachineOperand& value = inner->operand(side);
    const MachineOperand& a = side == 1 ? value : instr.operand(1);
    const MachineOperand& b = side == 1 ? instr.operand(2) : value;
    const char kinds[] = {KindOf(a), KindOf(b), 0};
    const std::optional<Opcode> form = ptx::FindForm(ptx::InstrInfo(instr.opcode()).semantics, kinds);
    if (editor.Rewrite(instr, form, {a, b, instr.operand(3)})) return true;
  }
  return false;
}

// ---- Minimum, maximum, absolute value.

// By signedness and width.
constexpr Tag kMinimums[2][3] = {{Tag::kMinU16, Tag::kMinU32, Tag::kMinU64},
                                 {Tag::kMinS16, Tag::kMinS32, Tag::kMinS64}};
constexpr Tag kMaximums[2][3] = {{Tag::kMaxU16, Tag::kMaxU32, Tag::kMaxU64},
                                 {Tag::kMaxS16, Tag::kMaxS32, Tag::kMaxS64}};
constexpr Tag kAbsolutes[3] = {Tag::kAbsS16, Tag::kAbsS32, Tag::kAbsS64};

unsigned IndexOfWidthFrom16(unsigned bits) { return bits == 16 ? 0 : bits == 32 ? 1 : 2; }

// Returns the operation that a selection of the smaller or greater of two values is.
std::optional<Tag> ExtremeOf(const MachineInstr& select, const Comparison& comparison, bool is_minimum) {
  if (comparison.type.is_integer()) {
    return (is_minimum ? kMinimums : kMaximums)[comparison.is_signed()][IndexOfWidthFrom16(comparison.type.bits)];
  }
  // A NaN is selected by which side of the comparison it stands on, and zeros of both signs are equal. The minimum
  // flushes if the comparison does, the selection never.
  const bool ignores_both = select.has_flag(MachineInstr::kFmNoNans) && select.has_flag(MachineInstr::kFmNsz);
  if (!ignores_both || comparison.flushes) return std::nullopt;
  if (comparison.type.bits == 32) return is_minimum ? Tag::kMinF32 : Tag::kMaxF32;
  if (comparison.type.bits == 64) return is_minimum ? Tag::kMinF64 : Tag::kMaxF64;
  return std::nullopt;
}

// setp.lt p, a, b; selp d, a, b, p  =>  min d, a, b
bool SelectExtreme(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const test = editor.DefOf(instr.operand(3), Family::kSetp);
  const std::optional<Comparison> comparison = test == nullptr ? std::nullopt : ComparisonOf(*test);
  if (!comparison.has_value() || !comparison->is_ordering()) return false;
  if (editor.BitsOf(instr.operand(0).reg()) != comparison->type.bits) return false;
  const MachineOperand& a = instr.operand(1);
  const MachineOperand& b = instr.operand(2);
  const bool is_straight = AreSame(a, test->operand(1)) && AreSame(b, test->operand(2));
  const bool is_crossed = AreSame(a, test->operand(2)) && AreSame(b, test->operand(1));
  if (!is_straight && !is_crossed) return false;
  const std::optional<Tag> extreme = ExtremeOf(instr, *comparison, comparison->is_less() == is_straight);
  if (!extreme.has_value()) return false;
  const MachineOperand& first = a.is_reg() ? a : b;
  const MachineOperand& second = a.is_reg() ? b : a;
  const char kinds[] = {'r', KindOf(second), 0};
  const bool has_ftz = *extreme == Tag::kMinF32 || *extreme == Tag::kMaxF32;
  const std::optional<Opcode> form = ptx::FindForm(*extreme, kinds);
  const MachineOperand no_ftz = MachineOperand::CreateImm(0);
  return has_ftz ? editor.Rewrite(instr, form, {first, second, no_ftz}, instr.flags())
                 : editor.Rewrite(instr, form, {first, second}, instr.flags());
}

// Returns true if the operand is 0 - x.
bool IsNegationOf(const PeepholeEditor& editor, const MachineOperand& operand, const MachineOperand& x, unsigned bits) {
  const MachineInstr* const def = editor.DefOf(operand);
  if (def == nullptr) return false;
  const Family family = ptx::InstrInfo(def->opcode()).family;
  if (family == Family::kIntNeg) return AreSame(def->operand(1), x);
  if (family != Family::kIntSub || !AreSame(def->operand(2), x)) return false;
  return editor.Constant(def->operand(1), bits) == std::optional<uint64_t>(0);
}

// setp.lt.s32 p, x, 0; selp d, (neg x), x, p  =>  abs d, x
bool SelectAbsolute(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const test = editor.DefOf(instr.operand(3), Family::kSetp);
  const std::optional<Comparison> comparison = test == nullptr ? std::nullopt : ComparisonOf(*test);
  if (!comparison.has_value() || !comparison->is_ordering() || !comparison->is_signed()) return false;
  const unsigned bits = comparison->type.bits;
  if (editor.BitsOf(instr.operand(0).reg()) != bits || !test->operand(1).is_reg()) return false;
  const std::optional<uint64_t> bound = editor.Constant(test->operand(2), bits);
  if (!bound.has_value()) return false;
  // Less than 0 or not less than 0; where x is 0, both sides are equal.
  const bool is_zero = *bound == 0;
  const bool tests_minus_one =
      *bound == IntegerFacts::LowMask(bits) && comparison->is_strict() == !comparison->is_less();
  const bool tests_one = *bound == 1 && comparison->is_strict() == comparison->is_less();
  if (!is_zero && !tests_minus_one && !tests_one) return false;
  const MachineOperand& x = test->operand(1);
  const MachineOperand& if_negative = instr.operand(comparison->is_less() ? 1 : 2);
  const MachineOperand& if_positive = instr.operand(comparison->is_less() ? 2 : 1);
  if (!AreSame(if_positive, x) || !IsNegationOf(editor, if_negative, x, bits)) return false;
  return editor.Rewrite(instr, ptx::FindForm(kAbsolutes[IndexOfWidthFrom16(bits)], "r"), {x});
}

constexpr Family kSelp[] = {Family::kSelp};

constexpr PeepholeRule kSelectionRules[] = {
    {.name = "decided selections removed", .passes = kStock | kNvvm, .families = kSelp, .apply = RemoveDecidedSelect},
    {.name = "selections by a negation turned", .passes = kStock | kNvvm, .families = kSelp, .apply = SelectByNegation},
    {.name = "selections of selections joined", .families = kSelp, .apply = SelectTwice},
    {.name = "selections made min or max", .families = kSelp, .apply = SelectExtreme},
    {.name = "selections made abs", .families = kSelp, .apply = SelectAbsolute},
};

}  // namespace

absl::Span<const PeepholeRule> SelectionRules() { return kSelectionRules; }

}  // namespace ptxmir::peephole
