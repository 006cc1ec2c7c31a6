// SPDX-License-Identifier: Apache-2.0

#include "mir/verify/verifier_report.h"

#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"

namespace ptxmir {

bool VerifierReport::is_described() const { return num_errors_ <= kMaxVerifierReports; }

void VerifierReport::Function(std::string_view message) {
  ++num_errors_;
  if (!is_described()) return;
  out_ += '\n';
  if (num_errors_ == 1 && banner_ != nullptr) StrAppend(&out_, "# ", banner_, "\n\n");
  StrAppend(&out_, "*** Bad machine code: ", message, " ***\n- function:    ", function_.name(), "\n");
}

void VerifierReport::Block(std::string_view message, const MachineBasicBlock& block) {
  Function(message);
  if (!is_described()) return;
  StrAppend(&out_, "- basic block: %bb.", block.number());
  if (!block.name.empty()) StrAppend(&out_, " ", block.name);
  out_ += '\n';
}

void VerifierReport::Instr(std::string_view message, const MachineInstr& instr) {
  if (const MachineBasicBlock* block = instr.parent()) {
    Block(message, *block);
  } else {
    Function(message);
  }
  if (!is_described()) return;
  out_ += "- instruction: ";
  WriteInstr(instr, {}, out_);
  out_ += '\n';
}

void VerifierReport::Operand(std::string_view message, const MachineInstr& instr, unsigned index) {
  Instr(message, instr);
  if (!is_described()) return;
  StrAppend(&out_, "- operand ", index, ":   ");
  WriteOperand(instr.operand(index), {}, out_);
  out_ += '\n';
}

void VerifierReport::Note(std::string_view line) {
  if (is_described()) StrAppend(&out_, line, "\n");
}

std::string VerifierRegisterName(const MachineFunction& function, Register reg) {
  if (!reg.is_valid()) return "$noreg";
  if (reg.is_virtual()) {
    const std::string_view name = function.reg_info().name(reg);
    return name.empty() ? StrCat("%", reg.virtual_index()) : StrCat("%", name);
  }
  return StrCat("$", function.target().phys_regs[reg.bits()].name);
}

}  // namespace ptxmir
