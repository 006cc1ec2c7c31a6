// SPDX-License-Identifier: Apache-2.0

// Prints line information: .loc and .file directives, and the labels where functions, the ranges of lexical scopes,
// and the values of variables begin and end. The choice and the order follow LLVM's DwarfDebug. If the module asks
// for more than lines, the DWARF sections follow at the end (dwarf_writer.h).

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_LINES_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_LINES_H_

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/text_buffer.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/dwarf/debug_info.h"
#include "ptx/dwarf/dwarf_history.h"
#include "ptx/dwarf/dwarf_scopes.h"
#include "ptx/dwarf/dwarf_writer.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir::ptx {

// The writer of line information, one per module. It is told about every function and instruction in the order of
// printing.
class LineWriter {
 public:
  explicit LineWriter(const Module& module);

  // Returns true if the module has debug information. If not, nothing below needs to be called.
  bool is_active() const { return info_.is_present(); }
  // Returns true if there will be DWARF sections, which `.target` must announce.
  bool has_dwarf() const { return dwarf_ != nullptr; }

  void BeginFunction(const IrFunction& ir_function, const MachineFunction& function, TextBuffer& out);
  // Call these before and after everything that is printed for an instruction.
  void BeforeInstr(const MachineInstr& instr, TextBuffer& out);
  void AfterInstr(const MachineInstr& instr, TextBuffer& out);
  // `registers` are the names under which the function's registers were printed.
  void EndFunction(const MachineFunction& function, absl::Span<const PrintedRegister> registers, TextBuffer& out);
  // Prints the files and the DWARF sections at the end of the module.
  void WriteEnd(const PtxNames& names, TextBuffer& out);

 private:
  using Labels = absl::flat_hash_map<const MachineInstr*, DwarfLabel>;

  // Records the instructions that need a label: where scopes and the values of variables begin and end.
  void RequestLabels();
  void RequestValueLabels(const EntityHistory& variable);
  bool IsOwnParameter(MetadataId variable);
  void WriteFiles(TextBuffer& out) const;
  // Gives a requested label its name, and prints it unless a label was just printed.
  void WriteRequested(Labels& labels, const MachineInstr& instr, TextBuffer& out);
  void WriteLine(uint32_t line, uint32_t column, MetadataId scope, TextBuffer& out);
  void WriteLineOf(const MachineInstr& instr, TextBuffer& out);
  void WriteUnknownLine(const MachineInstr& instr, TextBuffer& out);
  // Finds the end of the function's prologue, and prints the line of the function's head if it has one.
  void WriteInitialLine(const MachineFunction& function, TextBuffer& out);

  const Module& module_;
  DebugInfo info_;
  std::unique_ptr<DwarfWriter> dwarf_;  // null: no sections are wanted
  uint32_t num_functions_ = 0;
  uint32_t num_labels_ = 0;
  uint32_t last_line_ = 0;  // of the last .loc in the whole module

  // State of the current function.
  MetadataId subprogram_ = kNoMetadata;
  LexicalScopes scopes_;
  DebugHistory history_;
  // The labels before and after instructions. A label is not valid while it is only requested.
  Labels labels_before_, labels_after_;
  // Instructions that begin a statement even though their line may be that of the instruction before.
  absl::flat_hash_set<const MachineInstr*> statements_;
  const MachineInstr* prologue_end_ = nullptr;
  // A call in the prologue that has line 0 and gets the line of the function's head.
  const MachineInstr* relocated_call_ = nullptr;
  DebugLocation previous_location_;  // the last one with a line other than 0
  const MachineBasicBlock* previous_block_ = nullptr;
  DwarfLabel label_;  // the last label, if no code has been printed since
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_LINES_H_
