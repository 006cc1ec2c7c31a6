// SPDX-License-Identifier: Apache-2.0

// The checks of one input. Most inputs get the cheapest of them; the rates below say how many get more.

#ifndef PTXMIR_TOOLS_FUZZ_INPUT_CHECK_H_
#define PTXMIR_TOOLS_FUZZ_INPUT_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>

#include "tools/fuzz/function_fuzzer.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::fuzz {

// One in this many inputs is written and read again, verified after each pass, and launched more often.
inline constexpr uint64_t kSampleRate = 16;
inline constexpr unsigned kSampleLaunches = 3;
// One in this many random inputs gets the checks of FunctionCheck::CheckEachPass.
inline constexpr uint64_t kEachPassRate = 512;

struct ExternalPrograms {
  std::string llc;    // empty if there is none
  std::string ptxas;  // likewise
};

// Makes the input of a seed, checks it, and adds what is found to the report. Calls `announce` with the knobs and the
// passes before they run.
void CheckInput(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options, uint64_t seed,
                const ExternalPrograms& programs, FunctionFuzzReport& report,
                const std::function<void(const std::string&)>& announce);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_INPUT_CHECK_H_
