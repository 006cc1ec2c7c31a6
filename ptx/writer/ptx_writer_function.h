// SPDX-License-Identifier: Apache-2.0

// Prints the body of a function: register declarations, blocks, instructions.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_FUNCTION_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_FUNCTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_buffer.h"
#include "mir/code/machine_function.h"
#include "ptx/target/instr_printer.h"
#include "ptx/writer/ptx_writer_context.h"
#include "ptx/writer/ptx_writer_lines.h"

namespace ptxmir::ptx {

// Prints the functions of a module one after another. One object serves a whole module: it keeps its tables from
// function to function, so that printing allocates nothing per instruction.
class FunctionWriter {
 public:
  FunctionWriter(PtxWriterContext& context, LineWriter& lines) : context_(context), lines_(lines), symbols_(context) {}

  // Appends the definition. `ir_function` is the function's counterpart in the IR. Errors go to the diagnostics.
  // `instr_texts`, if it is not null, gets the places in `out` of the instructions but for debug instructions.
  void Write(const IrFunction& ir_function, const MachineFunction& function, TextBuffer& out,
             std::vector<TextRange>* instr_texts);

 private:
  // The names of the symbols in machine code. If a function is printed under another name than the input's, the
  // names of its parameters change with it.
  class Symbols : public SymbolPrinter {
   public:
    explicit Symbols(PtxWriterContext& context) : context_(context) {}
    void BeginFunction(const IrFunction& ir_function, const MachineFunction& function);
    void AppendGlobal(GlobalId global, TextBuffer& out) const override;
    void AppendSymbol(SymbolId symbol, TextBuffer& out) const override;

   private:
    PtxWriterContext& context_;
    const IrFunction* ir_function_ = nullptr;
    const MachineFunction* function_ = nullptr;
  };

  bool NumberRegisters(const MachineFunction& function);
  absl::Span<const uint32_t> LabelBlocks(const MachineFunction& function);
  void WriteDeclarations(const MachineFunction& function, TextBuffer& out);
  void WriteBlockHead(const MachineBasicBlock& block, TextBuffer& out);
  absl::Status WriteInstr(const MachineInstr& instr, TextBuffer& out);
  void ReportUnprintable(const MachineInstr& instr, const absl::Status& status);

  PtxWriterContext& context_;
  LineWriter& lines_;
  Symbols symbols_;
  std::vector<uint32_t> block_labels_;  // by block number
  PrintContext print_;
  std::vector<PrintedRegister> registers_;  // by index of the virtual register
  uint32_t num_registers_[reg_class::kCount] = {};
  std::vector<bool> no_unroll_;  // by block number; empty if there are none
  uint32_t next_asm_uid_ = 0;    // of inline assembly
  std::string scratch_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_FUNCTION_H_
