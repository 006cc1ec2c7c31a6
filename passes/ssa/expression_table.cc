// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/expression_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fingerprint.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns the operands of a commutative instruction that may be exchanged: its first two register sources.
std::pair<unsigned, unsigned> ExchangeableOperands(const MachineInstr& instr, SourceOrder order) {
  constexpr std::pair<unsigned, unsigned> kNone = {0, 0};
  if (order == SourceOrder::kGiven || !ptx::InstrInfo(instr.opcode()).is_commutable()) return kNone;
  const unsigned first = instr.num_explicit_defs();
  if (first + 1 >= instr.num_operands()) return kNone;
  const bool are_registers = instr.operand(first).is_use() && instr.operand(first + 1).is_use();
  return are_registers ? std::pair(first, first + 1) : kNone;
}

uint64_t HashOf(const MachineOperand& operand) {
  Fingerprint hash;
  hash.Add(static_cast<uint64_t>(operand.kind()));
  if (operand.is_reg()) {
    hash.Add(operand.reg().bits());
  } else if (operand.is_imm()) {
    hash.Add(static_cast<uint64_t>(operand.imm()));
  } else if (operand.is_fp_imm()) {
    hash.Add(operand.fp_bits());
  } else if (operand.is_global() || operand.is_symbol()) {
    hash.Add(static_cast<uint64_t>(operand.global()));
    hash.Add(static_cast<uint64_t>(operand.offset()));
  }
  return hash.value();
}

}  // namespace

size_t HashOfExpression(const MachineInstr& instr, SourceOrder order) {
  const auto [first, second] = ExchangeableOperands(instr, order);
  Fingerprint hash;
  hash.Add(instr.opcode(), instr.num_operands());
  for (unsigned i = instr.num_explicit_defs(); i < instr.num_operands(); ++i) {
    if (second != 0 && i == first) {
      const uint64_t a = HashOf(instr.operand(first));
      const uint64_t b = HashOf(instr.operand(second));
      hash.Add(std::min(a, b));
      hash.Add(std::max(a, b));
      ++i;
    } else {
      hash.Add(HashOf(instr.operand(i)));
    }
  }
  return hash.value();
}

bool IsSameExpression(const MachineInstr& a, const MachineInstr& b, SourceOrder order) {
  if (a.opcode() != b.opcode() || a.num_operands() != b.num_operands()) return false;
  const auto [first, second] = ExchangeableOperands(a, order);
  for (unsigned i = a.num_explicit_defs(); i < a.num_operands(); ++i) {
    if (second != 0 && i == first) {
      const bool in_order =
          a.operand(first).IsIdenticalTo(b.operand(first)) && a.operand(second).IsIdenticalTo(b.operand(second));
      const bool exchanged =
          a.operand(first).IsIdenticalTo(b.operand(second)) && a.operand(second).IsIdenticalTo(b.operand(first));
      if (!in_order && !exchanged) return false;
      ++i;
    } else if (!a.operand(i).IsIdenticalTo(b.operand(i))) {
      return false;
    }
  }
  return true;
}

bool HasFormOfExpression(const MachineRegisterInfo& reg_info, const MachineInstr& instr) {
  if (instr.is_phi() || instr.is_copy() || instr.is_debug() || instr.is_implicit_def() || instr.is_inline_asm() ||
      instr.extra() != nullptr) {
    return false;
  }
  return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
    if (!operand.is_reg() || !operand.reg().is_valid()) return true;
    if (operand.is_implicit() || operand.is_tied() || operand.is_undef()) return false;
    return operand.reg().is_virtual() || (!operand.is_def() && reg_info.Defs(operand.reg()).empty());
  });
}

void KeepCommonPromises(MachineInstr& kept, const MachineInstr& gone) {
  constexpr uint32_t kPromises =
      MachineInstr::kFmNoNans | MachineInstr::kFmNoInfs | MachineInstr::kFmNsz | MachineInstr::kFmArcp |
      MachineInstr::kFmContract | MachineInstr::kFmAfn | MachineInstr::kFmReassoc | MachineInstr::kNoUWrap |
      MachineInstr::kNoSWrap | MachineInstr::kIsExact | MachineInstr::kNoFPExcept | MachineInstr::kNonNeg |
      MachineInstr::kDisjoint | MachineInstr::kSameSign | MachineInstr::kNoUSWrap | MachineInstr::kInBounds;
  kept.set_flags(kept.flags() & (gone.flags() | ~kPromises));
  for (unsigned i = 0; i < gone.num_explicit_defs(); ++i) {
    if (!gone.operand(i).is_dead()) kept.operand(i).set_reg_flag(MachineOperand::kDead, false);
  }
}

void ReplaceBySame(MachineInstr& gone, MachineInstr& kept, std::vector<Register>& results,
                   MachineRegisterPressure* pressure) {
  MachineRegisterInfo& reg_info = gone.parent()->function().reg_info();
  KeepCommonPromises(kept, gone);
  results.clear();
  for (const MachineOperand& result : gone.explicit_defs()) results.push_back(result.reg());
  if (pressure != nullptr) pressure->WillErase(gone);
  gone.EraseFromParent();
  for (unsigned i = 0; i < results.size(); ++i) {
    const Register to = kept.operand(i).reg();
    if (pressure != nullptr) pressure->WillReplaceRegister(results[i], to);
    reg_info.ReplaceRegister(results[i], to);
    reg_info.ClearKillFlags(to);
  }
}

}  // namespace ptxmir
