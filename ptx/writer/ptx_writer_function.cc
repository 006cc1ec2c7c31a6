// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_function.h"

#include <algorithm>

#include "base/str_cat.h"
#include "ptx/writer/ptx_writer_globals.h"
#include "ptx/writer/ptx_writer_inline_asm.h"
#include "ptx/writer/ptx_writer_loops.h"
#include "ptx/writer/ptx_writer_signature.h"

namespace ptxmir::ptx {
namespace {

// Returns true if control enters the block only by fallthrough, so that it needs no label. As in LLVM: the block has
// a single predecessor, which precedes it and names it in none of its branches.
bool IsOnlyFallenInto(const MachineBasicBlock& block) {
  if (block.predecessors().empty()) return true;
  if (block.predecessors().size() > 1) return false;
  const MachineBasicBlock& predecessor = *block.predecessors()[0];
  if (!predecessor.IsLayoutSuccessor(&block)) return false;
  for (const MachineInstr* instr = predecessor.back(); instr != nullptr && instr->is_terminator();
       instr = instr->previous()) {
    if (!instr->is_branch() || instr->desc().Has(InstrFlag::kIndirectBranch)) return false;
    for (const MachineOperand& operand : instr->operands()) {
      if (operand.is_block() && operand.block() == block.number()) return false;
    }
  }
  return true;
}

}  // namespace

void FunctionWriter::Symbols::BeginFunction(const IrFunction& ir_function, const MachineFunction& function) {
  ir_function_ = &ir_function;
  function_ = &function;
}

void FunctionWriter::Symbols::AppendGlobal(GlobalId global, TextBuffer& out) const {
  if (!context_.module.HasGlobal(global)) return;
  if (context_.first_machine_user[global] == PtxWriterContext::kNoUser) {
    context_.first_machine_user[global] = ir_function_->id();
  }
  out.Append(context_.names[global]);
}

void FunctionWriter::Symbols::AppendSymbol(SymbolId symbol, TextBuffer& out) const {
  std::string_view text = function_->symbol(symbol);
  if (context_.names.IsRenamed(ir_function_->id())) [[unlikely]] {
    // "old_param_0" or "old_vararg". If the function has no name but a number, llc makes up the old name.
    const bool is_made_up = ir_function_->is_numbered && !text.starts_with(ir_function_->name);
    const std::string_view old_name = is_made_up ? std::string_view("__unnamed_") : ir_function_->name;
    const size_t suffix = std::max(text.rfind("_param_") + 1, text.rfind("_vararg") + 1);
    if (suffix > old_name.size() && text.starts_with(old_name)) {
      out.Append(context_.names[ir_function_->id()]);
      text.remove_prefix(suffix - 1);
    }
  }
  out.Append(text);
}

void FunctionWriter::Write(const IrFunction& ir_function, const MachineFunction& function, TextBuffer& out,
                           std::vector<TextRange>* instr_texts) {
  symbols_.BeginFunction(ir_function, function);
  if (!NumberRegisters(function)) return;
  print_ = PrintContext{.registers = registers_,
                        .symbols = &symbols_,
                        .function_number = function.number(),
                        .block_labels = LabelBlocks(function)};
  no_unroll_ = FindNoUnrollHeaders(context_.module, ir_function, function);

  scratch_.clear();
  WriteDefinitionHead(context_, ir_function, scratch_);
  scratch_ += "{\n";
  out.Append(scratch_);
  WriteDeclarations(function, out);
  if (lines_.is_active()) lines_.BeginFunction(ir_function, function, out);
  scratch_.clear();
  WriteDemotedVariables(context_, ir_function.id(), scratch_);
  scratch_ += '\n';
  out.Append(scratch_);

  const bool has_lines = lines_.is_active();
  for (const MachineBasicBlock& block : function) {
    WriteBlockHead(block, out);
    for (const MachineInstr& instr : block) {
      if (has_lines) lines_.BeforeInstr(instr, out);
      const size_t begin = out.size();
      if (absl::Status status = WriteInstr(instr, out); !status.ok()) [[unlikely]] {
        ReportUnprintable(instr, status);
        return;
      }
      if (instr_texts != nullptr && !instr.is_debug()) instr_texts->push_back({begin, out.size()});
      if (has_lines) lines_.AfterInstr(instr, out);
    }
  }
  if (has_lines) lines_.EndFunction(function, registers_, out);
  out.Append("}\n");
}

// Numbers the registers that occur, per class, from 1, in the order of their MIR numbers.
bool FunctionWriter::NumberRegisters(const MachineFunction& function) {
  const MachineRegisterInfo& info = function.reg_info();
  std::fill(std::begin(num_registers_), std::end(num_registers_), 0);
  registers_.assign(info.num_virtual_registers(), PrintedRegister());
  for (uint32_t i = 0; i < registers_.size(); ++i) {
    const Register reg = Register::Virtual(i);
    if (!info.IsReferenced(reg)) continue;
    const RegClassId reg_class = info.reg_class(reg);
    if (reg_class >= reg_class::kCount || RegisterPrefix(reg_class).empty()) {
      context_.diagnostics.Error(
          StrCat("function '", function.name(), "': register %", i, " has no class that PTX knows"));
      return false;
    }
    registers_[i] = PrintedRegister(reg_class, ++num_registers_[reg_class]);
  }
  return true;
}

// Numbers the labels in layout order, as llc numbers the blocks of MIR that it reads.
absl::Span<const uint32_t> FunctionWriter::LabelBlocks(const MachineFunction& function) {
  block_labels_.assign(function.block_number_bound(), 0);
  uint32_t next = 0;
  for (const MachineBasicBlock& block : function) block_labels_[block.number()] = next++;
  return block_labels_;
}

void FunctionWriter::WriteDeclarations(const MachineFunction& function, TextBuffer& out) {
  const MachineFrameInfo& frame = function.frame_info();
  if (frame.stack_size != 0) {
    const bool is_32_bit = context_.module.data_layout().PointerBits(0) == 32;
    out.Append("\t.local .align ");
    out.AppendDecimal(frame.max_alignment);
    out.Append(" .b8 \t__local_depot");
    out.AppendDecimal(function.number());
    out.Append('[');
    out.AppendDecimal(frame.stack_size);
    out.Append("];\n");
    out.Append(is_32_bit ? "\t.reg .b32 \t%SP;\n\t.reg .b32 \t%SPL;\n" : "\t.reg .b64 \t%SP;\n\t.reg .b64 \t%SPL;\n");
  }
  if (const StackObject* depot = frame.SharedObject(); depot != nullptr) {
    out.Append("\t.shared .align ");
    out.AppendDecimal(uint64_t{1} << depot->align_log2);
    out.Append(" .b8 \t");
    out.Append(kSharedDepotPrefix);
    out.AppendDecimal(function.number());
    out.Append('[');
    out.AppendDecimal(depot->size);
    out.Append("];\n");
  }
  for (RegClassId reg_class = 0; reg_class < reg_class::kCount; ++reg_class) {
    if (num_registers_[reg_class] == 0) continue;
    out.Append("\t.reg ");
    out.Append(RegisterDeclType(reg_class));
    out.Append(" \t");
    out.Append(RegisterPrefix(reg_class));
    out.Append('<');
    out.AppendDecimal(num_registers_[reg_class] + 1);
    out.Append(">;\n");
  }
}

void FunctionWriter::WriteBlockHead(const MachineBasicBlock& block, TextBuffer& out) {
  if (IsOnlyFallenInto(block)) {
    if (context_.is_verbose) {
      out.Append("// %bb.");
      out.AppendDecimal(block.number());
      out.Append(":\n");
    }
  } else {
    AppendBlockLabel(print_, block.number(), out);
    out.Append(":\n");
  }
  if (!no_unroll_.empty() && no_unroll_[block.number()]) out.Append("\t.pragma \"nounroll\";\n");
}

absl::Status FunctionWriter::WriteInstr(const MachineInstr& instr, TextBuffer& out) {
  // Some pseudo instructions have a text that is not PTX.
  const TargetInfo& target = PtxTargetInfo();
  if (!target.Get(instr.opcode()).Has(InstrFlag::kPseudo)) [[likely]] {
    return PrintInstr(instr, print_, out);
  }
  if (instr.is_inline_asm()) return WriteInlineAsm(instr, print_, next_asm_uid_, out);
  if (instr.is_implicit_def() || instr.is_kill()) {
    if (!context_.is_verbose) return absl::OkStatus();
    out.Append(instr.is_kill() ? "\t// kill:" : "\t// implicit-def:");
    for (const MachineOperand& operand : instr.operands()) {
      out.Append(' ');
      if (absl::Status status = PrintOperand(operand, print_, out); !status.ok()) return status;
    }
    out.Append('\n');
    return absl::OkStatus();
  }
  if (instr.is_debug() || instr.is_meta()) return absl::OkStatus();  // only informs the compiler
  return absl::FailedPreconditionError("it has no PTX");
}

void FunctionWriter::ReportUnprintable(const MachineInstr& instr, const absl::Status& status) {
  const MachineFunction& function = instr.function();
  context_.diagnostics.Error(StrCat("function '", function.name(), "' is not ready for printing: %bb.",
                                    instr.parent()->number(), ": ", function.target().Name(instr.opcode()), ": ",
                                    FromAbsl(status.message()), "; run the passes up to stack-frame-layout first"));
}

}  // namespace ptxmir::ptx
