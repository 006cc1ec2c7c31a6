// SPDX-License-Identifier: Apache-2.0

// The textual form of pipelines, for -passes and -run-pass, in the style of LLVM's PassBuilder:
//
//     pipeline = step { "," step }
//     step     = pass name
//              | "loop" "(" pipeline ")"                         passes that work on loops
//              | ("function" | "machine-function") "(" pipeline ")"
//              | "print" "<" analysis ">" | "print"              prints to the log, which the tool shows on stderr
//              | "require" "<" analysis ">" | "invalidate" "<" analysis ">"  ("all": every analysis)
//              | "verify"
//              | "default" "<" "O0" | "O1" | "O2" | "O3" ">"     the standard pipeline of a level
//
// Blanks are allowed between tokens. A pipeline on LLVM IR has no analyses; "default" is its own standard pipeline.

#ifndef PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_
#define PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "passes/pipeline/pipeline.h"

namespace ptxmir {

// The code that a pipeline works on.
enum class PassLevel : uint8_t { kMachine, kIr };

// Parses a pipeline. Errors name `source`, for example "-passes", as the file. Returns nullopt if errors were
// reported.
std::optional<Pipeline> ParsePipeline(std::string_view text, std::string_view source, DiagnosticEngine& diagnostics,
                                      PassLevel pass_level = PassLevel::kMachine);

// Returns the text that ParsePipeline parses to this pipeline, without banners, which have no textual form.
std::string PipelineText(const Pipeline& pipeline);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_
