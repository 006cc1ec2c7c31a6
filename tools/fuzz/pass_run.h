// SPDX-License-Identifier: Apache-2.0

// Runs passes over generated functions and counts what they change.

#ifndef PTXMIR_TOOLS_FUZZ_PASS_RUN_H_
#define PTXMIR_TOOLS_FUZZ_PASS_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/run_options.h"

namespace ptxmir::fuzz {

// How often a pass ran over a function, and how often it changed one. Indexed by position in the pass table.
struct PassCount {
  uint64_t runs = 0;
  uint64_t changes = 0;
};

// Runs the pipeline over a function and adds to `counts`. Returns what was reported, or an empty string.
std::string RunPassesOn(MachineFunction& function, const Pipeline& pipeline, const RunOptions& options,
                        std::vector<PassCount>& counts);

// Prints the PTX of a module that went through a whole pipeline. On failure, returns false and sets `error`.
bool PrintPtx(const Module& module, std::string& ptx, std::string& error);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_PASS_RUN_H_
