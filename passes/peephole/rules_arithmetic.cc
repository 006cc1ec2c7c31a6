// SPDX-License-Identifier: Apache-2.0

// Arithmetic: identities, chains of constants, and sums of products.

#include <algorithm>
#include <bit>

#include "absl/container/inlined_vector.h"
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

Family FamilyOf(const MachineInstr& instr) { return ptx::InstrInfo(instr.opcode()).family; }

bool AreSameRegister(const MachineOperand& a, const MachineOperand& b) {
  return a.reads_reg() && b.reads_reg() && a.reg() == b.reg();
}

// Returns true if the instruction is add.s32 and the like: two sources of the result's width, one value each.
bool IsPlainBinary(const PeepholeEditor& editor, const MachineInstr& instr, const ValueType& type) {
  if (!type.is_integer() && !type.is_predicate()) return false;
  if (IsClamped(instr.opcode())) return false;
  return instr.num_operands() == 3 && editor.BitsOf(instr.operand(0).reg()) == type.bits;
}

bool IsMulLo(const MachineInstr& instr) {
  const Tag tag = TagOf(instr);
  return tag == Tag::kMulLoS16 || tag == Tag::kMulLoS32 || tag == Tag::kMulLoS64;
}

// ---- Identities.

// The result of an operation on a constant second source.
enum class Effect : uint8_t { kNone, kIsFirst, kIsZero, kIsOnes };

Effect EffectOfConstant(const MachineInstr& instr, uint64_t value, const ValueType& type) {
  const uint64_t ones = IntegerFacts::LowMask(type.bits);
  switch (FamilyOf(instr)) {
    case Family::kIntAdd:
    case Family::kIntSub:
    case Family::kXor:
    case Family::kShl:
    case Family::kShr:
      return value == 0 ? Effect::kIsFirst : Effect::kNone;
    case Family::kOr:
      return value == 0 ? Effect::kIsFirst : value == ones ? Effect::kIsOnes : Effect::kNone;
    case Family::kAnd:
      return value == ones ? Effect::kIsFirst : value == 0 ? Effect::kIsZero : Effect::kNone;
    case Family::kIntMul:
      if (value == 0) return Effect::kIsZero;
      return value == 1 && IsMulLo(instr) ? Effect::kIsFirst : Effect::kNone;
    case Family::kIntDiv:
      return value == 1 ? Effect::kIsFirst : Effect::kNone;
    case Family::kIntRem:
      return value == 1 ? Effect::kIsZero : Effect::kNone;
    default:
      return Effect::kNone;
  }
}

bool ApplyEffect(PeepholeEditor& editor, MachineInstr& instr, Effect effect, unsigned first, unsigned bits) {
  switch (effect) {
    case Effect::kNone:
      return false;
    case Effect::kIsFirst:
      return editor.Replace(instr, instr.operand(first));
    case Effect::kIsZero:
      return editor.ReplaceByConstant(instr, 0);
    case Effect::kIsOnes:
      return editor.ReplaceByConstant(instr, IntegerFacts::LowMask(bits));
  }
  return false;
}

// x + 0, x * 1, x & -1, x << 0, x * 0 and the like.
bool ApplyIdentity(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  if (!IsPlainBinary(editor, instr, type)) return false;
  if (const std::optional<uint64_t> value = editor.Constant(instr.operand(2), type.bits); value.has_value()) {
    // The amount of a shift has 32 bits, whatever is shifted.
    const bool is_shift = FamilyOf(instr) == Family::kShl || FamilyOf(instr) == Family::kShr;
    const uint64_t constant = is_shift ? *editor.Constant(instr.operand(2), 32) : *value;
    if (ApplyEffect(editor, instr, EffectOfConstant(instr, constant, type), 1, type.bits)) return true;
  }
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_commutable()) return false;
  const std::optional<uint64_t> value = editor.Constant(instr.operand(1), type.bits);
  return value.has_value() && ApplyEffect(editor, instr, EffectOfConstant(instr, *value, type), 2, type.bits);
}

// x - x, x ^ x, x & x, x | x, min(x, x), max(x, x).
bool ApplySameOperand(PeepholeEditor& editor, MachineInstr& instr) {
  if (instr.num_operands() != 3 || !AreSameRegister(instr.operand(1), instr.operand(2))) return false;
  if (!IsPlainBinary(editor, instr, ValueTypeOf(instr.opcode()))) return false;
  switch (FamilyOf(instr)) {
    case Family::kIntSub:
    case Family::kXor:
      return editor.ReplaceByConstant(instr, 0);
    case Family::kAnd:
    case Family::kOr:
    case Family::kIntMin:
    case Family::kIntMax:
      return editor.Replace(instr, instr.operand(1));
    default:
      return false;
  }
}

// ---- Chains of constants.

// (x op c1) op c2  =>  x op (c1 op c2), for operations that associate. The first one must go, so that a constant more
// in the code buys an instruction less.
bool MergeConstants(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  if (!IsPlainBinary(editor, instr, type) || !instr.operand(2).is_imm()) return false;
  const MachineInstr* const first = editor.DefOf(instr.operand(1));
  if (first == nullptr || first->opcode() != instr.opcode() || !editor.IsOnlyUse(instr.operand(1))) return false;
  if (!first->operand(2).is_imm() || !first->operand(1).reads_reg()) return false;
  const uint64_t a = static_cast<uint64_t>(first->operand(2).imm());
  const uint64_t b = static_cast<uint64_t>(instr.operand(2).imm());
  uint64_t merged = 0;
  switch (FamilyOf(instr)) {
    case Family::kIntAdd:
    case Family::kIntSub:
      merged = a + b;
      break;
    case Family::kAnd:
      merged = a & b;
      break;
    case Family::kOr:
      merged = a | b;
      break;
    case Family::kXor:
      merged = a ^ b;
      break;
    case Family::kShl:
    case Family::kShr:
      if (a >= type.bits || b >= type.bits) return false;
      // All bits are shifted out, or are copies of the sign.
      if (a + b >= type.bits && !type.is_signed()) return editor.ReplaceByConstant(instr, 0);
      merged = std::min<uint64_t>(a + b, type.bits - 1u);
      return editor.Rewrite(instr, instr.opcode(), {first->operand(1), Immediate(merged)});
    default:
      return false;
  }
  return editor.Rewrite(
      instr, instr.opcode(),
      {first->operand(1), Immediate(static_cast<uint64_t>(IntegerFacts::SignExtend(merged, type.bits)))});
}

// ---- Sums of products.

struct Fusion {
  Tag product;
  Tag sum;
  Tag fused;
};

// The plain forms of floating-point operations may be contracted by ptxas as well; those with .rn may not.
constexpr Fusion kFusions[] = {
    {Tag::kMulLoS16, Tag::kAddS16, Tag::kMadLoS16},        {Tag::kMulLoS32, Tag::kAddS32, Tag::kMadLoS32},
    {Tag::kMulLoS64, Tag::kAddS64, Tag::kMadLoS64},        {Tag::kMulWideS16, Tag::kAddS32, Tag::kMadWideS16},
    {Tag::kMulWideU16, Tag::kAddS32, Tag::kMadWideU16},    {Tag::kMulWideS32, Tag::kAddS64, Tag::kMadWideS32},
    {Tag::kMulWideU32, Tag::kAddS64, Tag::kMadWideU32},    {Tag::kMulF32, Tag::kAddF32, Tag::kFmaRnF32},
    {Tag::kMulF64, Tag::kAddF64, Tag::kFmaRnF64},          {Tag::kMulF16, Tag::kAddF16, Tag::kFmaRnF16},
    {Tag::kMulF16x2, Tag::kAddF16x2, Tag::kFmaRnF16x2},    {Tag::kMulBf16, Tag::kAddBf16, Tag::kFmaRnBf16},
    {Tag::kMulBf16x2, Tag::kAddBf16x2, Tag::kFmaRnBf16x2},
};

const Fusion* FindFusion(const MachineInstr& product, const MachineInstr& sum) {
  for (const Fusion& fusion : kFusions) {
    if (fusion.product == TagOf(product) && fusion.sum == TagOf(sum)) return &fusion;
  }
  return nullptr;
}

// Returns the product in operand `operand` of a sum if it can become part of it: it has no other use, and it is in the
// same block. From elsewhere, it would be computed more often, perhaps in a loop, and its sources would live longer.
MachineInstr* ProductIn(const PeepholeEditor& editor, const MachineInstr& sum, unsigned operand, Family family) {
  MachineInstr* const product = editor.DefOf(sum.operand(operand), family);
  if (product == nullptr || product->parent() != sum.parent()) return nullptr;
  return editor.IsOnlyUse(sum.operand(operand)) && product->operand(1).is_reg() ? product : nullptr;
}

// mul.lo t, a, b; add d, t, c  =>  mad.lo d, a, b, c; also mul.wide.
bool FuseIntegers(PeepholeEditor& editor, MachineInstr& sum) {
  if (!sum.operand(1).is_reg()) return false;
  for (const unsigned operand : {1u, 2u}) {
    const MachineInstr* const product = ProductIn(editor, sum, operand, Family::kIntMul);
    if (product == nullptr) continue;
    const Fusion* const fusion = FindFusion(*product, sum);
    if (fusion == nullptr) continue;
    const MachineOperand& addend = sum.operand(3 - operand);
    const char kinds[] = {'r', KindOf(product->operand(2)), KindOf(addend), 0};
    const std::optional<Opcode> fused = ptx::FindForm(fusion->fused, kinds);
    if (editor.Rewrite(sum, fused, {product->operand(1), product->operand(2), addend})) return true;
  }
  return false;
}

// mul.f32 t, a, b; add.f32 d, t, c  =>  fma.rn.f32 d, a, b, c, if both may be contracted and flush alike.
bool FuseFloats(PeepholeEditor& editor, MachineInstr& sum) {
  for (const unsigned operand : {1u, 2u}) {
    const MachineInstr* const product = ProductIn(editor, sum, operand, Family::kFpMul);
    if (product == nullptr) continue;
    const Fusion* const fusion = FindFusion(*product, sum);
    if (fusion == nullptr) continue;
    if (!sum.has_flag(MachineInstr::kFmContract) || !product->has_flag(MachineInstr::kFmContract)) {
      editor.CountUnfused();
      continue;
    }
    const MachineOperand& addend = sum.operand(3 - operand);
    if (!addend.is_reg()) continue;
    const char kinds[] = {'r', KindOf(product->operand(2)), 'r', 0};
    const std::optional<Opcode> fused = ptx::FindForm(fusion->fused, kinds);
    const bool has_ftz = sum.num_operands() == 4;
    if (has_ftz && (product->num_operands() != 4 || product->operand(3).imm() != sum.operand(3).imm())) continue;
    absl::InlinedVector<MachineOperand, 4> sources = {product->operand(1), product->operand(2), addend};
    if (has_ftz) sources.push_back(sum.operand(3));
    if (editor.Rewrite(sum, fused, sources, sum.flags() & product->flags())) return true;
  }
  return false;
}

// ---- Products and quotients by a power of two.

std::optional<unsigned> LogOfPowerOfTwo(const PeepholeEditor& editor, const MachineOperand& operand, unsigned bits) {
  const std::optional<uint64_t> value = editor.Constant(operand, bits);
  if (!value.has_value() || !std::has_single_bit(*value)) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(*value));
}

// The operation that does without a division, for registers of 16, 32 and 64 bits.
std::optional<Opcode> FormOfWidth(const Tag (&tags)[3], unsigned bits) {
  return ptx::FindForm(tags[bits == 16 ? 0 : bits == 32 ? 1 : 2], "ri");
}

constexpr Tag kShiftsLeft[] = {Tag::kShlB16, Tag::kShlB32, Tag::kShlB64};
constexpr Tag kShiftsRight[] = {Tag::kShrU16, Tag::kShrU32, Tag::kShrU64};
// A product that is added to something is better left for FuseIntegers.
bool FeedsOneSum(PeepholeEditor& editor, const MachineInstr& instr) {
  const Register result = instr.operand(0).reg();
  if (!result.is_virtual() || !editor.reg_info().HasOneNonDebugUse(result)) return false;
  return FamilyOf(*editor.reg_info().NonDebugUses(result).begin()->parent()) == Family::kIntAdd;
}

// x * 2^n => x << n; unsigned x / 2^n => x >> n; unsigned x % 2^n => x & (2^n - 1)
bool ReducePowerOfTwo(PeepholeEditor& editor, MachineInstr& instr) {
  const ValueType type = ValueTypeOf(instr.opcode());
  if (!IsPlainBinary(editor, instr, type) || !instr.operand(1).is_reg()) return false;
  const std::optional<unsigned> log = LogOfPowerOfTwo(editor, instr.operand(2), type.bits);
  if (!log.has_value()) return false;
  const bool is_unsigned = type.kind == 'u';
  switch (FamilyOf(instr)) {
    case Family::kIntMul:
      if (!IsMulLo(instr) || FeedsOneSum(editor, instr)) return false;
      return editor.Rewrite(instr, FormOfWidth(kShiftsLeft, type.bits), {instr.operand(1), Immediate(*log)});
    case Family::kIntDiv:
      return is_unsigned &&
             editor.Rewrite(instr, FormOfWidth(kShiftsRight, type.bits), {instr.operand(1), Immediate(*log)});
    case Family::kIntRem:
      return is_unsigned && editor.Rewrite(instr, FormOfWidth(kAndTags, type.bits),
                                           {instr.operand(1), Immediate(IntegerFacts::LowMask(*log))});
    default:
      return false;
  }
}

constexpr Family kBinaries[] = {Family::kIntAdd, Family::kIntSub, Family::kIntMul, Family::kIntDiv,
                                Family::kIntRem, Family::kIntMin, Family::kIntMax, Family::kAnd,
                                Family::kOr,     Family::kXor,    Family::kShl,    Family::kShr};
constexpr Family kAssociative[] = {Family::kIntAdd, Family::kIntSub, Family::kAnd, Family::kOr,
                                   Family::kXor,    Family::kShl,    Family::kShr};
constexpr Family kSums[] = {Family::kIntAdd};
constexpr Family kFloatSums[] = {Family::kFpAdd};
constexpr Family kProducts[] = {Family::kIntMul, Family::kIntDiv, Family::kIntRem};

constexpr PeepholeRule kArithmeticRules[] = {
    {.name = "identities applied", .passes = kStock | kNvvm, .families = kBinaries, .apply = ApplyIdentity},
    {.name = "operations on equal operands removed",
     .passes = kStock | kNvvm,
     .families = kBinaries,
     .apply = ApplySameOperand},
    {.name = "chains of constants merged", .families = kAssociative, .apply = MergeConstants},
    {.name = "products and quotients by powers of two reduced", .families = kProducts, .apply = ReducePowerOfTwo},
    {.name = "integer sums of products fused", .families = kSums, .apply = FuseIntegers},
    {.name = "floating-point sums of products fused", .families = kFloatSums, .apply = FuseFloats},
};

}  // namespace

absl::Span<const PeepholeRule> ArithmeticRules() { return kArithmeticRules; }

}  // namespace ptxmir::peephole
