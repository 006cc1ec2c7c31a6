// SPDX-License-Identifier: Apache-2.0

// Pipelines as text, for -passes and -run-pass:
//
//     pipeline = step { "," step }
//     step     = pass name
//              | "loop" "(" pipeline ")"                         passes that work on loops
//              | ("function" | "machine-function") "(" pipeline ")"
//              | "print" "<" analysis ">" | "print"              to the log, which the tool shows on stderr
//              | "require" "<" analysis ">" | "invalidate" "<" analysis ">"  ("all": every one)
//              | "verify"
//              | "default" "<" "O0" | "O1" | "O2" | "O3" ">"     the standard pipeline of a level
//
// in the manner of LLVM's PassBuilder. Blanks may stand between tokens.

#ifndef PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_
#define PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "passes/pipeline/pipeline.h"

namespace ptxmir {

// `source` is what errors name as the file, for example "-passes". Nullopt when errors were reported.
std::optional<Pipeline> ParsePipeline(std::string_view text, std::string_view source, DiagnosticEngine& diagnostics);

// The text that ParsePipeline makes the pipeline from, but for banners, which have none.
std::string PipelineText(const Pipeline& pipeline);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_PARSER_H_
