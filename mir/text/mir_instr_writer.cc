// SPDX-License-Identifier: Apache-2.0

#include "mir/text/mir_instr_writer.h"

#include <cctype>
#include <string>

#include "ir/module.h"
#include "mir/code/inline_asm.h"
#include "mir/text/source_place.h"

namespace ptxmir {
namespace {

using OperandKind = MachineOperand::Kind;

struct FlagName {
  uint32_t flag;
  std::string_view text;
};

constexpr FlagName kInstrFlags[] = {
    {MachineInstr::kFrameSetup, "frame-setup "},
    {MachineInstr::kFrameDestroy, "frame-destroy "},
    {MachineInstr::kFmNoNans, "nnan "},
    {MachineInstr::kFmNoInfs, "ninf "},
    {MachineInstr::kFmNsz, "nsz "},
    {MachineInstr::kFmArcp, "arcp "},
    {MachineInstr::kFmContract, "contract "},
    {MachineInstr::kFmAfn, "afn "},
    {MachineInstr::kFmReassoc, "reassoc "},
    {MachineInstr::kNoUWrap, "nuw "},
    {MachineInstr::kNoSWrap, "nsw "},
    {MachineInstr::kIsExact, "exact "},
    {MachineInstr::kNoFPExcept, "nofpexcept "},
    {MachineInstr::kNoMerge, "nomerge "},
    {MachineInstr::kUnpredictable, "unpredictable "},
    {MachineInstr::kNoConvergent, "noconvergent "},
    {MachineInstr::kNonNeg, "nneg "},
    {MachineInstr::kDisjoint, "disjoint "},
    {MachineInstr::kNoUSWrap, "nusw "},
    {MachineInstr::kSameSign, "samesign "},
    {MachineInstr::kInBounds, "inbounds "},
    {MachineInstr::kLrSplit, "lr-split "},
};
constexpr uint32_t kSpelledFlags = MachineInstr::kBundledPred - 1;

constexpr FlagName kMemFlags[] = {
    {MachineMemOperand::kVolatile, "volatile "},
    {MachineMemOperand::kNonTemporal, "non-temporal "},
    {MachineMemOperand::kDereferenceable, "dereferenceable "},
    {MachineMemOperand::kInvariant, "invariant "},
    {MachineMemOperand::kTargetFlag1, "\"MOTargetFlag1\" "},
    {MachineMemOperand::kTargetFlag2, "\"MOTargetFlag2\" "},
    {MachineMemOperand::kTargetFlag3, "\"MOTargetFlag3\" "},
    {MachineMemOperand::kTargetFlag4, "\"MOTargetFlag4\" "},
    {MachineMemOperand::kLoad, "load "},
    {MachineMemOperand::kStore, "store "},
};

// The properties in the order in which LLVM names them. The dialect comes last; AT&T's has no bit.
constexpr FlagName kInlineAsmProperties[] = {
    {InlineAsmProperty::kSideEffects, "sideeffect"}, {InlineAsmProperty::kMayLoad, "mayload"},
    {InlineAsmProperty::kMayStore, "maystore"},      {InlineAsmProperty::kConvergent, "isconvergent"},
    {InlineAsmProperty::kAlignStack, "alignstack"},  {InlineAsmProperty::kMayUnwind, "unwind"},
};

constexpr std::string_view kInlineAsmKinds[] = {"", "reguse", "regdef", "regdef-ec", "clobber", "imm", "mem", "func"};

// Memory constraints, indexed by LLVM's code.
constexpr std::string_view kMemConstraints[] = {"",  "es", "i",  "k",  "m",  "o",  "v",  "A",  "Q",  "R",
                                                "S", "T",  "Um", "Un", "Uq", "Us", "Ut", "Uv", "Uy", "X",
                                                "Z", "ZB", "ZC", "Zy", "p",  "ZQ", "ZR", "ZS", "ZT"};

std::string_view OrderingName(AtomicOrdering ordering) {
  switch (ordering) {
    case AtomicOrdering::kNotAtomic:
      return "not_atomic";
    case AtomicOrdering::kUnordered:
      return "unordered";
    case AtomicOrdering::kMonotonic:
      return "monotonic";
    case AtomicOrdering::kAcquire:
      return "acquire";
    case AtomicOrdering::kRelease:
      return "release";
    case AtomicOrdering::kAcquireRelease:
      return "acq_rel";
    case AtomicOrdering::kSequentiallyConsistent:
      return "seq_cst";
  }
  return "";
}

bool HasTypes(const MachineRegisterInfo& info) {
  for (uint32_t i = 0; i < info.num_virtual_registers(); ++i) {
    if (info.type(Register::Virtual(i)).is_valid()) return true;
  }
  return false;
}

}  // namespace

InstrWriter::InstrWriter(const MachineFunction& function, const MirWriteOptions& options, Form form, TextSink& sink)
    : function_(function),
      reg_info_(function.reg_info()),
      target_(function.target()),
      options_(options),
      form_(form),
      has_names_(reg_info_.has_named_registers()),
      has_types_(form == Form::kDump || HasTypes(reg_info_)),
      sink_(sink) {}

void InstrWriter::Write(const MachineInstr& instr) {
  const unsigned num_operands = instr.num_operands();
  const bool print_ties = form_ == Form::kDump || HasUnexpectedTies(instr);
  unsigned i = 0;
  for (; i < num_operands; ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_def() || operand.is_implicit()) break;
    if (i != 0) sink_.Put(", ");
    WriteRegisterOperand(instr, i, {.is_result = true, .print_ties = print_ties});
  }
  if (i != 0) sink_.Put(" = ");
  if ((instr.flags() & kSpelledFlags) != 0) WriteFlags(instr.flags());
  sink_.Put(options_.stable_names ? target_.StableName(instr.opcode()) : target_.Name(instr.opcode()));

  bool needs_comma = i < num_operands;
  if (needs_comma) {
    sink_.Put(' ');
    const OperandStyle style = {.is_result = false, .print_ties = print_ties};
    if (!instr.is_inline_asm()) {
      WriteOperandValue(instr, i, style);
      while (++i < num_operands) {
        sink_.Put(", ");
        WriteOperandValue(instr, i, style);
      }
    } else if (form_ == Form::kMir || num_operands < kInlineAsmFirstGroup) {
      WriteInlineAsmOperands(instr, i, style);
    } else {
      WriteInlineAsmForDump(instr, i, style);
    }
  }

  if (const InstrExtra* extra = instr.extra()) needs_comma = WriteExtra(*extra, needs_comma);
  const bool has_place = instr.debug_loc() != MachineInstr::kNoDebugLoc && !options_.omit_debug_locations;
  if (has_place) {
    if (needs_comma) sink_.Put(',');
    sink_.Put(" debug-location ");
    WriteMetadata(instr.debug_loc());
  }
  std::string_view separator = " :: ";
  for (const MachineMemOperand* mem : instr.memoperands()) {
    sink_.Put(separator);
    WriteMemOperand(*mem);
    separator = ", ";
  }
  if (form_ == Form::kDump && has_place) {
    const std::string place = SourcePlaceText(function_, instr.debug_loc());
    if (!place.empty()) sink_.Put("; ");
    sink_.Put(place);
  }
}

void InstrWriter::WriteFlags(uint32_t flags) {
  for (const FlagName& name : kInstrFlags) {
    if ((flags & name.flag) != 0) sink_.Put(name.text);
  }
}

// Returns true if the ties differ from the opcode's description. Only then are they written.
bool InstrWriter::HasUnexpectedTies(const MachineInstr& instr) const {
  const InstrDesc& desc = target_.Get(instr.opcode());
  const OperandDesc* descs = target_.operand_descs.data() + desc.first_operand;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_use()) continue;
    const int expected = i < desc.num_operands ? descs[i].tied_to : -1;
    const int actual = operand.is_tied() ? static_cast<int>(instr.FindTiedOperand(i)) : -1;
    if (expected != actual) return true;
  }
  return false;
}

void InstrWriter::WriteRegister(Register reg) {
  if (reg.is_virtual()) {
    sink_.Put('%');
    if (has_names_) {
      const std::string_view name = reg_info_.name(reg);
      if (!name.empty()) {
        sink_.Put(name);
        return;
      }
    }
    sink_.PutInt(reg.virtual_index());
    return;
  }
  sink_.Put('$');
  if (!reg.is_valid()) {
    sink_.Put("noreg");
  } else if (reg.bits() < target_.phys_regs.size()) {
    sink_.Put(target_.phys_regs[reg.bits()].name);
  } else {
    sink_.Put("physreg");
    sink_.PutInt(reg.bits());
  }
}

void InstrWriter::WriteRegisterOperand(const MachineInstr& instr, unsigned index, OperandStyle style) {
  const MachineOperand& operand = instr.operand(index);
  const Register reg = operand.reg();
  if (operand.is_implicit()) {
    sink_.Put(operand.is_def() ? "implicit-def " : "implicit ");
  } else if (!style.is_result && operand.is_def()) {
    sink_.Put("def ");
  }
  // Most operands have none of these flags.
  constexpr uint16_t kSpelled = MachineOperand::kInternalRead | MachineOperand::kDead | MachineOperand::kKill |
                                MachineOperand::kUndef | MachineOperand::kEarlyClobber | MachineOperand::kRenamable;
  if ((operand.reg_flags() & kSpelled) != 0) {
    if (operand.is_internal_read()) sink_.Put("internal ");
    if (operand.is_dead()) sink_.Put("dead ");
    if (operand.is_kill()) sink_.Put("killed ");
    if (operand.is_undef()) sink_.Put("undef ");
    if (operand.is_early_clobber()) sink_.Put("early-clobber ");
    if (reg.is_physical() && operand.is_renamable()) sink_.Put("renamable ");
  }
  WriteRegister(reg);
  if (reg.is_virtual()) {
    // MIR states the class at definitions, and at uses of registers without a definition.
    if (style.is_result || form_ == Form::kDump || reg_info_.Defs(reg).empty()) {
      const RegClassId reg_class = reg_info_.reg_class(reg);
      sink_.Put(':');
      sink_.Put(reg_class < target_.reg_classes.size() ? target_.reg_classes[reg_class].name : "_");
    }
  }
  if (style.print_ties && operand.is_tied() && !operand.is_def()) {
    sink_.Put("(tied-def ");
    sink_.PutInt(instr.FindTiedOperand(index));
    sink_.Put(')');
  }
  if (has_types_ && reg.is_virtual()) {
    const LowLevelType type = reg_info_.type(reg);
    if (type.is_valid()) {
      sink_.Put('(');
      PutLowLevelType(sink_, type);
      sink_.Put(')');
    }
  }
}

void InstrWriter::WriteOperand(const MachineInstr& instr, unsigned index) {
  WriteOperandValue(instr, index, {.is_result = false, .print_ties = true});
}

void InstrWriter::WriteOperandValue(const MachineInstr& instr, unsigned index, OperandStyle style) {
  if (instr.operand(index).is_reg()) {
    WriteRegisterOperand(instr, index, style);
  } else {
    WriteValue(instr.operand(index));
  }
}

void InstrWriter::WriteValue(const MachineOperand& operand) {
  switch (operand.kind()) {
    case OperandKind::kRegister:
      WriteRegister(operand.reg());
      return;
    case OperandKind::kImmediate:
      sink_.PutInt(operand.imm());
      return;
    case OperandKind::kFPImmediate:
      PutFPLiteral(sink_, operand.fp_width(), operand.fp_bits());
      return;
    case OperandKind::kBlock:
      sink_.Put("%bb.");
      sink_.PutInt(operand.block());
      return;
    case OperandKind::kFrameIndex:
      WriteFrameIndex(operand.frame_index());
      return;
    case OperandKind::kConstantPoolIndex:
      sink_.Put("%const.");
      sink_.PutInt(operand.index());
      break;
    case OperandKind::kJumpTableIndex:
      sink_.Put("%jump-table.");
      sink_.PutInt(operand.index());
      return;
    case OperandKind::kGlobal:
      WriteGlobal(operand.global());
      break;
    case OperandKind::kExternalSymbol:
      sink_.Put('&');
      PutIrName(sink_, function_.symbol(operand.symbol()));
      break;
    case OperandKind::kMetadata:
      WriteMetadata(operand.metadata());
      return;
    case OperandKind::kDbgInstrRef:
      sink_.Put("dbg-instr-ref(");
      sink_.PutInt(operand.index());
      sink_.Put(", ");
      sink_.PutInt(operand.offset());
      sink_.Put(')');
      return;
    case OperandKind::kLaneMask:
      sink_.Put("lanemask(0x");
      sink_.PutHex(static_cast<uint64_t>(operand.offset()), 16, /*upper=*/true);
      sink_.Put(')');
      return;
    case OperandKind::kMCSymbol:
      WriteMCSymbol(operand.symbol());
      return;
    case OperandKind::kWideImmediate:
    case OperandKind::kTargetIndex:
    case OperandKind::kBlockAddress:
    case OperandKind::kRegisterMask:
    case OperandKind::kRegisterLiveOut:
    case OperandKind::kCfiInstruction:
    case OperandKind::kIntrinsic:
    case OperandKind::kPredicate:
    case OperandKind::kShuffleMask:
      sink_.Put(function_.symbol(operand.symbol()));
      break;
  }
  PutOffset(sink_, operand.offset());
}

void InstrWriter::WriteGlobal(GlobalId id) {
  sink_.Put('@');
  const Module* module = function_.module();
  if (module == nullptr || !module->HasGlobal(id)) {
    sink_.PutInt(id);
    return;
  }
  const GlobalValue& global = module->global_value(id);
  if (global.is_numbered) {
    sink_.Put(global.name);
  } else {
    PutIrName(sink_, global.name);
  }
}

// Writes an MCSymbol. LLVM never quotes the name, and so cannot always read back what it wrote.
void InstrWriter::WriteMCSymbol(SymbolId id) {
  sink_.Put("<mcsymbol ");
  PutIrName(sink_, function_.symbol(id));
  sink_.Put('>');
}

void InstrWriter::WriteFrameIndex(int index) {
  if (index < 0) {
    sink_.Put("%fixed-stack.");
    sink_.PutInt(-(index + 1));
    return;
  }
  sink_.Put("%stack.");
  sink_.PutInt(index);
  if (!function_.frame_info().IsValid(index)) return;
  const std::string_view name = function_.frame_info().object(index).name;
  if (!name.empty()) {
    sink_.Put('.');
    sink_.Put(name);
  }
}

void InstrWriter::WriteMetadata(MetadataId id) {
  if (MachineFunction::IsInlineMetadata(id)) {
    sink_.Put(function_.inline_metadata(id));
  } else {
    sink_.Put('!');
    sink_.PutInt(id);
  }
}

bool InstrWriter::WriteExtra(const InstrExtra& extra, bool needs_comma) {
  const auto start = [&](std::string_view word) {
    if (needs_comma) sink_.Put(',');
    needs_comma = true;
    sink_.Put(word);
  };
  const auto symbol = [&](std::string_view word, SymbolId id) {
    if (id == InstrExtra::kNone) return;
    start(word);
    WriteMCSymbol(id);
  };
  const auto metadata = [&](std::string_view word, MetadataId id) {
    if (id == InstrExtra::kNone) return;
    start(word);
    WriteMetadata(id);
  };
  const auto number = [&](std::string_view word, uint32_t value) {
    if (value == 0) return;
    start(word);
    sink_.PutInt(value);
  };
  symbol(" pre-instr-symbol ", extra.pre_instr_symbol);
  symbol(" post-instr-symbol ", extra.post_instr_symbol);
  metadata(" heap-alloc-marker ", extra.heap_alloc_marker);
  metadata(" pcsections ", extra.pcsections);
  metadata(" mmra ", extra.mmra);
  number(" cfi-type ", extra.cfi_type);
  number(" debug-instr-number ", extra.debug_instr_number);
  return needs_comma;
}

void InstrWriter::WriteMemOperand(const MachineMemOperand& mem) {
  sink_.Put('(');
  for (const FlagName& name : kMemFlags) {
    if (mem.Has(static_cast<uint16_t>(name.flag))) sink_.Put(name.text);
  }
  if (!mem.syncscope.empty()) {
    sink_.Put("syncscope(\"");
    sink_.Put(mem.syncscope);
    sink_.Put("\") ");
  }
  for (const AtomicOrdering ordering : {mem.success_ordering, mem.failure_ordering}) {
    if (ordering == AtomicOrdering::kNotAtomic) continue;
    sink_.Put(OrderingName(ordering));
    sink_.Put(' ');
  }
  if (mem.type.is_valid()) {
    sink_.Put('(');
    PutLowLevelType(sink_, mem.type);
    sink_.Put(')');
  } else {
    sink_.Put("unknown-size");
  }
  WriteMemValue(mem);
  PutOffset(sink_, mem.offset);

  const uint64_t size = mem.SizeInBytes();
  const uint64_t align = uint64_t{1} << mem.align_log2;
  if (!mem.has_known_size || (size != 0 && size != align)) {
    sink_.Put(", align ");
    sink_.PutInt(align);
  }
  if (mem.base_align_log2 != mem.align_log2) {
    sink_.Put(", basealign ");
    sink_.PutInt(uint64_t{1} << mem.base_align_log2);
  }
  const auto metadata = [&](std::string_view word, MetadataId id) {
    if (id == MachineMemOperand::kNoMetadata) return;
    sink_.Put(word);
    WriteMetadata(id);
  };
  metadata(", !tbaa ", mem.tbaa);
  metadata(", !alias.scope ", mem.alias_scope);
  metadata(", !noalias ", mem.noalias);
  metadata(", !noalias.addrspace ", mem.noalias_addrspace);
  metadata(", !range ", mem.range);
  if (mem.address_space != 0) {
    sink_.Put(", addrspace ");
    sink_.PutInt(mem.address_space);
  }
  sink_.Put(')');
}

void InstrWriter::WriteMemValue(const MachineMemOperand& mem) {
  using ValueKind = MachineMemOperand::ValueKind;
  // Even if the value is unknown, an offset needs a preposition.
  if (mem.value_kind == ValueKind::kNone && mem.offset == 0) return;
  sink_.Put(mem.is_load() && mem.is_store() ? " on " : mem.is_load() ? " from " : " into ");
  switch (mem.value_kind) {
    case ValueKind::kNone:
    case ValueKind::kUnknownAddress:
      sink_.Put("unknown-address");
      break;
    case ValueKind::kIrValue:
    case ValueKind::kGlobal:
      sink_.Put(mem.text);
      break;
    case ValueKind::kIrExpression:
      sink_.Put('`');
      sink_.Put(mem.text);
      sink_.Put('`');
      break;
    case ValueKind::kFrameIndex:
      WriteFrameIndex(mem.frame_index);
      break;
    case ValueKind::kStack:
      sink_.Put("stack");
      break;
    case ValueKind::kGot:
      sink_.Put("got");
      break;
    case ValueKind::kJumpTable:
      sink_.Put("jump-table");
      break;
    case ValueKind::kConstantPool:
      sink_.Put("constant-pool");
      break;
    case ValueKind::kCallEntryGlobal:
    case ValueKind::kCallEntrySymbol:
      sink_.Put("call-entry ");
      sink_.Put(mem.text);
      break;
    case ValueKind::kCustom:
      sink_.Put("custom ");
      sink_.Put(mem.text);
      break;
  }
}

void InstrWriter::WriteInlineAsmProperties(uint32_t properties, std::string_view before, std::string_view after,
                                           std::string_view separator) {
  bool any = false;
  const auto put = [&](std::string_view name) {
    sink_.Put(any ? separator : before);
    sink_.Put(name);
    any = true;
  };
  for (const FlagName& name : kInlineAsmProperties) {
    if ((properties & name.flag) != 0) put(name.text);
  }
  if ((properties & InlineAsmProperty::kIntelDialect) == 0) put("attdialect");
  if (any) sink_.Put(after);
}

void InstrWriter::WriteInlineAsmGroup(const InlineAsmGroup& group) {
  using GroupKind = InlineAsmGroup::Kind;
  sink_.Put(kInlineAsmKinds[static_cast<int>(group.kind())]);
  if (group.kind() == GroupKind::kMemory) {
    sink_.Put(':');
    if (group.data() < std::size(kMemConstraints)) sink_.Put(kMemConstraints[group.data()]);
  } else if (group.kind() != GroupKind::kImmediate && !group.is_tied() && group.data() != 0) {
    sink_.Put(':');
    const unsigned reg_class = group.data() - 1;
    if (reg_class < target_.reg_classes.size()) {
      for (const char c : target_.reg_classes[reg_class].name) {
        sink_.Put(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
      }
    } else {
      sink_.Put("RC");
      sink_.PutInt(reg_class);
    }
  }
  if (group.is_tied()) {
    sink_.Put(" tiedto:$");
    sink_.PutInt(group.tied_group());
  }
  if (group.is_register() && group.may_be_folded()) sink_.Put(" foldable");
}

// Writes MIR: the immediates that describe operands are followed by a comment.
void InstrWriter::WriteInlineAsmOperands(const MachineInstr& instr, unsigned first, OperandStyle style) {
  unsigned next_group = kInlineAsmFirstGroup;
  for (unsigned i = first; i < instr.num_operands(); ++i) {
    if (i != first) sink_.Put(", ");
    const MachineOperand& operand = instr.operand(i);
    WriteOperandValue(instr, i, style);
    if (!operand.is_imm()) continue;
    if (i == 1) {
      WriteInlineAsmProperties(static_cast<uint32_t>(operand.imm()), " /* ", " */", " ");
    } else if (i == next_group) {
      const InlineAsmGroup group(operand.imm());
      sink_.Put(" /* ");
      WriteInlineAsmGroup(group);
      sink_.Put(" */");
      next_group += 1 + group.num_operands();
    }
  }
}

// Writes the dump form: "INLINEASM &text [sideeffect] [attdialect], $0:[regdef:B32], def %1:b32".
void InstrWriter::WriteInlineAsmForDump(const MachineInstr& instr, unsigned first, OperandStyle style) {
  WriteOperandValue(instr, first, style);
  const MachineOperand& properties = instr.operand(1);
  if (properties.is_imm()) {
    WriteInlineAsmProperties(static_cast<uint32_t>(properties.imm()), " [", "]", "] [");
  }
  unsigned next_group = kInlineAsmFirstGroup;
  unsigned number = 0;
  for (unsigned i = kInlineAsmFirstGroup; i < instr.num_operands(); ++i) {
    sink_.Put(", ");
    const MachineOperand& operand = instr.operand(i);
    if (i != next_group || !operand.is_imm()) {
      WriteOperandValue(instr, i, style);
      continue;
    }
    const InlineAsmGroup group(operand.imm());
    sink_.Put('$');
    sink_.PutInt(number++);
    sink_.Put(":[");
    WriteInlineAsmGroup(group);
    sink_.Put(']');
    next_group += 1 + group.num_operands();
  }
}

}  // namespace ptxmir
