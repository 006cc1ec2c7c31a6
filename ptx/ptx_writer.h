// The PTX writer: prints a module whose machine functions are ready for it (what llc has after
// stack-frame-layout) as PTX.
//
// The text is llc's, byte for byte, apart from comments and blank space; docs/ptx-writer.md lists the few
// places where llc prints what ptxas rejects and this does not.

#ifndef PTXMIR_PTX_PTX_WRITER_H_
#define PTXMIR_PTX_PTX_WRITER_H_

#include <string>

#include "mir/diagnostics.h"
#include "mir/module.h"

namespace ptxmir::ptx {

struct PtxWriteOptions {
  // -mcpu and -mattr; empty: not given. See module_subtarget.h.
  std::string cpu;
  std::string features;
};

// Appends the module's PTX to `out`. False when something cannot be printed; why is in the diagnostics, and
// `out` is as it was.
bool WritePtx(const Module& module, const PtxWriteOptions& options, DiagnosticEngine& diagnostics,
              std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_PTX_WRITER_H_
