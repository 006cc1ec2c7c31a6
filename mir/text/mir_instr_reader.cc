// SPDX-License-Identifier: Apache-2.0

// Reads instructions and their common operands: registers, immediates, blocks, symbols.

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "mir/code/nearest_opcode.h"
#include "mir/text/mir_body_reader.h"
#include "mir/upgrade/old_llvm.h"

namespace ptxmir {

using mir_lexer::FindWord;
using mir_lexer::HasClass;
using mir_lexer::IsDigit;
using mir_lexer::IsEol;
using mir_lexer::IsIdentifier;
using mir_lexer::IsInstrFlag;
using mir_lexer::kIdentifierStart;
using mir_lexer::ScanUnsigned;
using mir_lexer::SkipIdentifier;
using mir_lexer::SkipSpace;
using mir_lexer::Spelling;
using mir_lexer::TextFrom;
using mir_lexer::Word;

namespace {

// Returns the register flag that a word stands for, or 0 if there is none.
uint16_t RegFlagOf(Word word) {
  switch (word) {
    case Word::kDef:
      return MachineOperand::kDefine;
    case Word::kImplicit:
      return MachineOperand::kImplicit;
    case Word::kImplicitDef:
      return MachineOperand::kImplicit | MachineOperand::kDefine;
    case Word::kDead:
      return MachineOperand::kDead;
    case Word::kKilled:
      return MachineOperand::kKill;
    case Word::kUndef:
      return MachineOperand::kUndef;
    case Word::kInternal:
      return MachineOperand::kInternalRead;
    case Word::kEarlyClobber:
      return MachineOperand::kEarlyClobber;
    case Word::kDebugUse:
      return MachineOperand::kDebug;
    case Word::kRenamable:
      return MachineOperand::kRenamable;
    default:
      return 0;
  }
}

bool IsTrailer(Word word) { return word >= Word::kDebugLocation && word <= Word::kCfiType; }

}  // namespace

// Registers.

const char* MirBodyReader::ReadVirtualRegister(const char* p, Register* reg) {
  if (!IsDigit(p[1])) return ReadNamedVirtualRegister(p, reg);
  uint64_t number = 0;
  bool overflow = false;
  const char* end = ScanUnsigned(p + 1, &number, &overflow);
  const std::optional<Register> found = overflow ? std::nullopt : state_.NumberedRegister(number);
  if (!found.has_value()) [[unlikely]] {
    return Error(
        p, StrCat("virtual register number ", TextFrom(p, end), " is out of proportion to the size of the input"));
  }
  *reg = *found;
  return end;
}

const char* MirBodyReader::ReadNamedVirtualRegister(const char* p, Register* reg) {
  const char* name = p + 1;
  const char* end = SkipIdentifier(name);
  if (end == name) return Error(p, "unexpected character '%'");
  *reg = state_.NamedRegister(TextFrom(name, end));
  return end;
}

const char* MirBodyReader::ReadPhysicalRegister(const char* p, Register* reg) {
  const char* name = p + 1;
  const char* end = SkipIdentifier(name);
  if (end == name) return Error(p, "unexpected character '$'");
  const auto it = file_.phys_regs.find(TextFrom(name, end));
  if (it == file_.phys_regs.end()) {
    return Error(p, StrCat("unknown register name '", TextFrom(name, end), "'"));
  }
  *reg = Register::Physical(it->second);
  return end;
}

const char* MirBodyReader::ReadRegisterOperand(const char* p, uint16_t flags) {
  Register reg;
  if (*p == '%' && IsDigit(p[1])) [[likely]] {
    p = ReadVirtualRegister(p, &reg);
  } else if (*p == '$') {
    p = ReadPhysicalRegister(p, &reg);
  } else if (*p == '%') {
    p = ReadNamedVirtualRegister(p, &reg);
  } else if (*p == '_' && !IsIdentifier(p[1])) {
    ++p;
  } else {
    return Error(p, "expected a register after register flags");
  }
  if (p == nullptr) return nullptr;
  const char* suffix = p;
  if (*p == ':' || *p == '(' || *p == '.') {
    // "::" begins memory operands, even directly after a register.
    if (p[0] != ':' || p[1] != ':') p = ReadRegisterSuffix(p, reg, flags);
  } else if (*p == ' ' && p[1] == '(') {
    p = ReadRegisterSuffix(p + 1, reg, flags);
  }
  if (p == nullptr) return nullptr;
  if (flags & MachineOperand::kDefine) {
    if (flags & MachineOperand::kKill) [[unlikely]] {
      return Error(SkipSpace(p), "cannot have a killed def operand");
    }
    if (reg.is_virtual()) {
      state_.NoteDefinition(reg);
      if (suffix == p && !state_.generic.empty() && state_.IsGeneric(reg) && !regs_.type(reg).is_valid()) [[unlikely]] {
        return Error(suffix, "generic virtual registers must have a type");
      }
    }
  } else if (flags & MachineOperand::kDead) [[unlikely]] {
    return Error(SkipSpace(p), "cannot have a dead use operand");
  }
  operands_.push_back(MachineOperand::CreateReg(reg, flags));
  return p;
}

// Reads "killed renamable %5", with at least one flag. `p` is at the first flag.
const char* MirBodyReader::ReadFlaggedRegister(const char* p, uint16_t flags) {
  while (HasClass(*p, kIdentifierStart)) {
    const char* begin = p;
    p = SkipIdentifier(p);
    const std::string_view text = TextFrom(begin, p);
    const uint16_t flag = RegFlagOf(FindWord(text));
    if (flag == 0) {
      p = begin;
      break;
    }
    if ((flags & flag) == flag && begin != p && flag != MachineOperand::kDefine) {
      return Error(begin, StrCat("duplicate '", text, "' register flag"));
    }
    flags |= flag;
    p = SkipSpace(p);
  }
  return ReadRegisterOperand(p, flags);
}

const char* MirBodyReader::ReadRegisterSuffix(const char* p, Register reg, uint16_t flags) {
  if (*p == '.') {
    const char* end = SkipIdentifier(p + 1);
    if (!reg.is_virtual()) return Error(p, "subregister index expects a virtual register");
    return Error(p + 1, StrCat("use of unknown subregister index '", TextFrom(p + 1, end), "'"));
  }
  if (*p == ':') {
    if (!reg.is_virtual()) {
      return Error(p, "register class specification expects a virtual register");
    }
    p = ReadRegisterClass(p + 1, reg);
    if (p == nullptr) return nullptr;
  }
  if (*p == '(') return ReadParenthesizedSuffix(p + 1, reg, flags);
  return p;
}

const char* MirBodyReader::ReadRegisterClass(const char* p, Register reg) {
  const char* begin = p;
  p = SkipIdentifier(p);
  const std::string_view name = TextFrom(begin, p);
  const RegClassId known = regs_.reg_class(reg);
  if (const RegClassId reg_class = file_.FindRegClass(name); reg_class != kNoRegClass) [[likely]] {
    if (known == reg_class) return p;
    if (known != kNoRegClass) {
      return Error(begin, StrCat("conflicting register classes, previously: ", file_.target.reg_classes[known].name));
    }
    if (!state_.generic.empty() && state_.IsGeneric(reg)) {
      return Error(begin, "register class specification on generic register");
    }
    regs_.set_reg_class(reg, reg_class);
    return p;
  }
  if (name != "_") return Error(begin, "expected '_', register class, or register bank name");
  if (known != kNoRegClass) return Error(begin, "register bank specification on normal register");
  state_.generic.insert(reg.virtual_index());
  return p;
}

// Reads "tied-def 3)" or a low-level type.
const char* MirBodyReader::ReadParenthesizedSuffix(const char* p, Register reg, uint16_t flags) {
  const char* begin = p = SkipSpace(p);
  const bool is_def = (flags & MachineOperand::kDefine) != 0;
  if (!is_def && std::strncmp(p, "tied-def", 8) == 0) {
    p = SkipSpace(p + 8);
    uint64_t def = 0;
    if (!IsDigit(*p)) return Error(p, "expected an integer literal after 'tied-def'");
    p = ReadInteger(p, ~uint32_t{0}, "an integer literal", &def);
    if (p == nullptr) return nullptr;
    ties_.push_back({static_cast<unsigned>(operands_.size()), static_cast<unsigned>(def), begin});
    p = SkipSpace(p);
    return *p == ')' ? p + 1 : ErrorExpected(p, ')');
  }
  if (!reg.is_virtual()) return Error(p, "unexpected type on physical register");
  LowLevelType type;
  if (!is_def && *p != 's' && *p != 'p' && *p != '<') {
    return Error(p, "expected tied-def or low-level type after '('");
  }
  p = ReadLowLevelType(p, &type);
  if (p == nullptr) return nullptr;
  p = SkipSpace(p);
  if (*p != ')') return ErrorExpected(p, ')');
  const LowLevelType known = regs_.type(reg);
  if (known.is_valid() && known != type) {
    return Error(begin, "inconsistent type for generic virtual register");
  }
  regs_.set_type(reg, type);
  if (regs_.reg_class(reg) == kNoRegClass) state_.generic.insert(reg.virtual_index());
  return p + 1;
}

// Instructions.

const char* MirBodyReader::ReadInstr(const char* p) {
  operands_.clear();
  if (*p == '%' || *p == '$') {
    p = ReadDefinitions(p);
  } else if (HasClass(*p, kIdentifierStart) && (*p < 'A' || *p > 'Z')) {
    const std::string_view word = TextFrom(p, SkipIdentifier(p));
    if (RegFlagOf(FindWord(word)) != 0 || word == "_") p = ReadDefinitions(p);
  }
  if (p == nullptr) return nullptr;
  if (file_.recipes != nullptr) [[unlikely]]
    return ReadOldInstr(p);
  Opcode opcode;
  uint32_t flags = 0;
  const char* const name = p;
  p = ReadOpcode(p, &opcode, &flags);
  if (p == nullptr) return file_.recipes != nullptr ? ReadOldInstr(name) : nullptr;
  p = ReadOperands(p, opcode);
  if (p == nullptr) return nullptr;
  const InstrDesc& desc = file_.target.Get(opcode);
  if (operands_.size() + 1 == desc.num_operands && HasNewOperand(file_.target.Name(opcode))) [[unlikely]] {
    return RefuseOldInstr(name, "lacks the mask of used bytes, an operand that LLVM 22 added");
  }
  if (const uint16_t limited = file_.opcodes.LimitedOperands(opcode); limited != 0) {
    if (!CheckOperandValues(name, opcode, limited)) return nullptr;
  }
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
  const bool opens_bundle = *p == '{';
  if (!IsEol(*p) && !opens_bundle && *p != '}') [[unlikely]] {
    return Error(p, "expected ',' before the next machine operand");
  }
  if (opens_bundle && bundle_ != nullptr) {
    return Error(p, "nested instruction bundles are not allowed");
  }
  MachineInstr* instr = function_.CreateInstr(opcode, operands_, trailer.debug_loc, flags);
  block_->Append(instr);
  if (bundle_ != nullptr) {
    last_instr_->set_flag(MachineInstr::kBundledSucc, true);
    instr->set_flag(MachineInstr::kBundledPred, true);
  }
  last_instr_ = instr;
  Finish(*instr, trailer);
  if (opens_bundle) {
    bundle_ = p;
    p = SkipSpace(p + 1);
  }
  return p;
}

// Reports an operand with a value that the module's GPU lacks.
bool MirBodyReader::CheckOperandValues(const char* p, Opcode opcode, uint16_t limited) {
  for (unsigned i = 0; limited >> i != 0 && i < operands_.size(); ++i) {
    if ((limited >> i & 1) == 0 || !operands_[i].is_imm()) continue;
    const int64_t value = operands_[i].imm();
    if (file_.opcodes.SupportsValue(opcode, i, value)) [[likely]]
      continue;
    Error(p, StrCat("'", file_.target.StableName(opcode), "' ",
                    file_.opcodes.WhyUnsupported(opcode, static_cast<int>(i), value)));
    return false;
  }
  return true;
}

const char* MirBodyReader::ReadDefinitions(const char* p) {
  while (true) {
    p = HasClass(*p, kIdentifierStart) && !(*p == '_' && !IsIdentifier(p[1]))
            ? ReadFlaggedRegister(p, MachineOperand::kDefine)
            : ReadRegisterOperand(p, MachineOperand::kDefine);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p != ',') break;
    p = SkipSpace(p + 1);
    if (*p != '%' && *p != '$' && !HasClass(*p, kIdentifierStart)) break;
  }
  if (*p != '=') return ErrorExpected(p, '=');
  return SkipSpace(p + 1);
}

const char* MirBodyReader::ReadOpcode(const char* p, Opcode* opcode, uint32_t* flags) {
  while (true) {
    const char* begin = p;
    p = SkipIdentifier(p);
    const size_t size = static_cast<size_t>(p - begin);
    if (size == 0) return Error(begin, "expected a machine instruction");
    // Look for an opcode first; words before it are less common.
    const std::optional<Opcode> found = file_.opcodes.Find(begin, size);
    if (found.has_value()) [[likely]] {
      *opcode = *found;
      return SkipSpace(p);
    }
    const Word word = FindWord({begin, size});
    if (!IsInstrFlag(word)) {
      if (word != Word::kNone) return Error(begin, "expected a machine instruction");
      if (!HasClass(*begin, kIdentifierStart)) return Error(begin, "expected a machine instruction");
      if (file_.IsOld()) return nullptr;  // the caller reads the instruction as an old one
      return ReportUnknownOpcode(begin, {begin, size});
    }
    *flags |= 1u << (static_cast<unsigned>(word) - static_cast<unsigned>(Word::kFrameSetup));
    p = SkipSpace(p);
  }
}

const char* MirBodyReader::ReportUnknownOpcode(const char* p, std::string_view name) {
  if (const std::optional<Opcode> opcode = file_.target.find_opcode(name); opcode.has_value()) {
    return Error(p, StrCat("'", name, "' ", file_.opcodes.WhyUnsupported(*opcode)));
  }
  if (file_.IsOpcodeOfOldLlvm(name)) return RefuseOldInstr(p, "is an opcode of older versions");
  NearestName nearest(name);
  // Names that are far longer than any opcode are damaged input, not spelling mistakes.
  if (name.size() <= 100) ConsiderOpcodes(file_.target, nearest);
  return Error(p, StrCat("unknown machine instruction name '", name, "'", nearest.Suggestion()));
}

const char* MirBodyReader::ReadOperands(const char* p, Opcode opcode) {
  if (opcode == generic::kCfiInstruction) return ReadCfi(p);
  while (!IsEol(*p)) {
    switch (*p) {
      case '%':
        p = IsDigit(p[1]) ? ReadRegisterOperand(p, 0) : ReadPercentOperand(p);
        break;
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        p = ReadImmediate(p);
        break;
      case '&':
        p = ReadSymbolOperand(p);
        break;
      case ':':
      case '{':
      case '}':
        return p;
      default: {
        if (!HasClass(*p, kIdentifierStart)) {
          p = ReadRareOperand(p);
          break;
        }
        const Word word = FindWord(TextFrom(p, SkipIdentifier(p)));
        if (IsTrailer(word)) return p;
        p = RegFlagOf(word) != 0 ? ReadFlaggedRegister(p, 0) : ReadWordOperand(p, opcode);
        break;
      }
    }
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p == ',') [[likely]] {
      p = SkipSpace(p + 1);
      continue;
    }
    if (!IsEol(*p) && *p != ':' && *p != '{' && *p != '}') [[unlikely]] {
      return Error(p, "expected ',' before the next machine operand");
    }
    break;
  }
  return p;
}

const char* MirBodyReader::ReadPercentOperand(const char* p) {
  if (AtBlockLabel(p + 1)) {
    MachineBasicBlock* block = nullptr;
    p = ReadBlockReference(p, &block);
    if (p != nullptr) operands_.push_back(MachineOperand::CreateBlock(block->number()));
    return p;
  }
  return ReadIndexedOperand(p);
}

const char* MirBodyReader::ReadImmediate(const char* p) {
  const char* begin = p;
  const bool is_negative = *p == '-';
  if (is_negative) ++p;
  if (!IsDigit(*p)) return Error(begin, "expected a machine operand");
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return Error(begin, "expected a machine operand");
  uint64_t value = 0;
  bool overflow = false;
  p = ScanUnsigned(p, &value, &overflow);
  if (overflow || (is_negative && value > uint64_t{1} << 63)) [[unlikely]] {
    return Error(begin, "integer literal is too large to be an immediate operand");
  }
  if (IsIdentifier(*p)) [[unlikely]] {
    return Error(p, "expected ',' before the next machine operand");
  }
  operands_.push_back(MachineOperand::CreateImm(static_cast<int64_t>(is_negative ? -value : value)));
  return p;
}

// Reads the text after the operands.

const char* MirBodyReader::ReadTrailer(const char* p, Trailer* trailer) {
  InstrExtra& extra = trailer->extra;
  while (HasClass(*p, kIdentifierStart)) {
    const char* begin = p;
    p = SkipIdentifier(p);
    const Word word = FindWord(TextFrom(begin, p));
    const char* rest = SkipSpace(p);
    uint64_t number = 0;
    trailer->has_extra |= word != Word::kDebugLocation;
    switch (word) {
      case Word::kDebugLocation:
        p = ReadDebugLocation(rest, trailer);
        break;
      case Word::kDebugInstrNumber:
        if (!IsDigit(*rest)) {
          return Error(rest, "expected an integer literal after 'debug-instr-number'");
        }
        p = ReadInteger(rest, ~uint32_t{0}, "an integer literal", &number);
        extra.debug_instr_number = static_cast<uint32_t>(number);
        break;
      case Word::kCfiType:
        if (!IsDigit(*rest)) return Error(rest, "expected an integer literal after 'cfi-type'");
        p = ReadInteger(rest, ~uint32_t{0}, "an integer literal", &number);
        extra.cfi_type = static_cast<uint32_t>(number);
        break;
      case Word::kPreInstrSymbol:
        p = ReadInstrSymbol(rest, word, &extra.pre_instr_symbol);
        break;
      case Word::kPostInstrSymbol:
        p = ReadInstrSymbol(rest, word, &extra.post_instr_symbol);
        break;
      case Word::kHeapAllocMarker:
        p = ReadTrailerMetadata(rest, word, &extra.heap_alloc_marker);
        break;
      case Word::kPcsections:
        p = ReadTrailerMetadata(rest, word, &extra.pcsections);
        break;
      case Word::kMmra:
        p = ReadTrailerMetadata(rest, word, &extra.mmra);
        break;
      default:
        return Error(begin, "expected ',' before the next machine operand");
    }
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p == ',') p = SkipSpace(p + 1);
  }
  return p;
}

const char* MirBodyReader::ReadDebugOperands(const char* p, std::vector<MachineOperand>* operands,
                                             MetadataId* debug_loc) {
  operands_.clear();
  const char* begin = p;
  p = ReadOperands(p, generic::kDbgValue);
  Trailer trailer;
  if (p != nullptr && HasClass(*p, kIdentifierStart)) p = ReadTrailer(p, &trailer);
  const bool has_more = p != nullptr && (!IsEol(*p) || trailer.has_extra || !ties_.empty());
  ties_.clear();
  if (p == nullptr) return nullptr;
  if (has_more) return Error(begin, "expected only operands and a debug location");
  *operands = operands_;
  *debug_loc = trailer.debug_loc;
  return p;
}

const char* MirBodyReader::ReadDebugLocation(const char* p, Trailer* trailer) {
  if (*p != '!') return Error(p, "expected a metadata node after 'debug-location'");
  return ReadMetadata(p, &trailer->debug_loc);
}

const char* MirBodyReader::ReadInstrSymbol(const char* p, Word word, SymbolId* symbol) {
  if (*p != '<') return Error(p, StrCat("expected a symbol after '", Spelling(word), "'"));
  return ReadMCSymbol(p, symbol);
}

const char* MirBodyReader::ReadTrailerMetadata(const char* p, Word word, MetadataId* metadata) {
  if (*p != '!') return Error(p, StrCat("expected a metadata node after '", Spelling(word), "'"));
  return ReadMetadata(p, metadata);
}

const char* MirBodyReader::ReadMemOperands(const char* p, Opcode opcode) {
  p = SkipSpace(p);
  while (!IsEol(*p)) {
    const MachineMemOperand* memoperand = nullptr;
    p = ReadMemOperand(p, &memoperand);
    if (p == nullptr) return nullptr;
    memoperands_.push_back(memoperand);
    p = SkipSpace(p);
    if (IsEol(*p) || (opcode == generic::kBundle && *p == '{')) break;
    if (*p != ',') return Error(p, "expected ',' before the next machine memory operand");
    p = SkipSpace(p + 1);
  }
  return p;
}

void MirBodyReader::Finish(MachineInstr& instr, Trailer& trailer) {
  if (trailer.has_extra) [[unlikely]] {
    trailer.extra.memoperands = memoperands_;
    instr.SetExtra(trailer.extra);
  } else if (!memoperands_.empty()) {
    instr.SetMemOperands(memoperands_);
  }
  if (!ties_.empty()) [[unlikely]] {
    CheckTies(instr);
    ties_.clear();
  }
  if (instr.opcode() <= generic::kInlineAsmBr) {
    if (instr.is_phi()) {
      state_.has_phi = true;
    } else {
      TieInlineAsmOperands(instr);
    }
  }
}

bool MirBodyReader::CheckTies(MachineInstr& instr) {
  for (const Tie& tie : ties_) {
    const auto fail = [&](std::string what) { return Error(tie.position, std::move(what)) != nullptr; };
    if (tie.def >= instr.num_operands()) {
      return fail(StrCat("use of invalid tied-def operand index '", tie.def, "'; instruction has only ",
                         instr.num_operands(), " operands"));
    }
    if (!instr.operand(tie.def).is_def()) {
      return fail(StrCat("use of invalid tied-def operand index '", tie.def, "'; the operand #", tie.def,
                         " isn't a defined register"));
    }
    if (instr.operand(tie.def).is_tied()) {
      return fail(StrCat("the tied-def operand #", tie.def, " is already tied with another register operand"));
    }
    instr.TieOperands(tie.def, tie.use);
  }
  return true;
}

// Ties the operands of inline assembly. The comment after a group's flag word names the group that it is tied to:
//     2147483657 /* reguse tiedto:$0 */
void MirBodyReader::TieInlineAsmOperands(MachineInstr& instr) {
  std::vector<unsigned> groups;  // the index of each group's first operand
  unsigned i = kInlineAsmFirstGroup;
  while (i < instr.num_operands() && instr.operand(i).is_imm()) {
    const InlineAsmGroup group(instr.operand(i).imm());
    const unsigned count = group.num_operands();
    if (count >= instr.num_operands() - i) return;
    groups.push_back(i);
    if (group.is_tied() && group.tied_group() < groups.size()) {
      const unsigned def = groups[group.tied_group()];
      for (unsigned k = 1; k <= count && def + k < i; ++k) {
        if (!instr.operand(def + k).is_def() || instr.operand(def + k).is_tied()) continue;
        if (!instr.operand(i + k).is_use() || instr.operand(i + k).is_tied()) continue;
        instr.TieOperands(def + k, i + k);
      }
    }
    i += 1 + count;
  }
}

}  // namespace ptxmir
