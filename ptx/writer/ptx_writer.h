// SPDX-License-Identifier: Apache-2.0

// The PTX writer: prints a module whose machine functions are ready for it (what llc has after
// stack-frame-layout) as PTX.
//
// The text is llc's, byte for byte, apart from comments and blank space; docs/ptx-writer.md lists the few
// places where llc prints what ptxas rejects and this does not.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

struct PtxWriteOptions {
  // -mcpu and -mattr; empty: not given. See module_subtarget.h.
  std::string cpu;
  std::string features;
};

// Prints a module whose machine functions come one after another, so that each can be released when it is
// printed.
class PtxWriter {
 public:
  // The module must have all but its machine functions. It and `diagnostics` must outlive the writer.
  PtxWriter(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics);
  ~PtxWriter();

  // Prints a function, in the order of its number. It is not looked at again.
  void Write(const MachineFunction& function);
  // What a function is called in the PTX. Empty: the module has no such function.
  std::string_view NameOf(const MachineFunction& function) const;
  // Prints what stands around the functions. False when something could not be printed; why is in the
  // diagnostics.
  bool Finish();
  // The text, in parts that live as long as the writer. To be called after Finish.
  std::array<std::string_view, 3> text() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;  // null: the options are wrong
};

// Appends the PTX of a module with its machine functions to `out`. False when something cannot be printed;
// why is in the diagnostics, and `out` is as it was.
bool WritePtx(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics, std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_H_
