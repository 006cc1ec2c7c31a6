// SPDX-License-Identifier: Apache-2.0

// The PTX writer: prints a module as PTX. Its machine functions must be ready for that, as llc's are after
// stack-frame-layout.
//
// The text is llc's, byte for byte, except for comments and white space. docs/ptx-writer.md lists the few places
// where llc prints text that ptxas rejects and this writer does not.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/text_buffer.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

struct PtxWriteOptions {
  // -mcpu and -mattr; empty if not given. See module_subtarget.h.
  std::string cpu;
  std::string features;
  // Whether to print the comments that llc prints with -asm-verbose: block numbers, kills and implicit definitions.
  bool is_verbose = true;
};

// Prints a module whose machine functions arrive one after another, so that each can be freed as soon as it is
// printed.
class PtxWriter {
 public:
  // The module must be complete except for its machine functions. It and `diagnostics` must outlive the writer.
  PtxWriter(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics);
  ~PtxWriter();

  // Prints a function. Call it in the order of function numbers. The function is not used after that. Returns its text,
  // which is valid until the next call; empty after an error. `instr_texts`, if it is not null, gets the places of the
  // instructions but for debug instructions, in order.
  std::string_view Write(const MachineFunction& function, std::vector<TextRange>* instr_texts = nullptr);
  // Returns the function's name in the PTX, or an empty string if the module has no such function.
  std::string_view NameOf(const MachineFunction& function) const;
  // Prints everything around the functions. Returns false if something could not be printed; the diagnostics say
  // why.
  bool Finish();
  // Returns the text, in parts that live as long as the writer. Call it after Finish.
  std::array<std::string_view, 3> text() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;  // null if the options are invalid
};

// Appends the PTX of a module with its machine functions to `out`. Returns false, and leaves `out` unchanged, if
// something cannot be printed; the diagnostics say why.
bool WritePtx(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics, std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_H_
