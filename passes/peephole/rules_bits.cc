// SPDX-License-Identifier: Apache-2.0

// Bits: fields (bfe, bfi), funnel shifts (shf), masks and negations.

#include <bit>

#include "analysis/values/integer_facts.h"
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

// A shift of a register by a constant that is smaller than its width.
struct ConstantShift {
  bool is_left = false;
  bool is_signed = false;
  unsigned amount = 0;
  const MachineOperand* source = nullptr;
};

std::optional<ConstantShift> ShiftBy(const PeepholeEditor& editor, const MachineInstr* instr, unsigned bits) {
  if (instr == nullptr) return std::nullopt;
  const Family family = ptx::InstrInfo(instr->opcode()).family;
  if ((family != Family::kShl && family != Family::kShr) || !instr->operand(1).reads_reg()) return std::nullopt;
  const std::optional<uint64_t> amount = editor.Constant(instr->operand(2), 32);
  if (!amount.has_value() || *amount == 0 || *amount >= bits) return std::nullopt;
  return ConstantShift{family == Family::kShl, ValueTypeOf(instr->opcode()).is_signed(), static_cast<unsigned>(*amount),
                       &instr->operand(1)};
}

// Returns the shift in an operand if the operation on it makes it superfluous.
std::optional<ConstantShift> OnlyShiftIn(const PeepholeEditor& editor, const MachineOperand& operand, unsigned bits) {
  if (!operand.is_use() || !editor.IsOnlyUse(operand)) return std::nullopt;
  return ShiftBy(editor, editor.DefOf(operand), bits);
}

// ---- Fields.

std::optional<Opcode> ExtractForm(unsigned bits, bool is_signed) {
  if (bits == 32) return ptx::FindForm(is_signed ? Tag::kBfeS32 : Tag::kBfeU32, "rii");
  if (bits == 64) return ptx::FindForm(is_signed ? Tag::kBfeS64 : Tag::kBfeU64, "rii");
  return std::nullopt;
}

// (x >> p) & (2^n - 1)  =>  bfe.u x, p, n. Where the field reaches the top, the mask is superfluous.
bool ExtractMaskedField(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  if (type.bits < 32 || !instr.operand(1).is_reg()) return false;
  const std::optional<uint64_t> mask = editor.Constant(instr.operand(2), type.bits);
  if (!mask.has_value() || *mask == 0 || !std::has_single_bit(*mask + 1)) return false;
  const std::optional<ConstantShift> shift = OnlyShiftIn(editor, instr.operand(1), type.bits);
  if (!shift.has_value() || shift->is_left) return false;
  const auto length = static_cast<unsigned>(std::popcount(*mask));
  if (!shift->is_signed && length >= type.bits - shift->amount) return editor.Replace(instr, instr.operand(1));
  if (length > type.bits - shift->amount) return false;
  return editor.Rewrite(instr, ExtractForm(type.bits, false),
                        {*shift->source, Immediate(shift->amount), Immediate(length)});
}

// (x << l) >> r with r >= l  =>  bfe x, r - l, bits - r, signed as the second shift is
bool ExtractShiftedField(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  const std::optional<ConstantShift> right = ShiftBy(editor, &instr, type.bits);
  if (!right.has_value() || right->is_left) return false;
  const std::optional<ConstantShift> left = OnlyShiftIn(editor, instr.operand(1), type.bits);
  if (!left.has_value() || !left->is_left || right->amount < left->amount) return false;
  return editor.Rewrite(instr, ExtractForm(type.bits, right->is_signed),
                        {*left->source, Immediate(right->amount - left->amount), Immediate(type.bits - right->amount)});
}

// An operand that is x & mask, where the `and` has no other use.
struct MaskedValue {
  uint64_t mask = 0;
  const MachineOperand* source = nullptr;
};

std::optional<MaskedValue> OnlyMaskIn(const PeepholeEditor& editor, const MachineOperand& operand, unsigned bits) {
  if (!operand.is_use() || !editor.IsOnlyUse(operand)) return std::nullopt;
  const MachineInstr* const mask = editor.DefOf(operand, Family::kAnd);
  if (mask == nullptr || !mask->operand(1).reads_reg()) return std::nullopt;
  const std::optional<uint64_t> value = editor.Constant(mask->operand(2), bits);
  if (!value.has_value()) return std::nullopt;
  return MaskedValue{*value, &mask->operand(1)};
}

std::optional<Opcode> InsertForm(unsigned bits) {
  if (bits == 32) return ptx::FindForm(Tag::kBfiB32, "rrii");
  if (bits == 64) return ptx::FindForm(Tag::kBfiB64, "rrii");
  return std::nullopt;
}

// (x & ~field) | ((y << p) & field)  =>  bfi y, x, p, n, where field is n ones from bit p on. Also with
// (y & (2^n - 1)) << p, and without that mask where the field reaches the top.
bool InsertField(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  if (type.bits < 32 || !instr.operand(1).is_reg() || !instr.operand(2).is_reg()) return false;
  for (const unsigned kept : {1u, 2u}) {
    const std::optional<MaskedValue> base = OnlyMaskIn(editor, instr.operand(kept), type.bits);
    if (!base.has_value()) continue;
    const uint64_t field = ~base->mask & IntegerFacts::LowMask(type.bits);
    if (field == 0 || base->mask == 0) continue;
    const auto position = static_cast<unsigned>(std::countr_zero(field));
    const auto length = static_cast<unsigned>(std::popcount(field));
    if (field >> position != IntegerFacts::LowMask(length)) continue;

    const MachineOperand* value = nullptr;
    const MachineOperand& part = instr.operand(3 - kept);
    if (const std::optional<MaskedValue> masked = OnlyMaskIn(editor, part, type.bits);
        masked.has_value() && masked->mask == field) {
      const std::optional<ConstantShift> shift = OnlyShiftIn(editor, *masked->source, type.bits);
      if (position == 0) {
        value = masked->source;
      } else if (shift.has_value() && shift->is_left && shift->amount == position) {
        value = shift->source;
      }
    } else if (const std::optional<ConstantShift> shift = OnlyShiftIn(editor, part, type.bits);
               shift.has_value() && shift->is_left && shift->amount == position) {
      const std::optional<MaskedValue> narrow = OnlyMaskIn(editor, *shift->source, type.bits);
      if (narrow.has_value() && narrow->mask == IntegerFacts::LowMask(length)) {
        value = narrow->source;
      } else if (position + length == type.bits) {
        value = shift->source;
      }
    }
    if (value == nullptr) continue;
    if (editor.Rewrite(instr, InsertForm(type.bits), {*value, *base->source, Immediate(position), Immediate(length)})) {
      return true;
    }
  }
  return false;
}

// ---- Funnel shifts.

// (high << s) | (low >> (32 - s))  =>  shf.l.wrap low, high, s. A rotation if both are the same register.
bool FunnelShift(PeepholeEditor& editor, MachineInstr& instr) {
  if (ptx::InstrInfo(instr.opcode()).semantics != Tag::kOrB32) return false;
  for (const unsigned high : {1u, 2u}) {
    const std::optional<ConstantShift> left = OnlyShiftIn(editor, instr.operand(high), 32);
    const std::optional<ConstantShift> right = OnlyShiftIn(editor, instr.operand(3 - high), 32);
    if (!left.has_value() || !right.has_value() || !left->is_left || right->is_left || right->is_signed) continue;
    if (left->amount + right->amount != 32) continue;
    return editor.Rewrite(instr, ptx::op::SHF_L_WRAP_i, {*right->source, *left->source, Immediate(left->amount)});
  }
  return false;
}

// ---- Negations.

// not (not x), neg (neg x)
bool RemoveDoubleNegation(PeepholeEditor& editor, MachineInstr& instr) {
  const MachineInstr* const first = editor.DefOf(instr.operand(1));
  if (first == nullptr || first->opcode() != instr.opcode()) return false;
  return editor.Replace(instr, first->operand(1));
}

constexpr Family kAnd[] = {Family::kAnd};
constexpr Family kShr[] = {Family::kShr};
constexpr Family kNegations[] = {Family::kNot, Family::kIntNeg};

constexpr PeepholeRule kBitRules[] = {
    {.name = "masked shifts made bfe", .families = kAnd, .apply = ExtractMaskedField},
    {.name = "pairs of shifts made bfe", .families = kShr, .apply = ExtractShiftedField},
    {.name = "pairs of shifts made shf", .families = kOrFamily, .apply = FunnelShift},
    {.name = "masked values made bfi", .families = kOrFamily, .apply = InsertField},
    {.name = "double negations removed",
     .passes = kStock | kNvvm,
     .families = kNegations,
     .apply = RemoveDoubleNegation},
};

}  // namespace

absl::Span<const PeepholeRule> BitRules() { return kBitRules; }

}  // namespace ptxmir::peephole
