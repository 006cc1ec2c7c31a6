// SPDX-License-Identifier: Apache-2.0

// The table of analyses, which -passes='print<x>' and --print-passes read.

#ifndef PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_
#define PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "analysis/analysis_kinds.h"
#include "analysis/analysis_manager.h"

namespace ptxmir {

struct AnalysisInfo {
  AnalysisKind kind;
  std::string_view name;         // cicc's name
  std::string_view alias;        // LLVM's name, if it differs
  std::string_view description;  // LLVM's text, if LLVM has the analysis
  // Gets the analysis from the manager. Null if the analysis is not implemented here.
  Analysis& (*get)(AnalysisManager&);

  bool is_implemented() const { return get != nullptr; }
};

// Returns the table, indexed by AnalysisKind.
absl::Span<const AnalysisInfo> AnalysisTable();

// Returns the analysis with this name or alias, or null if there is none.
const AnalysisInfo* FindAnalysis(std::string_view name);

// Returns "unknown analysis 'x'", followed by the nearest known name if one is close.
std::string UnknownAnalysisMessage(std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_ANALYSIS_TABLE_H_
