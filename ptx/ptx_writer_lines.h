// Prints line information: .loc and .file directives, and the labels at which functions and the ranges of
// lexical scopes begin and end. What is printed, and where, follows LLVM's DwarfDebug; DWARF sections are
// not printed.

#ifndef PTXMIR_PTX_PTX_WRITER_LINES_H_
#define PTXMIR_PTX_PTX_WRITER_LINES_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "mir/machine_function.h"
#include "mir/module.h"
#include "ptx/ptx_writer_debug_info.h"
#include "ptx/ptx_writer_scopes.h"
#include "ptx/text_buffer.h"

namespace ptxmir::ptx {

// One for a module; told of every function and instruction in the order of printing.
class LineWriter {
 public:
  explicit LineWriter(const Module& module) : info_(module) {}

  // Whether the module has debug information. If not, nothing below needs to be called.
  bool is_active() const { return info_.is_present(); }

  void BeginFunction(const IrFunction& ir_function, const MachineFunction& function,
                     TextBuffer& out);
  // Around everything that is printed for an instruction.
  void BeforeInstr(const MachineInstr& instr, TextBuffer& out);
  void AfterInstr(const MachineInstr& instr, TextBuffer& out);
  void EndFunction(TextBuffer& out);
  // At the end of the module.
  void WriteFiles(TextBuffer& out) const;

 private:
  void WriteLine(uint32_t line, uint32_t column, MetadataId scope, TextBuffer& out);
  void WriteTemporaryLabel(TextBuffer& out);
  void WriteLineOf(const MachineInstr& instr, TextBuffer& out);
  void WriteUnknownLine(const MachineInstr& instr, TextBuffer& out);
  // Finds where the function's prologue ends and prints the line of the function's head if it has one.
  void WriteInitialLine(const MachineFunction& function, TextBuffer& out);

  DebugInfo info_;
  uint32_t num_functions_ = 0;
  uint32_t num_labels_ = 0;
  uint32_t last_line_ = 0;  // of the last .loc, through the whole module

  // Of the current function.
  MetadataId subprogram_ = kNoMetadata;
  ScopeMarkers markers_;
  // Instructions that begin a statement although their line may be that of the instruction before.
  absl::flat_hash_set<const MachineInstr*> statements_;
  const MachineInstr* prologue_end_ = nullptr;
  // A call in the prologue that has line 0 and is given the line of the function's head.
  const MachineInstr* relocated_call_ = nullptr;
  DebugLocation previous_location_;              // the last one with a line other than 0
  const MachineBasicBlock* previous_block_ = nullptr;
  bool is_at_label_ = false;                     // nothing was printed since the last label
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_PTX_WRITER_LINES_H_
