// SPDX-License-Identifier: Apache-2.0

// Verifier: checks single instructions against the target's description of their opcode.
//
// As in real MIR, there is one exception to "a register operand is a register": if the description gives an
// operand a role of its own (MOV64_PARAM's symbol), a symbol or global may take the place of the register.

#include <algorithm>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "mir/verify/verifier_checks.h"

namespace ptxmir {
namespace {

using OperandKind = MachineOperand::Kind;

class InstrChecker {
 public:
  InstrChecker(const MachineFunction& function, VerifierReport& report)
      : function_(function), reg_info_(function.reg_info()), target_(function.target()), report_(report) {}

  void Run();

 private:
  void CheckFunction();
  void CheckInstr(const MachineInstr& instr);
  void CheckMemOperands(const MachineInstr& instr, const InstrDesc& desc);
  void CheckInlineAsm(const MachineInstr& instr);
  void CheckCopy(const MachineInstr& instr);
  bool IsPlainlyRight(const MachineOperand& operand, bool is_def, const OperandDesc& desc) const;
  void CheckOperand(const MachineInstr& instr, unsigned index);
  void CheckDefinition(const MachineInstr& instr, unsigned index);
  void CheckFixedOperand(const MachineInstr& instr, unsigned index, const OperandDesc& desc);
  void CheckDescribedTie(const MachineInstr& instr, unsigned index, const OperandDesc& desc);
  void CheckRegisterOperand(const MachineInstr& instr, unsigned index, const OperandDesc* desc);
  void CheckRegisterClass(const MachineInstr& instr, unsigned index, const OperandDesc* desc);
  void CheckTieLinks(const MachineInstr& instr, unsigned index);
  void CheckReference(const MachineInstr& instr, unsigned index);
  uint32_t RegisterBits(Register reg) const;

  const MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const TargetInfo& target_;
  VerifierReport& report_;
};

void InstrChecker::Run() {
  CheckFunction();
  const bool no_phis = function_.HasProperty(FunctionProperty::kNoPhis);
  for (const MachineBasicBlock& block : function_) {
    bool after_phis = false;
    for (const MachineInstr& instr : block) {
      if (instr.is_phi()) {
        if (no_phis) report_.Instr("Found PHI instruction with NoPHIs property set", instr);
        if (after_phis) report_.Instr("Found PHI instruction after non-PHI", instr);
      } else {
        after_phis = true;
      }
      CheckInstr(instr);
    }
  }
}

void InstrChecker::CheckFunction() {
  for (size_t i = 0; i < function_.jump_tables().size(); ++i) {
    for (const BlockNumber block : function_.jump_tables()[i].blocks) {
      if (function_.block(block) != nullptr) continue;
      report_.Function("Jump table names a basic block that does not exist");
      report_.Note(StrCat("%jump-table.", i, " names %bb.", block, "."));
    }
  }
  for (const MachineRegisterInfo::FunctionLiveIn& live_in : reg_info_.live_ins()) {
    if (!live_in.physical.is_physical() || live_in.physical.bits() >= target_.phys_regs.size()) {
      report_.Function("Function live-in is not a physical register");
    }
    const Register reg = live_in.virtual_register;
    if (reg.is_valid() && (!reg.is_virtual() || reg.virtual_index() >= reg_info_.num_virtual_registers())) {
      report_.Function("Function live-in is copied to a register that does not exist");
    }
  }
}

void InstrChecker::CheckInstr(const MachineInstr& instr) {
  const InstrDesc& desc = target_.Get(instr.opcode());
  if (instr.num_operands() < desc.num_operands) {
    report_.Instr("Too few operands", instr);
    report_.Note(StrCat(desc.num_operands, " operands expected, but ", instr.num_operands(), " given."));
  }
  if (instr.has_flag(MachineInstr::kNoConvergent) && !desc.Has(InstrFlag::kConvergent)) {
    report_.Instr("NoConvergent flag expected only on convergent instructions.", instr);
  }
  if (instr.opcode() == generic::kDbgValue && instr.num_operands() == 4 &&
      instr.debug_loc() == MachineInstr::kNoDebugLoc) {
    report_.Instr("Missing DebugLoc for debug instruction", instr);
  }
  if (instr.is_meta() && instr.extra() != nullptr && instr.extra()->debug_instr_number != 0) {
    report_.Instr("Metadata instruction should not have a value tracking number", instr);
  }
  if (desc.Has(InstrFlag::kPreIsel) && function_.HasProperty(FunctionProperty::kSelected)) {
    report_.Instr("Unexpected generic instruction in a Selected function", instr);
  }
  CheckMemOperands(instr, desc);
  if (instr.is_inline_asm()) CheckInlineAsm(instr);
  const bool is_debug = instr.is_debug();
  const absl::Span<const MachineOperand> operands = instr.operands();
  const unsigned num_described = is_debug ? 0 : std::min<unsigned>(desc.num_operands, instr.num_operands());
  const OperandDesc* const described = target_.operand_descs.data() + desc.first_operand;
  for (unsigned i = 0; i < num_described; ++i) {
    if (!IsPlainlyRight(operands[i], i < desc.num_defs, described[i])) CheckOperand(instr, i);
  }
  for (unsigned i = num_described; i < operands.size(); ++i) CheckOperand(instr, i);
  if (instr.is_copy()) CheckCopy(instr);
}

// An opcode with unmodeled side effects may access memory regardless of its flags (ld.global.nc).
void InstrChecker::CheckMemOperands(const MachineInstr& instr, const InstrDesc& desc) {
  bool may_load = desc.Has(InstrFlag::kMayLoad | InstrFlag::kSideEffects);
  bool may_store = desc.Has(InstrFlag::kMayStore | InstrFlag::kSideEffects);
  if (instr.is_inline_asm() && instr.num_operands() > 1) {
    may_load |= InlineAsmHas(instr, InlineAsmProperty::kMayLoad | InlineAsmProperty::kSideEffects);
    may_store |= InlineAsmHas(instr, InlineAsmProperty::kMayStore | InlineAsmProperty::kSideEffects);
  }
  for (const MachineMemOperand* mem : instr.memoperands()) {
    if (mem->is_load() && !may_load) report_.Instr("Missing mayLoad flag", instr);
    if (mem->is_store() && !may_store) report_.Instr("Missing mayStore flag", instr);
    if (mem->value_kind == MachineMemOperand::ValueKind::kFrameIndex &&
        !function_.frame_info().IsValid(mem->frame_index)) {
      report_.Instr("Memory operand names a frame index that does not exist", instr);
    }
    if (mem->base_align_log2 < mem->align_log2) {
      report_.Instr("Memory operand is more aligned than its base", instr);
    }
  }
}

void InstrChecker::CheckInlineAsm(const MachineInstr& instr) {
  if (instr.num_operands() < kInlineAsmFirstGroup) {
    report_.Instr("Too few operands on inline asm", instr);
    return;
  }
  if (!instr.operand(0).is_symbol()) report_.Instr("Asm string must be an external symbol", instr);
  if (!instr.operand(1).is_imm()) {
    report_.Instr("Asm flags must be an immediate", instr);
  } else if (instr.operand(1).imm() < 0 || instr.operand(1).imm() > 127) {
    report_.Operand("Unknown asm flags", instr, 1);
  }
  unsigned i = kInlineAsmFirstGroup;
  while (i < instr.num_operands() && instr.operand(i).is_imm()) {
    const InlineAsmGroup group(instr.operand(i).imm());
    const unsigned end = i + 1 + group.num_operands();
    for (unsigned k = i + 1; k < end && k < instr.num_operands(); ++k) {
      const MachineOperand& operand = instr.operand(k);
      if (!group.is_register()) continue;
      if (!operand.is_reg()) {
        report_.Operand("Asm register group holds something else", instr, k);
      } else if (operand.is_def() != group.is_def()) {
        report_.Operand("Asm operand disagrees with its group on what is defined", instr, k);
      } else if (group.is_tied() && !operand.is_tied()) {
        report_.Operand("Asm operand is not tied although its group is", instr, k);
      }
    }
    i = end;
  }
  if (i > instr.num_operands()) {
    report_.Instr("Missing operands in last group", instr);
    return;
  }
  if (i < instr.num_operands() && instr.operand(i).is_metadata()) ++i;
  for (; i < instr.num_operands(); ++i) {
    if (!instr.operand(i).is_reg() || !instr.operand(i).is_implicit()) {
      report_.Operand("Expected implicit register after groups", instr, i);
    }
  }
}

uint32_t InstrChecker::RegisterBits(Register reg) const {
  if (!reg.is_virtual()) return 0;
  const RegClassId reg_class = reg_info_.reg_class(reg);
  return reg_class < target_.reg_classes.size() ? target_.reg_classes[reg_class].bits : 0;
}

void InstrChecker::CheckCopy(const MachineInstr& instr) {
  if (instr.num_operands() < 2 || !instr.operand(0).is_reg() || !instr.operand(1).is_reg()) return;
  const uint32_t to = RegisterBits(instr.operand(0).reg());
  const uint32_t from = RegisterBits(instr.operand(1).reg());
  if (to != 0 && from != 0 && to != from) {
    report_.Instr("Copy Instruction is illegal with mismatching sizes", instr);
    report_.Note(StrCat("Def Size = ", to, ", Src Size = ", from));
  }
}

// Returns true for operands in which CheckOperand would find no error. This fast path covers nearly all operands:
// a virtual register of exactly the expected class, or an immediate.
inline bool InstrChecker::IsPlainlyRight(const MachineOperand& operand, bool is_def, const OperandDesc& desc) const {
  if (desc.tied_to >= 0) return false;
  if (operand.is_imm()) return !is_def && desc.type != OperandType::kRegister;
  if (!operand.is_reg() || operand.is_tied() || desc.type != OperandType::kRegister) return false;
  const uint32_t ignored = is_def ? MachineOperand::kDead : MachineOperand::kKill;
  const uint32_t expected = is_def ? MachineOperand::kDefine : 0;
  return (operand.reg_flags() & ~ignored) == expected && operand.reg().is_virtual() && desc.reg_class != kNoRegClass &&
         reg_info_.reg_class(operand.reg()) == desc.reg_class;
}

void InstrChecker::CheckOperand(const MachineInstr& instr, unsigned index) {
  const InstrDesc& desc = target_.Get(instr.opcode());
  const MachineOperand& operand = instr.operand(index);
  const OperandDesc* operand_desc = nullptr;
  if (index < desc.num_operands) operand_desc = &target_.operand_descs[desc.first_operand + index];
  if (index < desc.num_defs) {
    CheckDefinition(instr, index);
  } else if (operand_desc != nullptr) {
    CheckFixedOperand(instr, index, *operand_desc);
  } else if (!desc.Has(InstrFlag::kVariadic)) {
    const bool may_follow = (operand.is_reg() && operand.is_implicit()) || operand.is_metadata() ||
                            operand.kind() == OperandKind::kRegisterMask || operand.kind() == OperandKind::kMCSymbol;
    if (!may_follow) report_.Operand("Extra explicit operand on non-variadic instruction", instr, index);
  }
  if (operand.is_reg()) {
    CheckRegisterOperand(instr, index, operand_desc);
  } else {
    CheckReference(instr, index);
  }
}

void InstrChecker::CheckDefinition(const MachineInstr& instr, unsigned index) {
  const MachineOperand& operand = instr.operand(index);
  if (!operand.is_reg()) {
    report_.Operand("Explicit definition must be a register", instr, index);
  } else if (!operand.is_def()) {
    report_.Operand("Explicit definition marked as use", instr, index);
  } else if (operand.is_implicit()) {
    report_.Operand("Explicit definition marked as implicit", instr, index);
  }
}

void InstrChecker::CheckFixedOperand(const MachineInstr& instr, unsigned index, const OperandDesc& desc) {
  const MachineOperand& operand = instr.operand(index);
  const InstrDesc& instr_desc = target_.Get(instr.opcode());
  // The last fixed operand of a variadic instruction may be anything.
  const bool is_checked = !instr_desc.Has(InstrFlag::kVariadic) || index + 1u != instr_desc.num_operands;
  if (is_checked) {
    if (operand.is_reg()) {
      if (operand.is_def()) report_.Operand("Explicit operand marked as def", instr, index);
      if (operand.is_implicit()) report_.Operand("Explicit operand marked as implicit", instr, index);
      if (desc.type == OperandType::kImmediate) {
        report_.Operand("Expected a non-register operand.", instr, index);
      }
    } else if (desc.type == OperandType::kRegister && !operand.is_frame_index()) {
      const bool is_symbol = operand.is_symbol() || operand.is_global();
      if (!is_symbol || desc.role == 0) report_.Operand("Expected a register operand.", instr, index);
    }
  }
  CheckDescribedTie(instr, index, desc);
}

void InstrChecker::CheckDescribedTie(const MachineInstr& instr, unsigned index, const OperandDesc& desc) {
  const MachineOperand& operand = instr.operand(index);
  if (desc.tied_to < 0) {
    if (operand.is_reg() && operand.is_tied()) {
      report_.Operand("Explicit operand should not be tied", instr, index);
    }
  } else if (!operand.is_reg()) {
    report_.Operand("Tied use must be a register", instr, index);
  } else if (!operand.is_tied()) {
    report_.Operand("Operand should be tied", instr, index);
  } else if (instr.FindTiedOperand(index) != static_cast<unsigned>(desc.tied_to)) {
    report_.Operand("Tied def doesn't match MCInstrDesc", instr, index);
  }
}

void InstrChecker::CheckRegisterOperand(const MachineInstr& instr, unsigned index, const OperandDesc* desc) {
  const MachineOperand& operand = instr.operand(index);
  if (instr.is_debug() && operand.is_use()) {
    if (!operand.is_debug()) report_.Operand("Register operand must be marked debug", instr, index);
  } else if (operand.is_debug()) {
    report_.Operand("Register operand must not be marked debug", instr, index);
  }
  const Register reg = operand.reg();
  if (!reg.is_valid()) return;
  if (operand.is_def() && operand.is_kill()) {
    report_.Operand("Definition marked as kill", instr, index);
  }
  if (operand.is_use() && operand.is_dead()) {
    report_.Operand("Use marked as dead", instr, index);
  }
  if (operand.is_def() && operand.is_undef() && reg.is_virtual()) {
    report_.Operand("Undef virtual register def operands require a subregister", instr, index);
  }
  if (operand.is_tied()) CheckTieLinks(instr, index);
  CheckRegisterClass(instr, index, desc);
}

void InstrChecker::CheckTieLinks(const MachineInstr& instr, unsigned index) {
  const unsigned other_index = instr.FindTiedOperand(index);
  if (other_index >= instr.num_operands() || !instr.operand(other_index).is_reg()) {
    report_.Operand("Must be tied to a register", instr, index);
    return;
  }
  const MachineOperand& other = instr.operand(other_index);
  if (!other.is_tied()) {
    report_.Operand("Missing tie flags on tied operand", instr, index);
  } else if (instr.FindTiedOperand(other_index) != index) {
    report_.Operand("Inconsistent tie links", instr, index);
  }
}

void InstrChecker::CheckRegisterClass(const MachineInstr& instr, unsigned index, const OperandDesc* desc) {
  const MachineOperand& operand = instr.operand(index);
  const Register reg = operand.reg();
  const RegClassId wanted = desc != nullptr && desc->type == OperandType::kRegister ? desc->reg_class : kNoRegClass;
  const auto class_name = [&](RegClassId id) { return target_.reg_classes[id].name; };
  if (reg.is_physical()) {
    if (wanted == kNoRegClass || reg.bits() >= 128) return;
    const uint64_t member = target_.reg_classes[wanted].member_mask[reg.bits() / 64] >> (reg.bits() % 64);
    if ((member & 1) == 0) {
      report_.Operand("Illegal physical register for instruction", instr, index);
      report_.Note(StrCat(VerifierRegisterName(function_, reg), " is not a ", class_name(wanted), " register."));
    }
    return;
  }
  const RegClassId actual = reg_info_.reg_class(reg);
  if (actual >= target_.reg_classes.size()) {
    // A debug value may name a register that no longer exists.
    if (instr.is_debug() && reg_info_.Defs(reg).empty()) return;
    if (function_.HasProperty(FunctionProperty::kSelected)) {
      report_.Operand("Generic virtual register invalid in a Selected function", instr, index);
    } else if (!reg_info_.type(reg).is_valid()) {
      report_.Operand("Generic virtual register must have a valid type", instr, index);
    }
    return;
  }
  if (wanted != kNoRegClass && !target_.is_compatible_class(actual, wanted)) {
    report_.Operand("Illegal virtual register for instruction", instr, index);
    report_.Note(StrCat("Expected a ", class_name(wanted), " register, but got a ", class_name(actual), " register"));
  }
}

// Checks operands that refer to something by number.
void InstrChecker::CheckReference(const MachineInstr& instr, unsigned index) {
  const MachineOperand& operand = instr.operand(index);
  switch (operand.kind()) {
    case OperandKind::kBlock:
      if (function_.block(operand.block()) == nullptr) {
        report_.Operand("Operand names a basic block that does not exist", instr, index);
      }
      break;
    case OperandKind::kFrameIndex:
      if (!function_.frame_info().IsValid(operand.frame_index())) {
        report_.Operand("Operand names a frame index that does not exist", instr, index);
      } else if (function_.frame_info().object(operand.frame_index()).is_dead) {
        report_.Operand("Operand names a dead stack object", instr, index);
      }
      break;
    case OperandKind::kConstantPoolIndex:
      if (operand.index() >= function_.constants().size()) {
        report_.Operand("Operand names a constant that does not exist", instr, index);
      }
      break;
    case OperandKind::kJumpTableIndex:
      if (operand.index() >= function_.jump_tables().size()) {
        report_.Operand("Operand names a jump table that does not exist", instr, index);
      }
      break;
    default:
      break;
  }
}

}  // namespace

void CheckInstrs(const MachineFunction& function, VerifierReport& report) { InstrChecker(function, report).Run(); }

}  // namespace ptxmir
