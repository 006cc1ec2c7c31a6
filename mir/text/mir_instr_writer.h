// SPDX-License-Identifier: Apache-2.0

// Prints one machine instruction, as MIR or in the form of a dump. For writers of MIR and similar texts.

#ifndef PTXMIR_MIR_TEXT_MIR_INSTR_WRITER_H_
#define PTXMIR_MIR_TEXT_MIR_INSTR_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "mir/code/machine_function.h"
#include "mir/text/mir_text.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {

class InlineAsmGroup;

class InstrWriter {
 public:
  // kMir can be read back. In kDump, every virtual register has its class, and inline assembly is decoded.
  enum class Form : uint8_t { kMir, kDump };

  InstrWriter(const MachineFunction& function, const MirWriteOptions& options, Form form, TextSink& sink);

  // Writes an instruction without indentation or line break.
  void Write(const MachineInstr& instr);
  void WriteOperand(const MachineInstr& instr, unsigned index);
  // Writes an operand that may be in no instruction. Flags, ties and the class of a register are left out.
  void WriteValue(const MachineOperand& operand);
  void WriteRegister(Register reg);
  void WriteGlobal(GlobalId id);
  void WriteMetadata(MetadataId id);
  void WriteMemOperand(const MachineMemOperand& mem);

 private:
  struct OperandStyle {
    bool is_result;  // whether the operand precedes '='
    bool print_ties;
  };

  void WriteFlags(uint32_t flags);
  void WriteRegisterOperand(const MachineInstr& instr, unsigned index, OperandStyle style);
  void WriteOperandValue(const MachineInstr& instr, unsigned index, OperandStyle style);
  void WriteMCSymbol(SymbolId id);
  void WriteFrameIndex(int index);
  void WriteMemValue(const MachineMemOperand& mem);
  // Writes the symbols and markers after the operands. Returns true if a comma is needed before what follows.
  bool WriteExtra(const InstrExtra& extra, bool needs_comma);
  void WriteInlineAsmProperties(uint32_t properties, std::string_view before, std::string_view after,
                                std::string_view separator);
  void WriteInlineAsmGroup(const InlineAsmGroup& group);
  void WriteInlineAsmOperands(const MachineInstr& instr, unsigned first, OperandStyle style);
  void WriteInlineAsmForDump(const MachineInstr& instr, unsigned first, OperandStyle style);
  bool HasUnexpectedTies(const MachineInstr& instr) const;

  const MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  const TargetInfo& target_;
  const MirWriteOptions options_;
  const Form form_;
  const bool has_names_;
  const bool has_types_;
  TextSink& sink_;
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_TEXT_MIR_INSTR_WRITER_H_
