// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/opcode_forms.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ptx/isa/template_code.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/isa_tables.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

bool AreSameOperand(const OperandDesc& a, const OperandDesc& b) {
  return a.type == b.type && a.reg_class == b.reg_class && a.role == b.role && a.tied_to == b.tied_to;
}

// Returns true if the two differ only in operand `operand`, which is of type `type` in `other`.
bool DiffersOnlyIn(Opcode opcode, Opcode other, unsigned operand, OperandType type) {
  const InstrDesc& desc = PtxTargetInfo().Get(opcode);
  const InstrDesc& other_desc = PtxTargetInfo().Get(other);
  const PtxInstrInfo& info = InstrInfo(opcode);
  const PtxInstrInfo& other_info = InstrInfo(other);
  const bool have_same_shape = desc.num_operands == other_desc.num_operands && desc.num_defs == other_desc.num_defs;
  // The tag of an atomic says neither its space nor its scope, but its text does: atom.cta.shared.add.u32.
  const bool are_same_kind = info.family == other_info.family && info.requirement == other_info.requirement &&
                             info.space == other_info.space && info.access_bits == other_info.access_bits &&
                             LeadingText(opcode) == LeadingText(other);
  if (!have_same_shape || !are_same_kind) return false;
  const absl::Span<const OperandDesc> operands = PtxTargetInfo().Operands(opcode);
  const absl::Span<const OperandDesc> others = PtxTargetInfo().Operands(other);
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (i == operand ? others[i].type != type : !AreSameOperand(operands[i], others[i])) return false;
  }
  return true;
}

std::optional<Opcode> FormWith(Opcode opcode, unsigned operand, OperandType type) {
  const InstrDesc& desc = PtxTargetInfo().Get(opcode);
  if (operand < desc.num_defs || operand >= desc.num_operands) return std::nullopt;
  const bool is_of_ptx = InstrInfo(opcode).family != Family::kGeneric;
  if (!is_of_ptx || PtxTargetInfo().Operands(opcode)[operand].type == type) return std::nullopt;
  for (const Opcode other : OpcodesWith(InstrInfo(opcode).semantics)) {
    if (other != opcode && DiffersOnlyIn(opcode, other, operand, type)) return other;
  }
  return std::nullopt;
}

// Returns the printing template, with common tails in place. The codes of operands stay as they are.
std::string TemplateOf(Opcode opcode) {
  std::string text;
  const auto* code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + InstrInfo(opcode).template_code;
  while (*code != isa::kEndOp) {
    if (*code == isa::kTailOp) {
      code = reinterpret_cast<const uint8_t*>(isa::kTemplateCode) + isa::TailOffset(code + 1);
      continue;
    }
    const bool is_literal = *code < isa::kPlainOp;
    const size_t size = is_literal ? *code : *code == isa::kListOp ? 4 : 2;
    const auto* const bytes = reinterpret_cast<const char*>(code) + is_literal;
    text.append(bytes, size);
    code += size + is_literal;
  }
  return text;
}

std::string_view SpaceText(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return ".global";
    case MemorySpace::kShared:
      return ".shared";
    case MemorySpace::kSharedCluster:
      return ".shared::cluster";
    case MemorySpace::kConst:
      return ".const";
    case MemorySpace::kLocal:
      return ".local";
    case MemorySpace::kParam:
      return ".param";
    default:
      return {};
  }
}

// The opcodes whose names say a space, by the opcode that takes a generic address and the space.
struct SpaceForms {
  using Key = std::pair<Opcode, MemorySpace>;
  absl::flat_hash_map<Key, Opcode> forms;

  SpaceForms() {
    // Two opcodes that print the same but for the space, with the same operands, do the same.
    absl::flat_hash_map<std::string, Opcode> generic;
    for (Opcode opcode = 0; opcode < kNumOpcodes; ++opcode) {
      const PtxInstrInfo& info = InstrInfo(opcode);
      if (info.space != MemorySpace::kGeneric || info.address == PtxInstrInfo::kNoOperand) continue;
      if (info.template_code != 0) generic.emplace(TemplateOf(opcode), opcode);
    }
    for (Opcode opcode = 0; opcode < kNumOpcodes; ++opcode) {
      const PtxInstrInfo& info = InstrInfo(opcode);
      const std::string_view space = SpaceText(info.space);
      if (space.empty() || info.address == PtxInstrInfo::kNoOperand || info.template_code == 0) continue;
      const std::string text = TemplateOf(opcode);
      const size_t at = text.find(space);
      if (at == text.npos) continue;
      const auto found = generic.find(StrCat(text.substr(0, at), text.substr(at + space.size())));
      if (found != generic.end() && HaveSameOperands(opcode, found->second)) {
        forms.emplace(Key(found->second, info.space), opcode);
      }
    }
  }

  static bool HaveSameOperands(Opcode opcode, Opcode other) {
    const InstrDesc& desc = PtxTargetInfo().Get(opcode);
    const InstrDesc& other_desc = PtxTargetInfo().Get(other);
    if (desc.num_operands != other_desc.num_operands || desc.num_defs != other_desc.num_defs) return false;
    const absl::Span<const OperandDesc> operands = PtxTargetInfo().Operands(opcode);
    const absl::Span<const OperandDesc> others = PtxTargetInfo().Operands(other);
    for (unsigned i = 0; i < operands.size(); ++i) {
      if (!AreSameOperand(operands[i], others[i])) return false;
    }
    return InstrInfo(opcode).family == InstrInfo(other).family;
  }
};

}  // namespace

absl::Span<const Opcode> OpcodesWith(SemanticTag semantics) {
  const uint16_t* const first = &isa::kFirstOfSemantics[static_cast<size_t>(semantics)];
  return absl::MakeConstSpan(isa::kOpcodesBySemantics + first[0], isa::kOpcodesBySemantics + first[1]);
}

std::optional<Opcode> FormWithImmediate(Opcode opcode, unsigned operand) {
  return FormWith(opcode, operand, OperandType::kImmediate);
}

std::optional<Opcode> FormWithRegister(Opcode opcode, unsigned operand) {
  return FormWith(opcode, operand, OperandType::kRegister);
}

std::optional<Opcode> FindForm(SemanticTag semantics, std::string_view kinds) {
  for (const Opcode opcode : OpcodesWith(semantics)) {
    const InstrDesc& desc = PtxTargetInfo().Get(opcode);
    const absl::Span<const OperandDesc> operands = PtxTargetInfo().Operands(opcode);
    bool fits = desc.num_defs + kinds.size() <= operands.size();
    for (size_t i = 0; fits && i < kinds.size(); ++i) {
      const OperandType wanted = kinds[i] == 'i' ? OperandType::kImmediate : OperandType::kRegister;
      fits = operands[desc.num_defs + i].type == wanted;
    }
    if (fits) return opcode;
  }
  return std::nullopt;
}

std::optional<Opcode> FormInSpace(Opcode opcode, MemorySpace space) {
  static const SpaceForms* const forms = new SpaceForms;
  const auto found = forms->forms.find(SpaceForms::Key(opcode, space));
  return found == forms->forms.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ptxmir::ptx
