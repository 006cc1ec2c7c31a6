// SPDX-License-Identifier: Apache-2.0

// Decodes instructions: jumps, calls and copies directly, everything else through its text.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/code/spill_slots.h"
#include "ptx/interpreter/decode/function_decoder.h"
#include "ptx/interpreter/semantics/control.h"
#include "ptx/interpreter/semantics/semantics_table.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/instr_printer.h"
#include "ptx/target/parameter_names.h"
#include "ptx/target/ptx_target.h"
#include "ptx/writer/ptx_writer_inline_asm.h"

namespace ptxmir::ptx {

void FunctionDecoder::DecodeInstr(const MachineInstr& instr) {
  const Opcode opcode = instr.opcode();
  switch (opcode) {
    case generic::kPhi:
    case generic::kKill:
      return;
    case generic::kCopy:
      DecodeCopy(instr);
      return;
    case generic::kInlineAsm:
      DecodeInlineAsm(instr);
      return;
    case generic::kImplicitDef: {
      if (!instr.operand(0).is_reg()) return;
      const uint32_t row = RowOf(instr.operand(0).reg());
      DecodedInstr& decoded = Emit(instr, control::Undefine, InstrCategory::kOther);
      decoded.is_counted = false;
      decoded.num_results = 1;
      AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
      return;
    }
    case generic::kLifetimeStart:
    case generic::kLifetimeEnd: {
      if (!instr.operand(0).is_frame_index()) return;
      const int index = instr.operand(0).frame_index();
      if (index < 0 || static_cast<size_t>(index) >= out_->objects.size()) return;
      DecodedInstr& decoded =
          Emit(instr, opcode == generic::kLifetimeStart ? control::LifetimeStart : control::LifetimeEnd,
               InstrCategory::kOther);
      decoded.is_counted = false;
      decoded.target = static_cast<uint32_t>(index);
      return;
    }
    default:
      break;
  }
  if (instr.is_meta() || instr.is_debug()) return;
  const Family family = InstrInfo(opcode).family;
  if (family == Family::kCall) return DecodeCall(instr);
  if (family == Family::kCallPseudo && !InstrInfo(opcode).Has(Property::kProxy)) return DecodeCallSequencePart(instr);
  if (family == Family::kBranchBrx) return DecodeJumpTable(instr);
  if (instr.is_branch()) {
    const MachineOperand& label = instr.operand(instr.num_operands() - 1);
    if (!label.is_block()) return EmitUnsupported(instr, "a branch without a block");
    EmitJump(instr, label.block());
    if (instr.num_operands() == 1) return;
    DecodedInstr& decoded = out_->instrs.back();
    decoded.guard = RowOf(instr.operand(0).reg());
    return;
  }
  buffer_.Clear();
  if (const absl::Status status = PrintInstr(instr, context_, buffer_); !status.ok()) {
    return EmitUnsupported(instr, FromAbsl(status.message()));
  }
  DecodeText(instr, buffer_.view());
}

void FunctionDecoder::DecodeCopy(const MachineInstr& instr) {
  const MachineOperand& to = instr.operand(0);
  const MachineOperand& from = instr.operand(1);
  if (!to.is_reg() || !from.is_reg()) return EmitUnsupported(instr, "a copy of something else than registers");
  const size_t first = out_->instrs.size();
  CopyRegister(instr, to.reg(), from.reg());
  out_->instrs[first].is_counted = true;
}

bool FunctionDecoder::IsWide(Register reg) {
  const uint32_t row = RowOf(reg);
  return row + 1 < out_->rows.size() && out_->rows[row + 1].reg == reg && out_->rows[row].reg == reg;
}

void FunctionDecoder::CopyRows(const MachineInstr& source, uint32_t to, uint32_t from, bool is_wide) {
  for (unsigned i = 0; i < (is_wide ? 2u : 1u); ++i) {
    EmitCopy(source, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[to + i].bits, .row = to + i},
             {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[from + i].bits, .row = from + i});
  }
}

void FunctionDecoder::CopyRegister(const MachineInstr& source, Register to, Register from) {
  CopyRows(source, RowOf(to), RowOf(from), IsWide(to));
}

uint32_t FunctionDecoder::SaveRegister(const MachineInstr& source, Register reg) {
  const bool is_wide = IsWide(reg);
  const uint32_t row = NewRow(is_wide ? 128 : out_->rows[RowOf(reg)].bits);
  CopyRows(source, row, RowOf(reg), is_wide);
  return row;
}

void FunctionDecoder::DecodeJumpTable(const MachineInstr& instr) {
  const SemanticTag semantics = InstrInfo(instr.opcode()).semantics;
  if (semantics == SemanticTag::kBrxStart) {
    items_.clear();
    return;
  }
  if (!instr.operand(0).is_block()) return EmitUnsupported(instr, "a jump table entry without a block");
  items_.push_back(instr.operand(0).block());
  if (semantics != SemanticTag::kBrxEnd) return;
  const uint32_t table = static_cast<uint32_t>(out_->jump_tables.size());
  out_->jump_tables.emplace_back(items_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    table_jumps_.push_back({table, i, items_[i], block_->number()});
  }
  DecodedInstr& decoded = Emit(instr, control::JumpThroughTable, InstrCategory::kBranch);
  decoded.target = table;
  const uint32_t row = RowOf(instr.operand(1).reg());
  AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
}

// ---- Calls.

void FunctionDecoder::DecodeCallSequencePart(const MachineInstr& instr) {
  const SemanticTag semantics = InstrInfo(instr.opcode()).semantics;
  if (semantics == SemanticTag::kCallseqStart) {
    declared_.clear();
    outgoing_ = 0;
    return;
  }
  if (semantics != SemanticTag::kDeclareParam) return;
  if (!instr.operand(0).is_symbol()) return EmitUnsupported(instr, "a parameter without a name");
  const std::string_view name = function_.symbol(instr.operand(0).symbol());
  // Arrays give their alignment and bytes, scalars their bits.
  const uint64_t size = instr.num_operands() > 2 && instr.operand(2).is_imm()
                            ? static_cast<uint64_t>(instr.operand(2).imm())
                            : (static_cast<uint64_t>(instr.operand(1).imm()) + 7) / 8;
  declared_[name] = {outgoing_, static_cast<uint32_t>(size)};
  outgoing_ = AlignOffset(outgoing_ + size, 16);
  out_->outgoing_size = std::max(out_->outgoing_size, outgoing_);
}

void FunctionDecoder::DecodeCall(const MachineInstr& instr) {
  CallSite site;
  const MachineOperand& callee = instr.operand(0);
  if (callee.is_global()) {
    site.callee = CallSite::Callee::kFunction;
    site.function = callee.global();
    const Module* module = function_.module();
    if (module != nullptr && module->HasGlobal(site.function)) site.name = module->global_value(site.function).name;
  } else if (callee.is_symbol()) {
    site.callee = CallSite::Callee::kBuiltin;
    site.name = function_.symbol(callee.symbol());
    // A function of the module may be called by its name.
    const Module* module = function_.module();
    if (const GlobalValue* value = module != nullptr ? module->FindGlobal(site.name) : nullptr; value != nullptr) {
      site.callee = CallSite::Callee::kFunction;
      site.function = value->id();
    }
  } else {
    site.callee = CallSite::Callee::kIndirect;
  }
  for (int64_t i = 0; i < instr.operand(2).imm(); ++i) {
    const auto found = declared_.find(StrCat("param", i));
    site.arguments.push_back(found != declared_.end() ? found->second : ParameterSlot{});
  }
  if (const auto found = declared_.find(kCallResult); found != declared_.end()) site.result = found->second;
  DecodedInstr& decoded = Emit(instr, control::Call, InstrCategory::kCall);
  decoded.target = static_cast<uint32_t>(out_->call_sites.size());
  if (callee.is_reg()) {
    const uint32_t row = RowOf(callee.reg());
    AddOperand(decoded, {.kind = DecodedOperand::Kind::kRow, .bits = out_->rows[row].bits, .row = row});
  }
  out_->call_sites.push_back(std::move(site));
}

// ---- Inline assembly and printed text.

// The text names only the result of a tied pair. If the two are different registers, the result's register first
// receives the source's value. Before that, registers that would be overwritten are saved: the source of another
// pair and, outside SSA form, an untied source, which then has another name in the text.
void FunctionDecoder::DecodeInlineAsm(const MachineInstr& instr) {
  struct TiedPair {
    Register def;
    Register use;
  };
  std::vector<TiedPair> pairs;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& use = instr.operand(i);
    if (!use.is_reg() || use.is_def() || !use.is_tied()) continue;
    const Register def = instr.operand(instr.FindTiedOperand(i)).reg();
    if (def != use.reg()) pairs.push_back({def, use.reg()});
  }
  const auto is_overwritten = [&](Register reg) {
    return std::any_of(pairs.begin(), pairs.end(), [reg](const TiedPair& pair) { return pair.def == reg; });
  };
  asm_aliases_.clear();
  absl::flat_hash_map<uint32_t, uint32_t> saved;
  const auto save = [&](Register reg) {
    const auto [entry, inserted] = saved.try_emplace(reg.bits(), 0);
    if (inserted) entry->second = SaveRegister(instr, reg);
    return entry->second;
  };
  AsmAliases aliases;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& use = instr.operand(i);
    if (!use.is_reg() || use.is_def() || use.is_tied() || !is_overwritten(use.reg())) continue;
    const auto [entry, inserted] = aliases.try_emplace(i, static_cast<uint32_t>(asm_aliases_.size()));
    if (inserted) asm_aliases_.push_back(save(use.reg()));
  }
  for (const TiedPair& pair : pairs) {
    if (is_overwritten(pair.use)) save(pair.use);
  }
  for (const TiedPair& pair : pairs) {
    const auto found = saved.find(pair.use.bits());
    CopyRows(instr, RowOf(pair.def), found != saved.end() ? found->second : RowOf(pair.use), IsWide(pair.def));
  }
  TextBuffer text;
  const absl::Status status =
      aliases.empty() ? WriteInlineAsm(instr, context_, next_uid_, text) : WriteAsmWithAliases(instr, aliases, text);
  if (!status.ok()) return EmitUnsupported(instr, FromAbsl(status.message()));
  DecodeText(instr, text.view());
}

// Prints a copy of the instruction in a temporary function whose registers have the desired names.
absl::Status FunctionDecoder::WriteAsmWithAliases(const MachineInstr& instr, const AsmAliases& aliases,
                                                  TextBuffer& text) {
  MachineFunction copy(nullptr, PtxTargetInfo(), "inline asm", 0);
  std::vector<PrintedRegister> names;
  std::vector<MachineOperand> operands;
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (operand.is_symbol()) {
      MachineOperand symbol =
          MachineOperand::CreateExternalSymbol(copy.InternSymbol(function_.symbol(operand.symbol())));
      operands.push_back(symbol);
    } else if (operand.is_reg() && operand.reg().is_virtual()) {
      const RegClassId reg_class = function_.reg_info().reg_class(operand.reg());
      const auto alias = aliases.find(i);
      const uint32_t number = alias == aliases.end() ? operand.reg().virtual_index()
                                                     : static_cast<uint32_t>(row_of_register_.size()) + alias->second;
      operands.push_back(MachineOperand::CreateReg(copy.reg_info().CreateVirtualRegister(reg_class)));
      names.push_back(PrintedRegister(reg_class, number));
    } else {
      operands.push_back(operand);
    }
  }
  PrintContext context = context_;
  context.registers = names;
  return WriteInlineAsm(*copy.CreateInstr(generic::kInlineAsm, operands), context, next_uid_, text);
}

void FunctionDecoder::DecodeText(const MachineInstr& instr, std::string_view text) {
  current_ = &instr;
  texts_.clear();
  const std::string& kept = texts_.emplace_back(text);
  absl::StatusOr<std::vector<Statement>> statements = ParseStatements(kept);
  if (!statements.ok()) return EmitUnsupported(instr, FromAbsl(statements.status().message()));
  scopes_.assign(1, {});
  asm_jumps_.clear();
  absl::flat_hash_map<std::string_view, uint32_t> labels;
  for (const Statement& statement : *statements) {
    switch (statement.kind) {
      case Statement::Kind::kOpen:
        scopes_.emplace_back();
        break;
      case Statement::Kind::kClose:
        if (scopes_.size() > 1) scopes_.pop_back();
        break;
      case Statement::Kind::kLabel:
        labels[statement.mnemonic.text()] = static_cast<uint32_t>(out_->instrs.size());
        break;
      case Statement::Kind::kRegisters:
        for (const StatementOperand& operand : statement.operands) {
          const unsigned bits = statement.type.RegisterBits();
          if (operand.value == 0) {
            scopes_.back()[operand.name] = {NewRow(bits), static_cast<uint8_t>(bits)};
            continue;
          }
          for (int64_t i = 0; i < std::min<int64_t>(operand.value, 4096); ++i) {
            scopes_.back()[texts_.emplace_back(StrCat(operand.name, i))] = {NewRow(bits), static_cast<uint8_t>(bits)};
          }
        }
        break;
      case Statement::Kind::kDeclaration:
        if (!statement.mnemonic.text().starts_with(".pragma")) EmitUnsupported(instr, statement.mnemonic.text());
        break;
      case Statement::Kind::kInstruction:
        DecodeStatement(instr, statement);
        break;
    }
  }
  for (const AsmJump& jump : asm_jumps_) {
    const auto found = labels.find(jump.label);
    if (found != labels.end()) {
      out_->instrs[jump.instr].target = found->second;
    } else {
      DecodedInstr& decoded = out_->instrs[jump.instr];
      decoded.warp = control::Unsupported;
      decoded.target = static_cast<uint32_t>(out_->messages.size());
      out_->messages.push_back(StrCat("a jump to an unknown label '", jump.label, "'"));
    }
  }
}

void FunctionDecoder::DecodeStatement(const MachineInstr& instr, const Statement& statement) {
  uint32_t guard = kNoRow;
  if (statement.has_guard) {
    DecodedOperand low, high;
    if (!LookUpRegister(statement.guard, &low, &high)) return EmitUnsupported(instr, "an unknown guard");
    guard = low.row;
  }
  const size_t first = out_->instrs.size();
  const std::string problem = DecodeUnguarded(instr, statement);
  if (!problem.empty()) EmitUnsupported(instr, problem);
  for (size_t i = first; i < out_->instrs.size(); ++i) {
    out_->instrs[i].guard = guard;
    out_->instrs[i].guard_negated = statement.guard_negated;
  }
}

std::string FunctionDecoder::DecodeUnguarded(const MachineInstr& instr, const Statement& statement) {
  const std::string_view base = statement.mnemonic.base();
  if (base == "bra") {
    if (statement.operands.empty()) return "a branch without a label";
    asm_jumps_.push_back({static_cast<uint32_t>(out_->instrs.size()), statement.operands[0].name});
    Emit(instr, control::Jump, InstrCategory::kBranch);
  } else if (base == "ret") {
    Emit(instr, control::Return, InstrCategory::kBranch);
  } else if (base == "exit") {
    Emit(instr, control::Exit, InstrCategory::kBranch);
  } else if (base == "trap") {
    Emit(instr, control::Trap, InstrCategory::kOther);
  } else if (base == "nanosleep") {
    Emit(instr, control::GiveWay, InstrCategory::kOther);
  } else if (base == "brkpt" || base == "pmevent" || base == "setmaxnreg") {
    Emit(instr, control::Nothing, InstrCategory::kOther);
  } else {
    return DecodeComputation(instr, statement);
  }
  return {};
}

std::string FunctionDecoder::DecodeComputation(const MachineInstr& instr, const Statement& statement) {
  const std::string_view base = statement.mnemonic.base();
  Semantics semantics;
  // A symbol or special register is a value of its own.
  if (base == "mov" && statement.operands.size() == 2 &&
      statement.operands[1].kind == StatementOperand::Kind::kSymbol) {
    semantics.warp = control::Copy;
    semantics.category = InstrCategory::kMove;
  } else if (const absl::Status status = ResolveSemantics(statement, &semantics); !status.ok()) {
    return std::string(status.message());
  }
  unsigned num_result_operands = 0;
  const unsigned result_groups = NumResultGroups(statement);
  while (num_result_operands < statement.operands.size() &&
         statement.operands[num_result_operands].group < result_groups) {
    ++num_result_operands;
  }
  OperandList results, sources;
  if (!AppendOperands(statement, 0, num_result_operands, {}, /*negates=*/false, &results) ||
      !AppendOperands(statement, num_result_operands, static_cast<unsigned>(statement.operands.size()),
                      semantics.source_bits, /*negates=*/semantics.pure == nullptr, &sources)) {
    return StrCat("an operand of '", statement.mnemonic.text(), "' means nothing here");
  }
  if (semantics.reads_carry) {
    sources.push_back({.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = CarryRow()});
  }
  if (semantics.writes_carry) {
    results.push_back({.kind = DecodedOperand::Kind::kRow, .bits = 1, .row = CarryRow()});
  }
  if (semantics.pure != nullptr &&
      (results.size() != semantics.result_bits.size() || sources.size() != semantics.source_bits.size())) {
    return StrCat("'", statement.mnemonic.text(), "' has ", results.size(), " results and ", sources.size(),
                  " sources instead of ", semantics.result_bits.size(), " and ", semantics.source_bits.size());
  }
  for (size_t i = 0; i < sources.size() && i < semantics.source_bits.size(); ++i) {
    const unsigned bits = semantics.source_bits[i];
    if (bits != 0 && sources[i].kind != DecodedOperand::Kind::kAddress && sources[i].bits != bits) {
      sources[i] = Widen(instr, sources[i], bits);
    }
  }
  // Results of another width go through temporaries.
  absl::InlinedVector<std::pair<DecodedOperand, DecodedOperand>, 4> narrowed;
  for (size_t i = 0; i < results.size() && semantics.pure != nullptr; ++i) {
    const unsigned bits = semantics.result_bits[i];
    if (results[i].kind != DecodedOperand::Kind::kSink && results[i].bits == bits) continue;
    const DecodedOperand temporary = {
        .kind = DecodedOperand::Kind::kRow, .bits = static_cast<uint8_t>(bits), .row = NewRow(bits)};
    if (results[i].kind == DecodedOperand::Kind::kRow) narrowed.emplace_back(results[i], temporary);
    results[i] = temporary;
  }
  DecodedInstr& decoded = Emit(instr, semantics);
  decoded.num_results = static_cast<uint8_t>(results.size());
  for (const DecodedOperand& operand : results) AddOperand(decoded, operand);
  for (const DecodedOperand& operand : sources) AddOperand(decoded, operand);
  decoded.is_spill = IsSpillAccess(instr);
  // A conversion to a signed type sign-extends into a wider register.
  const bool is_signed = base == "cvt" && ParseScalarType(statement.mnemonic.Last(1)).kind == ScalarType::Kind::kSigned;
  for (const auto& [to, from] : narrowed) {
    EmitCopy(instr, to, from);
    if (is_signed) out_->instrs.back().params.a = from.bits;
  }
  return {};
}

}  // namespace ptxmir::ptx
