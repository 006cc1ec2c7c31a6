// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/opcode_forms.h"

#include <numeric>
#include <vector>

#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

// The opcodes, sorted by their computation.
struct OpcodeGroups {
  std::vector<uint16_t> first = std::vector<uint16_t>(kNumSemantics + 1, 0);  // by tag: index into `opcodes`
  std::vector<Opcode> opcodes = std::vector<Opcode>(kNumOpcodes);

  OpcodeGroups() {
    for (Opcode opcode = 0; opcode < kNumOpcodes; ++opcode) ++first[TagOf(opcode) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<uint16_t> next(first.begin(), first.end() - 1);
    for (Opcode opcode = 0; opcode < kNumOpcodes; ++opcode) opcodes[next[TagOf(opcode)]++] = opcode;
  }

  static size_t TagOf(Opcode opcode) { return static_cast<size_t>(InstrInfo(opcode).semantics); }
};

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
  const bool are_same_kind = info.family == other_info.family && info.requirement == other_info.requirement;
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

}  // namespace

absl::Span<const Opcode> OpcodesWith(SemanticTag semantics) {
  static const OpcodeGroups* const groups = new OpcodeGroups;
  const size_t tag = static_cast<size_t>(semantics);
  return absl::MakeConstSpan(groups->opcodes).subspan(groups->first[tag], groups->first[tag + 1] - groups->first[tag]);
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

}  // namespace ptxmir::ptx
