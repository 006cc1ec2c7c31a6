// SPDX-License-Identifier: Apache-2.0

// Prints the DWARF sections of a module: .debug_loc, .debug_abbrev, .debug_info and, if a unit asks for them, the
// tables of names. The writer is told about each function as it is printed, because the entries refer to the
// function's labels.

#ifndef PTXMIR_PTX_DWARF_DWARF_WRITER_H_
#define PTXMIR_PTX_DWARF_DWARF_WRITER_H_

#include <cstdint>
#include <vector>

#include "base/text_buffer.h"
#include "ir/module.h"
#include "ptx/dwarf/debug_info.h"
#include "ptx/dwarf/dwarf_builder.h"
#include "ptx/dwarf/dwarf_history.h"
#include "ptx/dwarf/dwarf_scopes.h"
#include "ptx/dwarf/dwarf_variables.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir::ptx {

class DwarfWriter {
 public:
  DwarfWriter(const Module& module, DebugInfo& info);

  // Call before the first function.
  void BeginModule() { builder_.BuildGlobals(); }
  // Call after each function that has a DISubprogram has been printed.
  void EndFunction(const DwarfFunction& function, LexicalScopes& scopes, DebugHistory& history);
  // Call after the last function. From then on all source files are known.
  void EndModule();
  bool has_sections() const { return !abbreviations_.entries().empty(); }
  void WriteSections(const PtxNames& names, TextBuffer& out) const;

 private:
  const Module& module_;
  DebugInfo& info_;
  DwarfBuilder builder_;
  DwarfAbbreviations abbreviations_;
  std::vector<LocationList> lists_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_WRITER_H_
