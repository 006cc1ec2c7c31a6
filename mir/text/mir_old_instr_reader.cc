// SPDX-License-Identifier: Apache-2.0

// Reads instructions of old LLVMs and adds what they are in LLVM 22.

#include <string>
#include <utility>

#include "base/str_cat.h"
#include "mir/text/mir_body_reader.h"
#include "mir/upgrade/instr_upgrader.h"

namespace ptxmir {

using mir_lexer::FindWord;
using mir_lexer::HasClass;
using mir_lexer::IsEol;
using mir_lexer::IsInstrFlag;
using mir_lexer::kIdentifierStart;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::TextFrom;
using mir_lexer::Word;

namespace {

// Returns true if registers and immediates are where an opcode has them, and registers have its classes.
bool HasKindsOf(const UpgradedInstr& instr, const MachineRegisterInfo& regs, const TargetInfo& target) {
  const absl::Span<const OperandDesc> descs = target.Operands(instr.opcode);
  if (instr.operands.size() < descs.size()) return target.Get(instr.opcode).Has(InstrFlag::kVariadic);
  for (size_t i = 0; i < descs.size(); ++i) {
    const MachineOperand& operand = instr.operands[i];
    if (descs[i].type == OperandType::kImmediate && operand.is_reg()) return false;
    if (descs[i].type != OperandType::kRegister || descs[i].reg_class == kNoRegClass) continue;
    if (!operand.is_reg()) return operand.is_symbol();  // of a parameter
    if (!operand.reg().is_virtual()) continue;
    const RegClassId reg_class = regs.reg_class(operand.reg());
    if (reg_class != kNoRegClass && !target.is_compatible_class(reg_class, descs[i].reg_class)) return false;
  }
  return true;
}

}  // namespace

const char* MirBodyReader::ReadOldInstr(const char* p) {
  const Recipe* recipe = nullptr;
  uint32_t flags = 0;
  const char* const name = ReadOldOpcode(p, &recipe, &flags);
  if (name == nullptr) return nullptr;
  const Opcode opcode = recipe->is_unchanged ? recipe->steps[0].opcode : Opcode{generic::kCopy};
  p = ReadOperands(SkipSpace(SkipIdentifier(name)), opcode);
  if (p == nullptr) return nullptr;
  Trailer trailer;
  if (HasClass(*p, kIdentifierStart)) {
    p = ReadTrailer(p, &trailer);
    if (p == nullptr) return nullptr;
  }
  memoperands_.clear();
  if (p[0] == ':' && p[1] == ':') {
    p = ReadMemOperands(p + 2, opcode);
    if (p == nullptr) return nullptr;
  }
  if (!IsEol(*p)) return Error(p, "expected ',' before the next machine operand");
  return AddUpgraded(name, *recipe, flags, trailer) ? p : nullptr;
}

// Returns the position of the opcode, which follows the flags.
const char* MirBodyReader::ReadOldOpcode(const char* p, const Recipe** recipe, uint32_t* flags) {
  while (true) {
    const char* const name = p;
    p = SkipIdentifier(p);
    if (p == name || !HasClass(*name, kIdentifierStart)) return Error(name, "expected a machine instruction");
    *recipe = file_.recipes->Find(TextFrom(name, p));
    if (*recipe != nullptr) return name;
    const Word word = FindWord(TextFrom(name, p));
    if (!IsInstrFlag(word)) {
      return RefuseOldInstr(name, TextFrom(name, p).starts_with("anonymous_")
                                      ? "has no name, but a number that is another instruction in each version"
                                      : "is in no table of these versions");
    }
    *flags |= 1u << (static_cast<unsigned>(word) - static_cast<unsigned>(Word::kFrameSetup));
    p = SkipSpace(p);
  }
}

bool MirBodyReader::AddUpgraded(const char* name, const Recipe& recipe, uint32_t flags, Trailer& trailer) {
  if (upgrader_ == nullptr) {
    upgrader_ = std::make_unique<InstrUpgrader>(function_, [this](RegClassId reg_class) {
      const Register reg = state_.NewRegister(reg_class);
      state_.NoteDefinition(reg);
      return reg;
    });
  }
  old_name_ = name;
  std::string reason = upgrader_->Upgrade(recipe, operands_, &upgraded_);
  if (reason.empty() && !ties_.empty() && !recipe.is_unchanged) reason = "has tied operands";
  if (reason.empty() && upgraded_.size() > 1 && !block_->empty() &&
      block_->back()->desc().Has(InstrFlag::kTerminator)) {
    reason = "takes several instructions, which cannot stand after a terminator";
  }
  for (const UpgradedInstr& upgraded : upgraded_) {
    if (reason.empty() && !HasKindsOf(upgraded, regs_, file_.target)) reason = "has operands of unknown kinds";
  }
  if (!reason.empty()) return RefuseOldInstr(name, std::move(reason)) != nullptr;
  MachineInstr* instr = nullptr;
  for (const UpgradedInstr& upgraded : upgraded_) {
    const std::string_view opcode = file_.target.Name(upgraded.opcode);
    if (!file_.opcodes.Find(opcode.data(), opcode.size()).has_value()) {
      return ReportUnknownOpcode(name, opcode) != nullptr;
    }
    operands_ = upgraded.operands;
    if (const uint16_t limited = file_.opcodes.LimitedOperands(upgraded.opcode); limited != 0) {
      if (!CheckOperandValues(name, upgraded.opcode, limited)) return false;
    }
    instr = function_.CreateInstr(upgraded.opcode, operands_, trailer.debug_loc, upgraded_.size() == 1 ? flags : 0);
    block_->Append(instr);
    last_instr_ = instr;
  }
  if (instr != nullptr) Finish(*instr, trailer);
  return true;
}

const char* MirBodyReader::RefuseOldInstr(const char* name, std::string reason) {
  OldMirRefusal& refusal = file_.refusal;
  ties_.clear();
  if (refusal.count++ != 0) return nullptr;
  if (refusal.version == OldLlvm::kNone) refusal.version = OldLlvm::k21OrOlder;
  refusal.position = name;
  refusal.opcode = std::string(TextFrom(name, SkipIdentifier(name)));
  refusal.reason = std::move(reason);
  return Error(name, StrCat("'", refusal.opcode, "' ", refusal.reason));
}

}  // namespace ptxmir
