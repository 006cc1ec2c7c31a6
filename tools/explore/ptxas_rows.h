// SPDX-License-Identifier: Apache-2.0

// The results of ptxas for the PTX of a kernel: ours, that of llc, and that of each option set of -autotune.

#ifndef PTXMIR_TOOLS_EXPLORE_PTXAS_ROWS_H_
#define PTXMIR_TOOLS_EXPLORE_PTXAS_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/compilation.h"
#include "compiler/driver_options.h"

namespace ptxmir {

struct PtxasRow {
  std::string function;  // the kernel's name in the module
  std::string label;     // "llc", "ptxmir", or the name of an option set
  std::string options;
  unsigned registers = 0;
  uint64_t spill_bytes = 0;  // stores and loads, of ptxas and of our spill code
  double occupancy = 0;      // the share of the SM's warps that are resident
  bool is_chosen = false;    // the code that is written
};

struct PtxasTable {
  std::vector<PtxasRow> rows;
  std::string note;  // why rows are missing; empty if none are
};

// Asks ptxas about the PTX of a compilation, which has kept its functions, and about that of `llc-22` from the same
// input, where these programs are there.
PtxasTable AskPtxas(const DriverOptions& options, const Compilation& compilation);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_EXPLORE_PTXAS_ROWS_H_
