// SPDX-License-Identifier: Apache-2.0

// Runs generated modules through everything that can detect an error: the verifier, a random pipeline, the PTX writer
// and the interpreter, and for samples the MIR reader and writer, each pass alone, ptxas and llc (input_check.h).
//
// A child process checks many inputs. If it crashes or hangs, each of its inputs is checked again in a process of its
// own, so a crash or a hang is a finding like any other. What an input is and what is done with it depends on its seed
// and the options alone, not on the other inputs or the number of processes.

#ifndef PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_
#define PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/fuzz/generator/mir_function_generator.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::fuzz {

// A choice for FunctionFuzzOptions::pipeline: each pass alone, and more, with checks after every pass
// (FunctionCheck::CheckEachPass).
inline constexpr std::string_view kEachPass = "each";

struct FunctionFuzzOptions {
  uint64_t first_seed = 0;
  uint64_t count = 0;              // the number of inputs; 0: as many as `seconds` allow
  double seconds = 0;              // 0: no limit
  std::optional<FuzzShape> shape;  // nullopt: small mostly, the others now and then
  // kRandomPipeline; kEachPass; "O0" to "O3"; or pass names separated by commas.
  std::string pipeline = "random";
  unsigned launches = 0;             // launches of each kernel; 0: one, and more for a sample
  unsigned jobs = 1;                 // processes at a time
  uint64_t sample_external = 0;      // one in this many inputs goes to ptxas and llc; 0: none
  unsigned seconds_per_input = 120;  // processor time
  size_t max_findings = 100;         // stop at so many
  // Called in the process of an input, before its checks. For tests; may be empty.
  std::function<void(uint64_t seed)> before_input;
};

struct FunctionFuzzFinding {
  uint64_t seed = 0;
  FuzzShape shape = FuzzShape::kMixed;
  std::string what;
  uint64_t count = 1;  // the inputs from the seed on that one process must check for it to happen
};

struct PassCoverage {
  std::string_view pass;
  uint64_t runs = 0;  // runs over functions
  uint64_t changes = 0;
};

struct FunctionFuzzReport {
  uint64_t inputs = 0;
  uint64_t valid = 0;    // inputs that the verifier accepts
  uint64_t defined = 0;  // inputs whose kernels run without a fault
  uint64_t external = 0;
  uint64_t instructions = 0;
  double seconds = 0;
  double processor_seconds = 0;
  std::vector<bool> opcodes;         // the opcodes that were generated
  std::vector<PassCoverage> passes;  // in the order of the pass table
  std::vector<FunctionFuzzFinding> findings;
};

// Returns the module of a seed as MIR. `shape` is that of the options.
std::string GeneratedMir(const OpcodeCatalog& catalog, uint64_t seed, FuzzShape shape);
FuzzShape ShapeOf(const FunctionFuzzOptions& options, uint64_t seed);

// Returns an error if the pipeline does not exist.
absl::Status CheckPipelineName(std::string_view pipeline);

// Calls `on_finding` immediately for each finding.
FunctionFuzzReport RunFunctionFuzzer(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options,
                                     const std::function<void(const FunctionFuzzFinding&)>& on_finding);

// Returns the opcodes that the interpreter can execute and that were never generated.
std::vector<Opcode> MissingOpcodes(const FunctionFuzzReport& report);

// Returns the summary that ptxmir-fuzz prints at its end.
std::string FunctionFuzzSummary(const FunctionFuzzReport& report);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_
