// SPDX-License-Identifier: Apache-2.0

// Runs generated modules through everything that can tell right from wrong: the verifier, the MIR reader and writer,
// pipelines with the verifier and the interpreter behind every pass, the PTX writer, and for a sample ptxas and llc.
//
// Which passes run follows from the pass table, so that one that is added there is run without an edit here. Each
// input is checked in a process of its own: a crash or a hang is a finding like any other.

#ifndef PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_
#define PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/fuzz/mir_function_generator.h"
#include "tools/fuzz/opcode_catalog.h"

namespace ptxmir::fuzz {

struct FunctionFuzzOptions {
  uint64_t first_seed = 0;
  uint64_t count = 0;              // inputs; 0: as many as `seconds` allow
  double seconds = 0;              // 0: no limit
  std::optional<FuzzShape> shape;  // nullopt: mixed mostly, the others now and then
  // "random": for each -O level the pipeline, cut at a random place and taken up again from text, and passes alone;
  // "O0" to "O3"; or names of passes, with commas.
  std::string pipeline = "random";
  unsigned launches = 2;             // of each kernel, for comparing
  uint64_t sample_external = 0;      // every so many inputs go to ptxas and llc; 0: none
  unsigned seconds_per_input = 120;  // of the processor
};

struct FunctionFuzzFinding {
  uint64_t seed = 0;
  FuzzShape shape = FuzzShape::kMixed;
  std::string what;
};

struct PassCoverage {
  std::string_view pass;
  uint64_t runs = 0;  // over functions
  uint64_t changes = 0;
};

struct FunctionFuzzReport {
  uint64_t inputs = 0;
  uint64_t valid = 0;    // that the verifier accepts
  uint64_t defined = 0;  // whose kernels run without a fault
  uint64_t external = 0;
  uint64_t instructions = 0;
  double seconds = 0;
  std::vector<bool> opcodes;         // that were generated
  std::vector<PassCoverage> passes;  // in the order of the pass table
  std::vector<FunctionFuzzFinding> findings;
};

// The module of a seed, as MIR. `shape`: that of the options.
std::string GeneratedMir(const OpcodeCatalog& catalog, uint64_t seed, FuzzShape shape);
FuzzShape ShapeOf(const FunctionFuzzOptions& options, uint64_t seed);

// Not ok: the pipeline does not exist.
absl::Status CheckPipelineName(std::string_view pipeline);

// `on_finding` is called at once.
FunctionFuzzReport RunFunctionFuzzer(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options,
                                     const std::function<void(const FunctionFuzzFinding&)>& on_finding);

// Opcodes that the interpreter has semantics for and of which none was generated.
std::vector<Opcode> MissingOpcodes(const FunctionFuzzReport& report);

// What ptxmir-fuzz prints at its end.
std::string FunctionFuzzSummary(const FunctionFuzzReport& report);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUNCTION_FUZZER_H_
