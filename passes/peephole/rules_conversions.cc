// SPDX-License-Identifier: Apache-2.0

// Integer conversions: extensions and truncations of each other, masks before truncations, loads that extend.

#include <algorithm>

#include "analysis/values/integer_facts.h"
#include "passes/peephole/peephole_rule.h"
#include "passes/peephole/value_type.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::peephole {
namespace {

using ptx::Family;
using Tag = ptx::SemanticTag;

// An integer conversion takes the low `kept` bits of its source and extends them to the whole result, of `bits` bits.
// A truncation keeps all of the result.
struct Conversion {
  unsigned kept = 0;
  unsigned bits = 0;
  bool is_signed = false;
};

std::optional<Conversion> ConversionOf(const PeepholeEditor& editor, const MachineInstr& instr) {
  if (ptx::InstrInfo(instr.opcode()).family != Family::kCvt || !instr.operand(1).reads_reg()) return std::nullopt;
  // A mode rounds or saturates.
  const bool is_plain = instr.num_operands() == 2 || (instr.num_operands() == 3 && instr.operand(2).imm() == 0);
  const ValueType source = ValueTypeOf(instr.opcode());
  const ValueType result = ResultTypeOfConversion(instr.opcode());
  if (!is_plain || !source.is_integer() || !result.is_integer()) return std::nullopt;
  if (editor.BitsOf(instr.operand(0).reg()) != result.bits) return std::nullopt;
  return Conversion{std::min(source.bits, result.bits), result.bits, source.is_signed()};
}

// Returns the conversion that does what the two do, one after the other, if one can.
std::optional<Conversion> Compose(const Conversion& inner, const Conversion& outer) {
  if (outer.kept <= inner.kept) return outer;
  // The outer one sees bits that the inner one made.
  if (outer.kept == outer.bits) return Conversion{inner.kept, outer.bits, inner.is_signed};
  if (!inner.is_signed) return Conversion{inner.kept, outer.bits, false};
  if (outer.is_signed) return Conversion{inner.kept, outer.bits, true};
  return std::nullopt;
}

unsigned IndexOfWidth(unsigned bits) { return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3; }

// The conversion from a narrower register, by the widths 8, 16 and 32 of the source, and 16, 32 and 64 of the result.
constexpr Tag kExtensions[2][3][3] = {
    {{Tag::kCvtU16U8, Tag::kCvtU32U8, Tag::kCvtU64U8},
     {Tag::kNone, Tag::kCvtU32U16, Tag::kCvtU64U16},
     {Tag::kNone, Tag::kNone, Tag::kCvtU64U32}},
    {{Tag::kCvtS16S8, Tag::kCvtS32S8, Tag::kCvtS64S8},
     {Tag::kNone, Tag::kCvtS32S16, Tag::kCvtS64S16},
     {Tag::kNone, Tag::kNone, Tag::kCvtS64S32}},
};
// The conversion to a narrower register, by the widths 32 and 64 of the source, and 16 and 32 of the result.
constexpr Tag kTruncations[2][2] = {{Tag::kCvtU16U32, Tag::kNone}, {Tag::kCvtU16U64, Tag::kCvtU32U64}};
// Returns the opcode that extends the low bits of a register in place.
std::optional<Opcode> InPlaceExtension(const PeepholeEditor& editor, const Conversion& conversion) {
  const Tag tag = kExtensions[1][IndexOfWidth(conversion.kept)][IndexOfWidth(conversion.bits) - 1];
  for (const Opcode opcode : ptx::OpcodesWith(tag)) {
    const InstrDesc& desc = ptx::PtxTargetInfo().Get(opcode);
    const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(opcode);
    if (desc.num_operands == 2 && operands[0].reg_class == operands[1].reg_class && editor.Supports(opcode)) {
      return opcode;
    }
  }
  return std::nullopt;
}

std::optional<Opcode> FormWithMode(Tag tag) { return tag == Tag::kNone ? std::nullopt : ptx::FindForm(tag, "r"); }

// Replaces the instruction by the conversion of `source`.
bool Convert(PeepholeEditor& editor, MachineInstr& instr, const MachineOperand& source, const Conversion& conversion) {
  const unsigned source_bits = editor.BitsOf(source.reg());
  const auto [kept, bits, is_signed] = conversion;
  if (kept != 8 && kept != 16 && kept != 32 && kept != 64) return false;
  const MachineOperand no_mode = MachineOperand::CreateImm(0);
  if (bits == source_bits) {
    if (kept == bits) return editor.Replace(instr, source);
    // induction-merge reads an index that is extended to 64 bits, but none that is masked. ptxas makes both the same.
    if (bits == 64) return false;
    if (is_signed) return editor.Rewrite(instr, InPlaceExtension(editor, conversion), {source});
    return editor.Rewrite(instr, ptx::FindForm(kAndTags[IndexOfWidth(bits) - 1], "ri"),
                          {source, Immediate(IntegerFacts::LowMask(kept))});
  }
  if (bits < source_bits) {
    if (kept != bits) return false;
    return editor.Rewrite(instr, FormWithMode(kTruncations[source_bits == 64][bits == 32]), {source, no_mode});
  }
  if (std::max(kept, 16u) != source_bits) return false;
  return editor.Rewrite(instr, FormWithMode(kExtensions[is_signed][IndexOfWidth(kept)][IndexOfWidth(bits) - 1]),
                        {source, no_mode});
}

// cvt.u32.u64 (cvt.u64.u32 x)  =>  x, and all other pairs that one conversion or mask can do
bool ComposeConversions(PeepholeEditor& editor, MachineInstr& instr) {
  const std::optional<Conversion> outer = ConversionOf(editor, instr);
  if (!outer.has_value()) return false;
  const MachineInstr* const first = editor.DefOf(instr.operand(1), Family::kCvt);
  const std::optional<Conversion> inner = first == nullptr ? std::nullopt : ConversionOf(editor, *first);
  if (!inner.has_value()) return false;
  const std::optional<Conversion> both = Compose(*inner, *outer);
  if (!both.has_value()) return false;
  const MachineOperand& source = first->operand(1);
  // If the first one stays, two values live where one did, and nothing is saved.
  const bool is_source = both->kept == both->bits && both->bits == editor.BitsOf(source.reg());
  return (is_source || editor.IsOnlyUse(instr.operand(1))) && Convert(editor, instr, source, *both);
}

// cvt.u16.u32 (x & 0xffff)  =>  cvt.u16.u32 x. No bit that the conversion looks at is masked.
bool RemoveMask(PeepholeEditor& editor, MachineInstr& instr) {
  const std::optional<Conversion> conversion = ConversionOf(editor, instr);
  if (!conversion.has_value() || !editor.IsOnlyUse(instr.operand(1))) return false;
  const MachineInstr* const mask = editor.DefOf(instr.operand(1), Family::kAnd);
  if (mask == nullptr || !mask->operand(1).reads_reg()) return false;
  const std::optional<uint64_t> value = editor.Constant(mask->operand(2), 64);
  const uint64_t needed = IntegerFacts::LowMask(conversion->kept);
  return value.has_value() && (*value & needed) == needed && editor.SetOperand(instr, 1, mask->operand(1));
}

// shl.b64 (cvt.s64.s32 x), n  =>  mul.wide.s32 x, 2^n. Where the extension stays, ptxas needs only the upper half of it
// as another register.
bool ScaleInProduct(PeepholeEditor& editor, MachineInstr& shift) {
  if (TagOf(shift) != Tag::kShlB64 || !shift.operand(2).is_imm()) return false;
  const MachineInstr* const extension = editor.DefOf(shift.operand(1), Family::kCvt);
  if (extension == nullptr) return false;
  const std::optional<Conversion> conversion = ConversionOf(editor, *extension);
  if (!conversion.has_value() || conversion->kept != 32 || conversion->bits != 64) return false;
  if (editor.BitsOf(extension->operand(1).reg()) != 32) return false;
  const int64_t amount = shift.operand(2).imm();
  if (amount < 1 || amount > 30) return false;
  const Tag product = conversion->is_signed ? Tag::kMulWideS32 : Tag::kMulWideU32;
  return editor.Rewrite(shift, ptx::FindForm(product, "ri"),
                        {extension->operand(1), Immediate(uint64_t{1} << static_cast<unsigned>(amount))});
}

// ---- Loads that extend.

enum : int64_t { kUnsignedLoad = 0, kSignedLoad = 1 };

std::optional<unsigned> SignOperand(const MachineInstr& load) {
  const absl::Span<const OperandDesc> operands = ptx::PtxTargetInfo().Operands(load.opcode());
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (static_cast<ptx::OperandRole>(operands[i].role) == ptx::OperandRole::kSign) return i;
  }
  return std::nullopt;
}

// Returns the load like this one into a register of another class.
std::optional<Opcode> LoadInto(const MachineInstr& load, RegClassId reg_class) {
  for (const Opcode opcode : ptx::OpcodesWith(ptx::InstrInfo(load.opcode()).semantics)) {
    const bool has_shape = ptx::PtxTargetInfo().Get(opcode).num_operands == load.desc().num_operands;
    if (has_shape && ptx::PtxTargetInfo().Operands(opcode)[0].reg_class == reg_class) return opcode;
  }
  return std::nullopt;
}

// ld.u8 %rs, [a]; cvt.u32.u16 %r, %rs  =>  ld.u8 %r, [a]. Only to 32 bits: those need no more registers than 16, but 64
// bits would, from the load on.
bool ExtendInLoad(PeepholeEditor& editor, MachineInstr& instr) {
  const std::optional<Conversion> outer = ConversionOf(editor, instr);
  if (!outer.has_value() || outer->bits != 32 || !editor.IsOnlyUse(instr.operand(1))) return false;
  MachineInstr* const load = editor.DefOf(instr.operand(1));
  if (load == nullptr || load->desc().num_defs != 1) return false;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(load->opcode());
  if (info.family != Family::kLd && info.family != Family::kLdNc) return false;
  const std::optional<unsigned> sign = SignOperand(*load);
  if (!sign.has_value() || info.width == ptx::PtxInstrInfo::kNoOperand) return false;
  const auto width = static_cast<unsigned>(load->operand(info.width).imm());
  const unsigned register_bits = editor.BitsOf(load->operand(0).reg());
  if (width > register_bits || register_bits != 16) return false;
  const bool load_is_signed = load->operand(*sign).imm() == kSignedLoad;
  const std::optional<Conversion> both = Compose({width, register_bits, load_is_signed}, *outer);
  if (!both.has_value() || both->kept != width || both->bits <= register_bits) return false;
  const std::optional<Opcode> wide = LoadInto(*load, editor.reg_info().reg_class(instr.operand(0).reg()));
  if (!wide.has_value()) return false;
  load->operand(*sign).set_imm(both->is_signed ? kSignedLoad : kUnsignedLoad);
  return editor.TakeResult(*load, *wide, instr);
}

constexpr Family kCvt[] = {Family::kCvt};
constexpr Family kShifts[] = {Family::kShl};

constexpr PeepholeRule kConversionRules[] = {
    {.name = "conversions of conversions joined", .families = kCvt, .apply = ComposeConversions},
    {.name = "masks before conversions removed", .families = kCvt, .apply = RemoveMask},
    {.name = "extensions done by products", .families = kShifts, .apply = ScaleInProduct},
    {.name = "extensions done by loads", .families = kCvt, .apply = ExtendInLoad},
};

}  // namespace

absl::Span<const PeepholeRule> ConversionRules() { return kConversionRules; }

}  // namespace ptxmir::peephole
